import * as fc from 'fast-check';
import { AgentError } from '../ports/index.ts';
import { runLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, only } from '../../../test/support/work-under-test.ts';
import type { Commit } from '../../../test/support/work-under-test.ts';

let work: WorkUnderTest;

beforeAll(async () => {
  work = await WorkUnderTest.start();
});
afterAll(() => work.close());

function summaryOf({ changes }: Commit): string {
  return only(changes, 'system-event')[0]?.text ?? '';
}

async function replied(name: string, text: string): Promise<string> {
  work.runner.reply = () => text;
  return summaryOf(await work.perform(runLease({ name })));
}

describe('the summary of a run (behaviour §5 Summary)', () => {
  it.each([
    ['CI', 'done', 'Hook CI: done'],
    ['Hook', 'done', 'Hook: done'],
    ['CI', '  \n', 'Hook CI: (no reply)'],
    ['CI', ' done\n', 'Hook CI: done'],
  ])('of %s that replied %j: %s', async (name, text, summary) => {
    expect(await replied(name, text)).toBe(summary);
  });

  it.each([
    ['CI', 'no such model', 'Hook CI (error): no such model'],
    ['Hook', 'bad', 'Hook (error): bad'],
  ])('of %s that failed with %j: %s', async (name, error, summary) => {
    work.runner.reply = () => Promise.reject(new AgentError(error, 'permanent'));
    expect(summaryOf(await work.perform(runLease({ name })))).toBe(summary);
  });

  it('keeps 2,000 characters and cuts more, with an ellipsis', async () => {
    const fits = 'x'.repeat(2000 - 'Hook CI: '.length);
    expect(await replied('CI', fits)).toBe(`Hook CI: ${fits}`);
    const cut = await replied('CI', `${fits}y`);
    expect(cut).toHaveLength(2000);
    expect(cut.endsWith('x…')).toBe(true);
  });

  it('never is cut inside a surrogate pair', async () => {
    const text = fc.string({ unit: fc.constantFrom('😀', 'x'), minLength: 1985, maxLength: 2010 });
    const isWhole = fc.asyncProperty(text, async (reply) => {
      const summary = await replied('CI', reply);
      return summary.isWellFormed() && summary.length <= 2000;
    });
    await expect(fc.assert(isWhole)).resolves.toBeUndefined();
  });
});
