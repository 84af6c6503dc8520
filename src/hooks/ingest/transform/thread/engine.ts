import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { QuickJS } from 'quickjs-wasi';
import { Guest } from './guest.ts';
import { GuestClock } from './guest-clock.ts';
import type { GuestCall, GuestOutcome } from './messages.ts';

/** As far as the types of Node leave it out. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
};

const SUCCESS = 0;
const NANOSECONDS = 1_000_000n;

/** What makes guests: the JavaScript engine, compiled once per thread. With `guest.ts` all that knows it. */
export class Engine {
  readonly #wasm: WebAssembly.Module;

  private constructor(wasm: WebAssembly.Module) {
    this.#wasm = wasm;
  }

  static async load(): Promise<Engine> {
    const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
    return new Engine(await WebAssembly.compile(await readFile(file)));
  }

  /** A new guest with the bundle of `call` loaded into it, or what loading it ended with. */
  async open(call: GuestCall, code: string): Promise<Guest | GuestOutcome> {
    const clock = new GuestClock();
    const vm = await QuickJS.create({
      wasm: this.#wasm,
      memoryLimit: call.limits.memoryBytes,
      timezoneOffset: 0,
      interruptHandler: () => clock.isOver(),
      wasi: (memory: { readonly buffer: ArrayBuffer }) => ({
        clock_time_get: (_id: number, _precision: bigint, at: number) => {
          new DataView(memory.buffer).setBigUint64(at, BigInt(clock.now) * NANOSECONDS, true);
          return SUCCESS;
        },
        fd_write: (_fd: number, _list: number, _length: number, written: number) => {
          new DataView(memory.buffer).setUint32(written, 0, true);
          return SUCCESS;
        },
      }),
    });
    return new Guest(vm, clock).load(call, code);
  }
}
