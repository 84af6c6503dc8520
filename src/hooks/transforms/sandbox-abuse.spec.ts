import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMillisecondsOf } from '../../../test/support/cpu-time.ts';
import { TransformFiles } from '../../../test/support/transforms.ts';
import { resolveOptions } from '../options/index.ts';
import { TransformCompiler } from './compiler.ts';
import { TransformModules } from './modules.ts';
import { TransformFailure, readResult } from './result.ts';
import { TransformSandbox } from './transform-sandbox.ts';

type Ending = 'transform_failed' | 'transform_timeout' | 'InvalidResult' | 'harmless';

const SECRET = 'environment-of-the-host';
const LIMITS = { timeoutMs: 100, memoryMb: 16, resultKb: 64, workers: 1 };
const FAILED = 'transform_failed';
const TIMEOUT = 'transform_timeout';
const INVALID = 'InvalidResult';

let files: TransformFiles;
let sandbox: TransformSandbox;
let host: string;
const { settings, run } = harness();

/** What ends by itself is given time, however busy the machine is: a timeout is then no slow success. */
const PATIENT_MS = 10_000;

beforeAll(() => {
  Logger.overrideLogger(false);
  process.env['ABUSE_SECRET'] = SECRET;
  files = new TransformFiles().write('transforms/good.js', 'export default () => ({})');
  sandbox = new TransformSandbox(new TransformModules(new TransformCompiler()));
  host = stateOfHost();
});

afterAll(async () => {
  Logger.overrideLogger(['log', 'error', 'warn']);
  await sandbox.close();
  files[Symbol.dispose]();
  delete process.env['ABUSE_SECRET'];
});

function harness() {
  const settings = (timeoutMs = LIMITS.timeoutMs) =>
    resolveOptions({ configDir: files.path, transformLimits: { ...LIMITS, timeoutMs } }).resolved;
  const run = async (
    module: string,
    timeoutMs = PATIENT_MS,
  ): Promise<{ ending: Ending; said: string }> => {
    const call = { context: '{"payload":{"a":"b"}}', now: 0 };
    try {
      const { json, console } = await sandbox.run({ module }, call, settings(timeoutMs));
      readResult(json, 'agent');
      return { ending: 'harmless', said: JSON.stringify([json, console]) };
    } catch (error) {
      if (error instanceof TransformFailure) {
        return { ending: error.code, said: JSON.stringify([error.message, error.console]) };
      }
      if (!(error instanceof Error) || error.name !== INVALID) throw error;
      return { ending: INVALID, said: error.message };
    }
  };
  return { settings, run };
}

function stateOfHost(): string {
  const built = [Object, Array, Function, String, Number, Promise, Error, Map, RegExp, Date];
  const names = built.map(({ prototype }) => Reflect.ownKeys(prototype).map(String));
  const globals = Reflect.ownKeys(globalThis).map(String).toSorted();
  return JSON.stringify([names, globals, process.env, process.exitCode ?? 0]);
}

/** How many times what a harmless transform costs the host an attack may cost it; one that held it costs far more. */
const FEW = 10;
const ROUNDS = 5;

/**
 * Processor time of the host against a harmless transform's; the best of a few rounds, since garbage collection varies.
 */
async function costOf(attack: () => Promise<unknown>, size: number): Promise<number> {
  let cost = Infinity;
  for (let round = 0; round < ROUNDS && cost > FEW; round += 1) {
    files.write(
      'transforms/harmless.js',
      `export default () => ({}); // ${'x'.repeat(size + round)}`,
    );
    const began = performance.now();
    const attacked = await cpuMillisecondsOf(attack);
    const lastedMs = performance.now() - began;
    const harmless = await cpuMillisecondsOf(() =>
      Promise.all([run('harmless.js'), round > 0 && delay(lastedMs)]),
    );
    cost = Math.min(cost, attacked / harmless);
  }
  return cost;
}

function body(code: string): string {
  return `export default async (ctx) => { ${code} };`;
}

async function attack(code: string, timeoutMs?: number): Promise<Ending | undefined> {
  const endings = new Set<Ending | undefined>();
  const attempt = async (): Promise<void> => {
    files.write('transforms/attack.js', code);
    const { ending, said } = await run('attack.js', timeoutMs);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain(files.path);
    endings.add(ending);
  };
  expect(await costOf(attempt, code.length)).toBeLessThan(FEW);
  expect(stateOfHost()).toBe(host);
  expect((await run('good.js')).ending).toBe('harmless');
  expect(endings.size).toBe(1);
  return [...endings][0];
}

function itEnds(attacks: readonly [string, Ending, string][]): void {
  it.each(attacks)('%s: %s', async (_, ending, code) => {
    const timeoutMs = ending === TIMEOUT ? LIMITS.timeoutMs : PATIENT_MS;
    expect(await attack(code.startsWith('export') ? code : body(code), timeoutMs)).toBe(ending);
  });
}

it('the host of this test has what an escape would look for', () => {
  expect(settings().hooks.transformLimits).toMatchObject(LIMITS);
  expect(host).toContain(SECRET);
});

describe('to get out', () => {
  itEnds([
    [
      'constructor.constructor',
      FAILED,
      `return [].constructor.constructor('return process')().env`,
    ],
    [
      'constructor of the context',
      FAILED,
      `return ctx.constructor.constructor('return process')()`,
    ],
    [
      'constructor of an async function',
      FAILED,
      `await (async () => {}).constructor('await process')()`,
    ],
    ['constructor of console.log', FAILED, `console.log.constructor('return process')().exit(1)`],
    ['indirect eval', FAILED, `return (0, eval)('process.env')`],
    [
      'Error.prepareStackTrace',
      FAILED,
      `Error.prepareStackTrace = (_, frames) => frames;
    return new Error('x').stack[0].getThis().process.env`,
    ],
    [
      'caller and arguments',
      FAILED,
      `return (function f() { return f.caller.constructor('return process')() })()`,
    ],
    ['computed require', FAILED, `return globalThis['req' + 'uire']('fs')`],
    ['computed import of node:fs', FAILED, `const name = 'node:fs'; return await import(name)`],
    ['computed import of std', FAILED, `const name = 'std'; return await import(name)`],
    ['literal import of node:fs', FAILED, `return await import('node:fs')`],
    ['literal require of fs', FAILED, `return require('fs').readFileSync('/etc/passwd', 'utf8')`],
    ['fetch', FAILED, `return await fetch('http://127.0.0.1')`],
    ['WebAssembly', FAILED, `new WebAssembly.Memory({ initial: 1000 })`],
  ]);
});

describe('to change what the host makes of the result', () => {
  itEnds([
    ['__proto__ in the result', INVALID, `return JSON.parse('{"__proto__":{"deliver":false}}')`],
    [
      'constructor in the result',
      INVALID,
      `return { constructor: { prototype: { polluted: 1 } } }`,
    ],
    ['prototype in a list', INVALID, `return [{ prototype: { polluted: 1 } }]`],
    [
      'Object.prototype.toJSON',
      INVALID,
      `Object.prototype.toJSON = () => ({ polluted: 1 }); return {}`,
    ],
    ['Array.prototype.toJSON', INVALID, `Array.prototype.toJSON = () => 'text'; return []`],
    [
      'JSON replaced',
      'harmless',
      `JSON.stringify = () => '{"polluted":1}'; JSON.parse = null; return {}`,
    ],
    [
      'Promise.prototype.then replaced',
      'harmless',
      `Promise.prototype.then = () => { throw 1 }; return {}`,
    ],
    [
      'prototypes of the virtual machine',
      'harmless',
      `for (const it of [Object, Array, Function, Promise, String])
    it.prototype.polluted = 1; globalThis.polluted = 1; return {}`,
    ],
    ['a sparse list', INVALID, `const list = []; list.length = 5; return list`],
  ]);
});

describe('with values that act when they are read', () => {
  itEnds([
    ['getter loop', TIMEOUT, `return { get message() { for (;;); } }`],
    ['toJSON loop', TIMEOUT, `return { toJSON() { for (;;); } }`],
    ['proxy loop', TIMEOUT, `return new Proxy({}, { ownKeys() { for (;;); } })`],
    ['proxy that throws', FAILED, `return new Proxy({}, { ownKeys() { throw 1 } })`],
    ['thenable loop', TIMEOUT, `return { then() { for (;;); } }`],
    [
      'thenable that resolves to itself',
      TIMEOUT,
      `const it = { then(done) { done(it) } }; return it`,
    ],
    ['error whose message loops', TIMEOUT, `throw { get message() { for (;;); } }`],
    ['error that is a hostile proxy', FAILED, `throw new Proxy({}, { get() { throw 1 } })`],
    ['error with a huge message', FAILED, `throw new Error('x'.repeat(1e6))`],
    ['console of a looping getter', TIMEOUT, `console.log({ get a() { for (;;); } })`],
    ['huge toJSON', FAILED, `return { toJSON: () => 'x'.repeat(1e6) }`],
    ['circular', FAILED, `const it = {}; it.it = it; return it`],
    ['BigInt', FAILED, `return { timeoutSeconds: 1n }`],
    ['symbol', FAILED, `return Symbol('x')`],
  ]);
});

describe('never to end', () => {
  itEnds([
    ['sync loop', TIMEOUT, `for (;;);`],
    ['loop while loading', TIMEOUT, `export default () => null; for (;;);`],
    ['loop that catches', TIMEOUT, `for (;;) { try { for (;;); } catch {} finally { continue } }`],
    ['async loop', TIMEOUT, `for (;;) await 1`],
    [
      'microtask loop',
      TIMEOUT,
      `const again = () => { Promise.resolve().then(again) }; again(); await new Promise(() => {})`,
    ],
    ['promise that never settles', FAILED, `await new Promise(() => {})`],
    [
      'never settles while loading',
      FAILED,
      `export default () => null; await new Promise(() => {});`,
    ],
    ['catastrophic regular expression', TIMEOUT, `/^(a+)+$/.test('a'.repeat(40) + '!')`],
    ['native that cannot be interrupted', TIMEOUT, `new Array(1e9) + ''`],
    ['comparison function', TIMEOUT, `[2, 1].sort(() => { for (;;); })`],
    ['Atomics.wait', FAILED, `Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)`],
  ]);
});

describe('to take all memory or stack', () => {
  itEnds([
    ['arrays', FAILED, `const all = []; for (;;) all.push(new Array(1e4).fill(1))`],
    ['strings', FAILED, `let all = 'x'; for (;;) all += all + 'y'`],
    ['buffers', FAILED, `const all = []; for (;;) all.push(new ArrayBuffer(1e6))`],
    ['one huge string', FAILED, `'x'.repeat(2 ** 28).split('')`],
    ['one huge array', FAILED, `return new Uint8Array(2 ** 31 - 1).join()`],
    ['endless spread', FAILED, `function* g() { for (;;) yield 'xxxx' } return [...g()]`],
    ['deep recursion', FAILED, `const f = () => f() + 1; return f()`],
    ['deep recursion through a getter', FAILED, `const o = { get a() { return o.a } }; return o.a`],
    ['deep result', TIMEOUT, `let it = {}; for (let i = 0; i < 1e5; i++) it = { it }; return it`],
    ['deep parse', FAILED, `JSON.parse('['.repeat(1e6))`],
    ['deep regular expression', FAILED, `new RegExp('('.repeat(1e6))`],
    ['console flood', 'harmless', `for (let i = 0; i < 1e4; i++) console.log(i); return {}`],
    [
      'console of huge texts',
      'harmless',
      `for (let i = 0; i < 100; i++) console.log('x'.repeat(1e5)); return {}`,
    ],
  ]);
});
