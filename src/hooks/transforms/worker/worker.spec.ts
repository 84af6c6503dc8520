import { QuickJsEngine, QuickJsVm } from '../quickjs/vm.ts';
import type { CallOutcome, TransformCall } from './messages.ts';
import { VmCache } from './worker.ts';

const MB = 1024 * 1024;
const CODE = `let calls = 0;
export default ({ take = 0, hang = false }) => {
  calls++;
  globalThis.seen = (globalThis.seen ?? 0) + 1;
  const all = [];
  for (let n = 0; n < take; n++) all.push(new Array(1000).fill(n));
  while (hang);
  return [calls, globalThis.seen];
};`;

const MAP = '{"sources":[],"mappings":""}';

let engine: QuickJsEngine;
let vms: VmCache;

beforeAll(async () => (engine = await QuickJsEngine.load()));
beforeEach(() => (vms = new VmCache(engine)));
afterEach(() => jest.restoreAllMocks());

/** A busy machine is no reason for a timeout. */
const PATIENT_MS = 10_000;

async function run(context: object, over: Partial<TransformCall> = {}): Promise<CallOutcome> {
  const limits = { timeoutMs: PATIENT_MS, memoryBytes: 16 * MB, resultBytes: 1000 };
  const base = {
    id: 1,
    key: 'k',
    bundle: { code: CODE, map: MAP },
    exportName: 'default',
    now: 0,
    limits,
  };
  const outcomes: CallOutcome[] = [];
  const call = { ...base, context: JSON.stringify(context), ...over };
  await vms.run(call, (outcome) => outcomes.push(outcome));
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('no answer');
  return outcome;
}

const CLEAN = { kind: 'returned', json: '[1,1]', console: [] };

describe('VmCache', () => {
  it('resets a machine: it is not made again, and remembers nothing', async () => {
    expect(await vms.tryReset()).toBe(true);
    const createVm = jest.spyOn(engine, 'createVm');
    for (let n = 0; n < 5; n++) expect(await run({})).toEqual(CLEAN);
    expect(createVm).toHaveBeenCalledTimes(1);
  });

  it('has machines as new after a timeout and after memory ran out', async () => {
    const limits = { timeoutMs: 200, memoryBytes: 16 * MB, resultBytes: 1000 };
    expect((await run({ hang: true }, { limits })).kind).toBe('timeout');
    expect(await run({})).toEqual(CLEAN);
    expect((await run({ take: 1e9 })).kind).toBe('threw');
    expect(await run({})).toEqual(CLEAN);
  });

  it('drops a machine whose memory grew', async () => {
    const createVm = jest.spyOn(engine, 'createVm');
    expect((await run({ take: 300 })).kind).toBe('returned');
    expect(await run({})).toEqual(CLEAN);
    expect(createVm).toHaveBeenCalledTimes(2);
  });

  it('makes a new machine per call where none can be reset', async () => {
    jest.spyOn(QuickJsVm.prototype, 'reset').mockReturnValue(true);
    expect(await vms.tryReset()).toBe(false);
    const createVm = jest.spyOn(engine, 'createVm');
    for (let n = 0; n < 3; n++) expect(await run({})).toEqual(CLEAN);
    expect(createVm).toHaveBeenCalledTimes(3);
  });

  it('takes a changed memory limit', async () => {
    const limits = { timeoutMs: PATIENT_MS, memoryBytes: 64 * MB, resultBytes: 1000 };
    expect((await run({ take: 3000 })).kind).toBe('threw');
    expect((await run({ take: 3000 }, { limits })).kind).toBe('returned');
  });

  it('never repeats the random numbers of an earlier call', async () => {
    const bundle = { code: 'export default () => String(Math.random())', map: MAP };
    const [first, second] = [
      await run({}, { bundle, key: 'r' }),
      await run({}, { bundle, key: 'r' }),
    ];
    expect(first).not.toEqual(second);
  });

  it('gives the time of the request, in UTC, standing still', async () => {
    const code = `export default () => { const at = Date.now(); for (let n = 0; n < 1e5; n++);
      return [Date.now() - at, new Date().toISOString(), new Date().getTimezoneOffset()]; }`;
    const now = Date.UTC(2026, 1, 3, 4, 5, 6, 7);
    expect(await run({}, { bundle: { code, map: MAP }, key: 'd', now })).toMatchObject({
      json: '[0,"2026-02-03T04:05:06.007Z",0]',
    });
  });
});
