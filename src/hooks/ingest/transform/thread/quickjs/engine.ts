import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { QuickJS } from 'quickjs-wasi';
import type { Engine, Guest } from '../engine.ts';
import { QuickJsGuest } from './guest.ts';
import { GuestClock } from './guest-clock.ts';
import type { GuestCall, GuestOutcome } from '../messages.ts';

/** As far as the types of Node leave it out. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
};

const SUCCESS = 0;
const NANOSECONDS = 1_000_000n;

/** QuickJS in WebAssembly, compiled once per thread. Nothing outside of this folder knows of it. */
export class QuickJsEngine implements Engine {
  readonly #wasm: WebAssembly.Module;

  private constructor(wasm: WebAssembly.Module) {
    this.#wasm = wasm;
  }

  static async load(): Promise<QuickJsEngine> {
    const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
    return new QuickJsEngine(await WebAssembly.compile(await readFile(file)));
  }

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
    return new QuickJsGuest(vm, clock).load(call, code);
  }
}
