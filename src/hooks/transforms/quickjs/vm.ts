import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { EvalFlags, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle, Snapshot } from 'quickjs-wasi';
import type { ThrownError } from '../worker/known-bundle.ts';
import type { TransformCall } from '../worker/messages.ts';
import { BOOT_CODE, MAX_CONSOLE_CHARS, MAX_CONSOLE_LINES } from './boot.ts';

// A snapshot of a machine's one block of memory is taken after the bundle was loaded, and written over it after each
// call. That uses internals of the engine: package.json pins its version, and `tryReset` in worker.ts tries it out.

/** As far as the types of Node leave it out. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
};

const SUCCESS = 0;
const NANOSECONDS_PER_MS = 1_000_000n;

/** Name under which stacks of the transform show its bundle. */
const BUNDLE_FILE = 'transform.js';

/** Memory that is claimed before the snapshot is taken, so that ordinary calls need not grow it: grown memory cannot be reset. */
const SLACK_BYTES = 1024 * 1024;
/** States of a promise, as the engine numbers them. */
const PENDING = 0;
const FULFILLED = 1;

type Thrown = { readonly kind: 'threw' } & ThrownError;
type Ending = { readonly kind: 'returned'; readonly json?: string } | Thrown | { kind: 'timeout' };
export type VmEnding = Ending & { readonly console: readonly string[] };

type Pointer = number;

/** Thrown within this file to end a call early. */
class EarlyEnding {
  readonly ending: Ending;

  constructor(ending: Ending) {
    this.ending = ending;
  }
}

/** The time inside stands still at the request's; the host's own runs on until the deadline. */
class VmClock {
  /** Epoch milliseconds that `Date.now()` gives inside. */
  now = 0;
  #deadline = Infinity;
  #wasOver = false;

  start(now: number, timeoutMs: number): void {
    this.now = Math.trunc(now);
    this.#deadline = performance.now() + timeoutMs;
    this.#wasOver = false;
  }

  /** True once the deadline was seen to pass: what comes out of the machine afterwards is no answer. */
  get wasOver(): boolean {
    return this.#wasOver;
  }

  isOver(): boolean {
    this.#wasOver ||= performance.now() > this.#deadline;
    return this.#wasOver;
  }
}

export class QuickJsVm {
  readonly #vm: QuickJS;
  readonly #engine: ReturnType<QuickJS['_getExports']>;
  readonly #clock: VmClock;
  readonly #start: JSValueHandle;
  readonly #describe: JSValueHandle;
  #transform: JSValueHandle;
  #console: string[] = [];
  #snapshot: Snapshot | null = null;
  #isBroken = false;

  constructor(vm: QuickJS, clock: VmClock) {
    this.#vm = vm;
    // oxlint-disable-next-line no-underscore-dangle
    this.#engine = vm._getExports();
    this.#clock = clock;
    const log = vm.newFunction('log', (text) => this.#quietly(() => this.#log(text)));
    const random = vm.newFunction('random', () => this.#quietly(() => vm.newNumber(Math.random())));
    const boot = vm.evalCode(BOOT_CODE, 'boot.js');
    const calls = vm.callFunction(boot, vm.undefined, log, random);
    this.#start = calls.getProp('start');
    this.#describe = calls.getProp('describe');
    this.#transform = vm.undefined;
  }

  /** Runs the bundle's own code and takes the snapshot that {@link reset} goes back to. */
  load({ now, limits, exportName }: TransformCall, code: string): QuickJsVm | VmEnding {
    this.#clock.start(now, limits.timeoutMs);
    const ending = this.#toEnding(() => {
      const evaluated = this.#vm.evalCode(code, BUNDLE_FILE, EvalFlags.TYPE_MODULE);
      this.#vm.importHandle(this.#settle(evaluated.ptr)).consume((exported) => {
        this.#transform = exported.getProp(exportName);
      });
      if (!this.#transform.isFunction)
        throw new EarlyEnding(toThrown(`${exportName} is not a function`));
      return { kind: 'returned' };
    });
    if (ending.kind !== 'returned') return { ...ending, console: this.#console };
    this.#engine.wasm_free(this.#engine.wasm_malloc(SLACK_BYTES));
    this.#snapshot = this.#vm.snapshot();
    return this;
  }

  /** Calls the transform. The machine is dirty afterwards, whatever came of it. */
  run({ context, now, limits }: TransformCall): VmEnding {
    this.#console = [];
    this.#clock.start(now, limits.timeoutMs);
    const ending = this.#toEnding(() => {
      const given = this.#vm.newString(context);
      if (this.#engine.qjs_is_exception(given.ptr) !== 0)
        return toThrown('the payload does not fit into memoryMb');
      const max = this.#vm.newNumber(limits.resultBytes);
      const settled = this.#settle(this.#call(this.#start, [this.#transform, given, max]));
      if (this.#engine.qjs_is_undefined(settled) !== 0) return { kind: 'returned' };
      const json = this.#text(settled);
      if (Buffer.byteLength(json) > limits.resultBytes) return toThrown('the result is too large');
      return { kind: 'returned', json };
    });
    return { ...ending, console: this.#console };
  }

  /** Back to the moment after loading. @returns false when that cannot be done: the machine is to be thrown away. */
  reset(): boolean {
    const { memory, __stack_pointer: stack } = this.#engine;
    const snapshot = this.#snapshot;
    if (this.#isBroken || snapshot === null) return false;
    if (memory.buffer.byteLength !== snapshot.memory.byteLength) return false;
    new Uint8Array(memory.buffer).set(snapshot.memory);
    this.#engine.qjs_set_runtime_and_context(snapshot.runtimePtr, snapshot.contextPtr);
    stack.value = snapshot.stackPointer;
    return true;
  }

  /** An error of ours would enter the machine with our stack, paths of the host included. */
  #quietly(act: () => JSValueHandle): JSValueHandle {
    try {
      return act();
    } catch {
      this.#isBroken = true;
      return this.#vm.undefined;
    }
  }

  #log(text: JSValueHandle | undefined): JSValueHandle {
    if (text !== undefined && this.#console.length < MAX_CONSOLE_LINES) {
      this.#console.push(text.toString().slice(0, MAX_CONSOLE_CHARS));
    }
    return this.#vm.undefined;
  }

  /** Whatever happens inside is an ending; after a trap of the engine itself the machine is of no more use. */
  #toEnding(act: () => Ending): Ending {
    try {
      const ending = act();
      return this.#clock.isOver() ? { kind: 'timeout' } : ending;
    } catch (error) {
      if (error instanceof EarlyEnding)
        return this.#clock.wasOver ? { kind: 'timeout' } : error.ending;
      this.#isBroken = true;
      return this.#clock.isOver()
        ? { kind: 'timeout' }
        : toThrown('the memory or the stack ran out');
    }
  }

  /** Runs the jobs of the machine until the promise is settled, and no further. */
  #settle(promise: Pointer): Pointer {
    const engine = this.#engine;
    while (engine.qjs_promise_state(promise) === PENDING) {
      if (this.#clock.isOver()) throw new EarlyEnding({ kind: 'timeout' });
      if (engine.qjs_is_job_pending() === 0) {
        throw new EarlyEnding(toThrown('the transform waits for something that never comes'));
      }
      if (engine.qjs_execute_pending_job() < 0) throw this.#thrown(engine.qjs_get_exception());
    }
    const value = engine.qjs_promise_result(promise);
    if (engine.qjs_promise_state(promise) === FULFILLED) return value;
    throw this.#thrown(value);
  }

  #thrown(error: Pointer): EarlyEnding {
    if (this.#clock.wasOver) return new EarlyEnding({ kind: 'timeout' });
    const described = this.#call(this.#describe, [this.#vm.importHandle(error)]);
    const { name, message, stack }: Thrown = JSON.parse(this.#text(described));
    return new EarlyEnding({ kind: 'threw', name, message, stack });
  }

  /** Nothing is freed here: {@link reset} takes back all of it at once. */
  #call(called: JSValueHandle, args: readonly JSValueHandle[]): Pointer {
    const engine = this.#engine;
    const list = engine.wasm_malloc(args.length * 4);
    if (list === 0) throw new Error('no memory for a call');
    const view = new DataView(engine.memory.buffer);
    for (const [index, arg] of args.entries()) view.setUint32(list + index * 4, arg.ptr, true);
    const result = engine.qjs_call(called.ptr, this.#vm.undefined.ptr, args.length, list);
    if (engine.qjs_is_exception(result) === 0) return result;
    throw new EarlyEnding(toThrown('the error cannot be described'));
  }

  #text(value: Pointer): string {
    return this.#vm.importHandle(value).toString();
  }
}

function toThrown(message: string): Thrown {
  return { kind: 'threw', name: 'Error', message, stack: '' };
}

/** Of the host a machine is given a clock, which stands still, and an output that discards what is written. */
export class QuickJsEngine {
  readonly #wasm: WebAssembly.Module;

  private constructor(wasm: WebAssembly.Module) {
    this.#wasm = wasm;
  }

  static async load(): Promise<QuickJsEngine> {
    const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
    return new QuickJsEngine(await WebAssembly.compile(await readFile(file)));
  }

  async createVm(call: TransformCall, code: string): Promise<QuickJsVm | VmEnding> {
    const clock = new VmClock();
    const vm = await QuickJS.create({
      wasm: this.#wasm,
      memoryLimit: call.limits.memoryBytes,
      timezoneOffset: 0,
      interruptHandler: () => clock.isOver(),
      wasi: (memory: { readonly buffer: ArrayBuffer }) => ({
        clock_time_get: (_id: number, _precision: bigint, at: number) => {
          const now = BigInt(clock.now) * NANOSECONDS_PER_MS;
          new DataView(memory.buffer).setBigUint64(at, now, true);
          return SUCCESS;
        },
        fd_write: (_fd: number, _list: number, _length: number, written: number) => {
          new DataView(memory.buffer).setUint32(written, 0, true);
          return SUCCESS;
        },
      }),
    });
    return new QuickJsVm(vm, clock).load(call, code);
  }
}
