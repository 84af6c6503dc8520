import { SourceMap } from 'node:module';
import { cpuMillisecondsOf } from '../../../test/support/cpu-time.ts';
import { TransformFiles } from '../../../test/support/transforms.ts';
import { resolveOptions } from '../options/index.ts';
import { TransformCompiler } from './compiler.ts';
import { TransformModules } from './modules.ts';
import { TransformFailure } from './result.ts';
import { TransformSandbox } from './transform-sandbox.ts';

const FAILURES = 5;
/** As many functions as make a bundle of 0.7 MB, whose map takes long to parse beside anything else. */
const FUNCTIONS = 4000;

let files: TransformFiles;
let sandbox: TransformSandbox;

beforeEach(() => {
  files = new TransformFiles();
  sandbox = new TransformSandbox(new TransformModules(new TransformCompiler()));
});

afterEach(async () => {
  await sandbox.close();
  files[Symbol.dispose]();
});

async function summaryOf(payload: unknown): Promise<string> {
  const transformLimits = { timeoutMs: 10_000, memoryMb: 64, workers: 1 };
  const { resolved } = resolveOptions({ configDir: files.path, transformLimits });
  const call = { context: JSON.stringify({ payload }), now: 0 };
  const failure = await sandbox.run({ module: 't.ts' }, call, resolved).catch((error) => error);
  return failure instanceof TransformFailure ? failure.summary : 'no failure';
}

function vendored(): string {
  const one = (n: number): string => `export function f${n}(all, most) {
  const found = all.map((it) => it.value + ${n}).filter(Boolean);
  if (found.length > most) throw new RangeError('too many: ' + found.length);
  return { found, first: found[0], rest: [all, most, ${n}] };
}
`;
  return Array.from({ length: FUNCTIONS }, (_, n) => one(n)).join('');
}

describe('the place of a failure', () => {
  it('is told, and never in words of the payload', async () => {
    files.write(
      'transforms/lib/there.ts',
      `// A comment

type Nothing = null;
export const there = (): Nothing => {
  throw new RangeError('x'); };`,
    );
    files.transform(`import { there } from './lib/there.ts';
class Odd$Input extends Error { override name = 'Odd$Input' }
export default ({ payload }) => { if (payload.at === 'here') null.x;
  if (payload.at === 'there') there();
  if (payload.at === 'own') throw new Odd$Input('x');
  if (payload.at === 'foreign') throw Object.assign(new Error('x'), { name: payload.at + 'Said' });
  if (payload.at === 'part') throw Object.assign(new Error('x'), { name: ['Od', 'd'].join('') });
  throw 'text' };`);
    for (const [at, summary] of [
      ['here', 'TypeError at t.ts:3'],
      ['there', 'RangeError at lib/there.ts:5'],
      ['own', 'Odd$Input at t.ts:5'],
      // Of a class that is no word of its code, or a part of one only; and no error at all.
      ['foreign', 'Error at t.ts:6'],
      ['part', 'Error at t.ts:7'],
      ['text', 'Error'],
    ] as const) {
      expect({ at, summary: await summaryOf({ at }) }).toEqual({ at, summary });
    }
  });

  it('is looked up by the thread that failed, however large the bundle', async () => {
    files.write('transforms/vendored.ts', vendored());
    files.transform(`import * as all from './vendored.ts';
export default ({ payload }) => all['f' + payload](['x'], -1);`);
    const last = FUNCTIONS - 1;
    const summary = `RangeError at vendored.ts:${last * 5 + 3}`;
    // Compiled and sent to its thread once: that is not what is asked for here.
    expect(await summaryOf(last)).toBe(summary);
    const compiled = await new TransformCompiler().compile({
      root: `${files.path}/transforms`,
      module: 't.ts',
    });
    const map = 'bundle' in compiled ? compiled.bundle.map : '';
    const parsing = await cpuMillisecondsOf(() => void new SourceMap(JSON.parse(map)));
    const failing: number[] = [];
    for (let n = 0; n < FAILURES; n += 1) {
      failing.push(await cpuMillisecondsOf(() => summaryOf(last)));
    }
    // Each of them would parse it, if this thread did: the cheapest says so, whatever else a busy machine had it do.
    expect(Math.min(...failing)).toBeLessThan(parsing);
  });
});
