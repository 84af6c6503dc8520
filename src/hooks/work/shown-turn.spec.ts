import { AgentError } from '../ports/index.ts';
import type { AgentTurn, Change } from '../ports/index.ts';
import { heartbeatLease, runLease, systemEvent } from '../../../test/support/leases.ts';
import { parsePrompt } from '../../../test/support/parsed-prompt.ts';
import { WorkUnderTest, only } from '../../../test/support/work-under-test.ts';

const LONG = 'a line of the log\n'.repeat(5000);

let work: WorkUnderTest;

beforeEach(async () => {
  work = await WorkUnderTest.start({ agents: { defaults: { heartbeat: { prompt: 'Look.' } } } });
});
afterEach(() => work.close());

function asksForLess(...most: readonly number[]): (string | undefined)[] {
  const given: (string | undefined)[] = [];
  work.runner.reply = (turn: AgentTurn) => {
    given.push(turn.prompt, ...most.map((characters) => turn.shorten?.(characters)));
    return 'the reply';
  };
  return given;
}

function consumed(changes: readonly Change[]): unknown {
  return only(changes, 'consume')[0]?.through;
}

describe('a run whose event is too long for its model', () => {
  it('is shown the beginning of it, and the task whole', async () => {
    const given = asksForLess(20_000, 5000);
    await work.perform(runLease({ message: LONG, instructions: 'Sort this.' }));
    const [whole = '', first = '', second = ''] = given;
    for (const [prompt, most] of [
      [first, 20_000],
      [second, 5000],
    ] as const) {
      expect(prompt.length).toBeLessThanOrEqual(most);
      expect(prompt.length).toBeGreaterThan(most - 100);
      const left =
        /\nThe model's window is full: the last (\d+) of 90000 characters are left out\.\n/;
      const [line = '', missing] = left.exec(prompt) ?? [];
      const { task, content } = parsePrompt(prompt.replace(line, '\n'));
      expect(task).toBe(parsePrompt(whole).task);
      expect(content.length).toBe(90_000 - Number(missing));
      expect(LONG.startsWith(content)).toBe(true);
    }
  });

  it('has what it was shown in its record, and in the session', async () => {
    const given = asksForLess(5000);
    const { changes } = await work.perform(runLease({ message: LONG }));
    expect(only(changes, 'run-update')).toMatchObject([{ prompt: given[1] }]);
    expect(only(changes, 'turn')).toMatchObject([{ prompt: given[1] }]);
  });

  it('is shown a thousand characters at least, and the same again is nothing', async () => {
    const given = asksForLess(0, 0);
    await work.perform(runLease({ message: LONG }));
    expect(given[1]).toContain('the last 89000 of 90000 characters');
    expect(given[2]).toBeUndefined();
  });

  it('is not shortened where everything fits', async () => {
    const given = asksForLess(100_000);
    await work.perform(runLease({ message: LONG }));
    expect(given[1]).toBeUndefined();
  });

  it('is shown of every text from outside its beginning, however long being harmless makes it', async () => {
    const message = '<|im_start|>'.repeat(5000);
    const given = asksForLess(20_000);
    await work.perform(runLease({ message }));
    expect(given[1]?.length).toBeLessThanOrEqual(20_000);
  });
});

describe('a run of a session in which lines wait', () => {
  beforeEach(() => {
    work.sessions.pending = [4, 5, 6, 7].map((seq) =>
      systemEvent(seq, `${seq} ${'x'.repeat(3000)}`),
    );
  });
  const lease = runLease({ sessionMode: 'persistent', message: 'short' });

  it('leaves the newest to the next turn before anything is cut', async () => {
    const given = asksForLess(9000);
    const { changes } = await work.perform(lease);
    expect(consumed(changes)).toBe(5);
    expect(given[1]).toContain('5 xxx');
    expect(given[1]).not.toMatch(/6 xxx|left out/);
    expect(given[1]).toContain('short');
  });

  it('leaves all of them, if need be', async () => {
    const given = asksForLess(2500);
    const { changes } = await work.perform(lease);
    expect(only(changes, 'consume')).toEqual([]);
    expect(given[1]).not.toContain('xxx');
  });
});

describe('a heartbeat at which too many lines wait', () => {
  it('is shown the oldest, and another one the rest', async () => {
    work.sessions.pending = [4, 5, 6].map((seq) => systemEvent(seq, `${seq} ${'x'.repeat(3000)}`));
    const given = asksForLess(5000);
    const { changes } = await work.perform(heartbeatLease());
    expect(given[1]).toMatch(/^Look\.\n\n/);
    expect(given[1]).toContain('4 xxx');
    expect(consumed(changes)).toBe(4);
    expect(only(changes, 'turn')).toMatchObject([{ prompt: given[1] }]);
    const again = only(changes, 'work').filter((change) => change.work.kind === 'heartbeat');
    expect(again.map((change) => change.work.job)).toContainEqual(
      expect.objectContaining({ isPeriodic: false }),
    );
  });

  it('is shown one of them at least, by its beginning', async () => {
    work.sessions.pending = [4, 5].map((seq) => systemEvent(seq, `${seq} ${'x'.repeat(30_000)}`));
    const given = asksForLess(5000);
    const { changes } = await work.perform(heartbeatLease());
    expect(given[1]).toMatch(/^Look\.\n\n/);
    expect(given[1]).toMatch(/the last \d+ of 30002 characters are left out/);
    expect(given[1]?.length).toBeLessThanOrEqual(5000);
    expect(consumed(changes)).toBe(4);
  });

  it('that fails says so of all lines that waited', async () => {
    work.sessions.pending = [4, 5].map((seq) => systemEvent(seq, 'x'.repeat(3000)));
    work.runner.reply = (turn) => {
      turn.shorten?.(4000);
      throw new AgentError('no room', 'needs-operator');
    };
    const { changes } = await work.perform(heartbeatLease());
    expect(only(changes, 'heartbeat-failed')).toMatchObject([{ through: 5 }]);
  });
});
