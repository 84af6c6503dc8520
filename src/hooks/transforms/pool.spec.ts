import { Logger } from '@nestjs/common';
import { eventually } from '../../../test/support/eventually.ts';
import { WorkerPool } from './pool.ts';
import type { PoolCall } from './pool.ts';

const LIMITS = { timeoutMs: 25, memoryBytes: 16 * 1024 * 1024, resultBytes: 1024 };

/** For what ends by itself: on a busy machine a thread may take longer to start than a short timeout lets a call wait. */
const LONG_LIMITS = { ...LIMITS, timeoutMs: 10_000 };

let pool: WorkerPool;

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));
beforeEach(() => (pool = new WorkerPool()));
afterEach(() => pool.close());

function call(code: string, over: Partial<PoolCall> = {}): PoolCall {
  const source = `export default (ctx) => { ${code} };`;
  const map = '{"sources":[],"mappings":""}';
  const base = { key: code, code: source, map, exportName: 'default', context: 'null', now: 0 };
  return { ...base, limits: LONG_LIMITS, ...over };
}

function stuckCall(code = 'for (;;);'): PoolCall {
  return call(code, { limits: LIMITS });
}

async function said(given: PoolCall, workers = 1): Promise<unknown> {
  const outcome = await pool.run(given, workers);
  return outcome?.kind === 'returned' ? outcome.json : (outcome?.kind ?? null);
}

describe('WorkerPool', () => {
  it('starts a thread when there is something to do, and no more than it may', async () => {
    expect(pool.threads).toBe(0);
    await Promise.all(Array.from({ length: 6 }, () => said(call('return 1'), 2)));
    expect(pool.threads).toBe(2);
  });

  it('tells each caller its own answer, in whatever order they come', async () => {
    const calls = Array.from({ length: 40 }, (_, n) =>
      said(call('return ctx', { context: String(n) }), 2),
    );
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 40 }, (_, n) => String(n)));
  });

  it('says why a thread does not start, before which it was given nothing', async () => {
    const error = jest.spyOn(Logger.prototype, 'error');
    const thread = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', (call) => { throw new Error('was given ' + call.context); });`;
    const started = (text: string): WorkerPool =>
      new WorkerPool(new URL(`data:text/javascript,${text}`));
    const missing = started(`import 'not-a-package';`);
    expect(await missing.run(call('return 1', { context: '"a secret"' }), 1)).toMatchObject({
      kind: 'threw',
      message: 'its thread broke',
    });
    expect(error.mock.calls).toEqual([
      [expect.stringMatching(/^a thread for transforms does not start: .*not-a-package/)],
    ]);
    error.mockClear();
    const broken = started(`${thread} parentPort.postMessage({ type: 'ready', canReset: true });`);
    expect(await broken.run(call('return 1', { context: '"a secret"' }), 1)).toMatchObject({
      kind: 'threw',
      message: 'its thread broke',
    });
    expect(error.mock.calls).toEqual([]);
    error.mockRestore();
  });

  it('replaces a thread that had to be ended', async () => {
    expect(await said(stuckCall(`return new Array(1e9) + ''`))).toBe('timeout');
    expect(pool.threads).toBe(0);
    expect(await said(call('return 2'))).toBe('2');
  });

  it('ends a thread that knows 64 modules, and goes on with all of them', async () => {
    for (let n = 0; n < 64; n++) expect(await said(call(`return ${n}`))).toBe(String(n));
    await eventually('the thread has ended', () => pool.threads === 0);
    expect(await said(call('return 64'))).toBe('64');
    expect(await said(call('return 0'))).toBe('0');
  });

  it('refuses what the queue has no room for, by number and by size', async () => {
    const first = said(call('return 1'));
    const many = Array.from({ length: 1100 }, () => said(call('return 1')));
    const outcomes = await Promise.all([first, ...many]);
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(100);
    const large = { context: JSON.stringify('x'.repeat(12 * 1024 * 1024)) };
    const sizes = Array.from({ length: 5 }, () => said(call('return 1', large)));
    expect((await Promise.all(sizes)).filter((outcome) => outcome === null)).toHaveLength(2);
  });

  it('gives up what waited ten of its timeouts', async () => {
    const hang = stuckCall();
    const hanging = Array.from({ length: 14 }, () => said(hang));
    const outcomes = await Promise.all(hanging);
    expect(outcomes[0]).toBe('timeout');
    expect(outcomes.at(-1)).toBeNull();
  });

  it('answers everybody when it is closed', async () => {
    const waiting = Array.from({ length: 3 }, () => said(stuckCall()));
    await pool.close();
    expect(await Promise.all(waiting)).toEqual(['threw', null, null]);
    expect(await said(call('return 1'))).toBeNull();
  });

  it('leaves threads to others while a module that was stuck is stuck again', async () => {
    const hang = stuckCall();
    await Promise.all([said(call('return 1'), 2), said(call('return 1'), 2)]);
    expect(await said(hang, 2)).toBe('timeout');
    // For longer than a thread takes to start: nobody waits for their end.
    const stuck = Array.from({ length: 4 }, () => said({ ...hang, limits: LONG_LIMITS }, 2));
    const order: string[] = [];
    const all = stuck.map((it) => it.then(() => order.push('stuck')));
    await said(call('return 1'), 2).then(() => order.push('good'));
    expect(order).toEqual(['good']);
    await pool.close();
    await Promise.all(all);
  });
});
