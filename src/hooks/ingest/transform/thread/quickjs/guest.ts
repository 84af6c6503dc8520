import { EvalFlags } from 'quickjs-wasi';
import type { JSValueHandle, QuickJS, Snapshot } from 'quickjs-wasi';
import { GUEST_BOOT, MAX_CONSOLE_CHARS, MAX_CONSOLE_LINES } from './guest-boot.ts';
import type { GuestClock } from './guest-clock.ts';
import type { Guest } from '../engine.ts';
import type { GuestCall, GuestOutcome } from '../messages.ts';

// Uses the engine's own internals to put a guest back, by overwriting its whole memory, to how it was after its bundle
// had loaded: package.json pins the version, `tryReset` in guests.ts tries it out at the start of every thread.

/** Name under which errors of the guest show its bundle. */
export const BUNDLE_FILE = 'transform.js';

/** Memory that is claimed before the picture is taken, so that ordinary calls need not grow it. */
const SLACK_BYTES = 1024 * 1024;
const PENDING = 0;
const FULFILLED = 1;

type Thrown = Omit<Extract<GuestOutcome, { kind: 'threw' }>, 'console'>;
type Ending = { readonly kind: 'returned'; readonly json?: string } | Thrown | { kind: 'timeout' };

/** Where a value of the guest lies in its memory. */
type Pointer = number;

/** What is no value but an end, on its way out of the machine. */
class Ended {
  readonly how: Ending;

  constructor(how: Ending) {
    this.how = how;
  }
}

/** A guest of QuickJS; all of its memory is one block, which makes it cheap to put back. */
export class QuickJsGuest implements Guest {
  readonly #vm: QuickJS;
  /** What the engine exports: pointers in, pointers out. */
  readonly #engine: ReturnType<QuickJS['_getExports']>;
  readonly #clock: GuestClock;
  readonly #start: JSValueHandle;
  readonly #describe: JSValueHandle;
  #transform: JSValueHandle;
  #console: string[] = [];
  #picture: Snapshot | null = null;
  #isBroken = false;

  constructor(vm: QuickJS, clock: GuestClock) {
    this.#vm = vm;
    // oxlint-disable-next-line no-underscore-dangle
    this.#engine = vm._getExports();
    this.#clock = clock;
    const log = vm.newFunction('log', (text) => this.#quietly(() => this.#log(text)));
    const random = vm.newFunction('random', () => this.#quietly(() => vm.newNumber(Math.random())));
    const boot = vm.evalCode(GUEST_BOOT, 'boot.js');
    const calls = vm.callFunction(boot, vm.undefined, log, random);
    this.#start = calls.getProp('start');
    this.#describe = calls.getProp('describe');
    this.#transform = vm.undefined;
  }

  /** Runs the bundle's own code and takes the picture that {@link reset} goes back to. */
  load({ now, limits, exportName }: GuestCall, code: string): QuickJsGuest | GuestOutcome {
    this.#clock.start(now, limits.timeoutMs);
    const ending = this.#ending(() => {
      const evaluated = this.#vm.evalCode(code, BUNDLE_FILE, EvalFlags.TYPE_MODULE);
      this.#vm.importHandle(this.#settle(evaluated.ptr)).consume((exported) => {
        this.#transform = exported.getProp(exportName);
      });
      if (!this.#transform.isFunction) throw new Ended(broke(`${exportName} is not a function`));
      return { kind: 'returned' };
    });
    if (ending.kind !== 'returned') return { ...ending, console: this.#console };
    this.#engine.wasm_free(this.#engine.wasm_malloc(SLACK_BYTES));
    this.#picture = this.#vm.snapshot();
    return this;
  }

  run({ context, now, limits }: GuestCall): GuestOutcome {
    this.#console = [];
    this.#clock.start(now, limits.timeoutMs);
    const ending = this.#ending(() => {
      const given = this.#vm.newString(context);
      if (this.#engine.qjs_is_exception(given.ptr) !== 0)
        return broke('the payload does not fit into memoryMb');
      const max = this.#vm.newNumber(limits.resultBytes);
      const settled = this.#settle(this.#call(this.#start, [this.#transform, given, max]));
      if (this.#engine.qjs_is_undefined(settled) !== 0) return { kind: 'returned' };
      const json = this.#text(settled);
      if (Buffer.byteLength(json) > limits.resultBytes) return broke('the result is too large');
      return { kind: 'returned', json };
    });
    return { ...ending, console: this.#console };
  }

  reset(): boolean {
    const { memory, __stack_pointer: stack } = this.#engine;
    const picture = this.#picture;
    if (this.#isBroken || picture === null) return false;
    if (memory.buffer.byteLength !== picture.memory.byteLength) return false;
    new Uint8Array(memory.buffer).set(picture.memory);
    this.#engine.qjs_set_runtime_and_context(picture.runtimePtr, picture.contextPtr);
    stack.value = picture.stackPointer;
    return true;
  }

  /** An error of ours would enter the guest with our stack, places of the machine included. */
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

  /** Whatever happens inside is an ending; a trap of the machine itself spoils it. */
  #ending(act: () => Ending): Ending {
    try {
      const ending = act();
      return this.#clock.isOver() ? { kind: 'timeout' } : ending;
    } catch (error) {
      if (error instanceof Ended) return this.#clock.wasOver ? { kind: 'timeout' } : error.how;
      this.#isBroken = true;
      return this.#clock.isOver() ? { kind: 'timeout' } : broke('the memory or the stack ran out');
    }
  }

  /** Lets the guest go on until the promise is settled, and no further. */
  #settle(promise: Pointer): Pointer {
    const engine = this.#engine;
    while (engine.qjs_promise_state(promise) === PENDING) {
      if (this.#clock.isOver()) throw new Ended({ kind: 'timeout' });
      if (engine.qjs_is_job_pending() === 0) {
        throw new Ended(broke('the transform waits for something that never comes'));
      }
      if (engine.qjs_execute_pending_job() < 0) throw this.#thrown(engine.qjs_get_exception());
    }
    const value = engine.qjs_promise_result(promise);
    if (engine.qjs_promise_state(promise) === FULFILLED) return value;
    throw this.#thrown(value);
  }

  #thrown(error: Pointer): Ended {
    if (this.#clock.wasOver) return new Ended({ kind: 'timeout' });
    const described = this.#call(this.#describe, [this.#vm.importHandle(error)]);
    const { name, message, stack }: Thrown = JSON.parse(this.#text(described));
    return new Ended({ kind: 'threw', name, message, stack });
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
    throw new Ended(broke('the error cannot be described'));
  }

  #text(value: Pointer): string {
    return this.#vm.importHandle(value).toString();
  }
}

function broke(message: string): Thrown {
  return { kind: 'threw', name: 'Error', message, stack: '' };
}
