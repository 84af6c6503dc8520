import { parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { CallOutcome, TransformCall, WorkerMessage } from './messages.ts';
import { QuickJsEngine, QuickJsVm } from '../quickjs/vm.ts';
import type { VmEnding } from '../quickjs/vm.ts';
import { KnownBundle } from './known-bundle.ts';

// Node strips the types of this file and its imports: only erasable syntax may be used here and in `quickjs/`.

/** Virtual machines that one thread keeps; each holds about three megabytes. */
const MAX_VMS = 8;

/** Counts in every place that could survive a call: the module, a global, a prototype. */
const PROBE_CODE = `let n = 0;
export function probe() {
  globalThis.n = (globalThis.n ?? 0) + 1;
  Object.prototype.n = (Object.prototype.n ?? 0) + 1;
  return [++n, globalThis.n, {}.n];
}`;
const UNTOUCHED = '[1,1,1]';
const PROBE: TransformCall = {
  id: 0,
  key: 'probe',
  exportName: 'probe',
  context: 'null',
  now: 0,
  limits: { timeoutMs: 10_000, memoryBytes: 8 * 1024 * 1024, resultBytes: 1024 },
};

/** One per bundle, the least recently used dropped first; after each call it is reset, or dropped when it cannot be. */
export class VmCache {
  readonly #engine: QuickJsEngine;
  /** Every bundle that ever came, by its key: the pool sends it once. */
  readonly #bundles = new Map<string, KnownBundle>();
  /** Reset and free; the order is the one in which they were last used. */
  readonly #ready = new Map<string, QuickJsVm>();
  #canReset = true;

  constructor(engine: QuickJsEngine) {
    this.#engine = engine;
  }

  /** Tries out whether a reset leaves nothing behind. If it does not, every call gets a new machine from now on. */
  async tryReset(): Promise<boolean> {
    const vm = await this.#engine.createVm(PROBE, PROBE_CODE);
    const isUntouched = (): boolean => {
      const outcome = vm instanceof QuickJsVm ? vm.run(PROBE) : vm;
      return outcome.kind === 'returned' && outcome.json === UNTOUCHED;
    };
    this.#canReset = vm instanceof QuickJsVm && isUntouched() && vm.reset() && isUntouched();
    return this.#canReset;
  }

  /** Does one call. The reset comes after the answer, so that nobody waits for it. */
  async run(call: TransformCall, answer: (outcome: CallOutcome) => void): Promise<void> {
    const bundle = this.#bundleOf(call);
    const summarized = (ending: VmEnding): CallOutcome => {
      if (ending.kind !== 'threw') return ending;
      const { stack: _stack, ...rest } = ending;
      return { ...rest, summary: bundle.summarize(ending) };
    };
    // A machine keeps the memory limit that it was made with.
    const name = `${call.key} ${call.limits.memoryBytes}`;
    const vm = this.#ready.get(name) ?? (await this.#engine.createVm(call, bundle.code));
    this.#ready.delete(name);
    if (!(vm instanceof QuickJsVm)) return answer(summarized(vm));
    answer(summarized(vm.run(call)));
    if (this.#canReset && vm.reset()) this.#keep(name, vm);
  }

  #bundleOf({ key, bundle }: TransformCall): KnownBundle {
    const known = this.#bundles.get(key);
    if (known !== undefined) return known;
    if (bundle === undefined) throw new Error('a call of a bundle that never came');
    const first = new KnownBundle(bundle.code, bundle.map);
    this.#bundles.set(key, first);
    return first;
  }

  #keep(name: string, vm: QuickJsVm): void {
    this.#ready.set(name, vm);
    const [oldest] = this.#ready.keys();
    if (this.#ready.size > MAX_VMS && oldest !== undefined) this.#ready.delete(oldest);
  }
}

async function serve(port: MessagePort): Promise<void> {
  const vms = new VmCache(await QuickJsEngine.load());
  const send = (message: WorkerMessage): void => port.postMessage(message, []);
  send({ type: 'ready', canReset: await vms.tryReset() });
  let last: Promise<void> = Promise.resolve();
  port.on('message', (call: TransformCall) => {
    last = last.then(() =>
      vms.run(call, (outcome) => send({ type: 'answer', id: call.id, outcome })),
    );
  });
}

// Null in a test that imports the cache.
if (parentPort !== null) await serve(parentPort);
