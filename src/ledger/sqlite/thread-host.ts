import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../platform/thread-environment.ts';
import type { CallMap } from '../calls.ts';
import { CLOSE } from './protocol.ts';
import type { Group } from '../call-queue.ts';
import type {
  GroupAnswer,
  GroupHead,
  Handshake,
  Inventory,
  SqliteHost,
  ThreadData,
} from './protocol.ts';

/** Runs groups in a thread, which has a host of its own there (worker/worker.ts): one message each way. */
export class ThreadHost<C extends CallMap<C>> implements SqliteHost<C> {
  readonly found: Inventory | null;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #answer: PromiseWithResolvers<GroupAnswer> | null = null;
  #ended: Error | null = null;

  private constructor(worker: Worker, exited: Promise<unknown>, found: Inventory | null) {
    this.found = found;
    this.#worker = worker;
    this.#exited = exited;
    worker.on('message', (answer: GroupAnswer) => this.#settle(answer));
    worker.on('error', ({ message }: Error) =>
      this.#end(`the thread of the ledger broke: ${message}`),
    );
    // Only now its locks are free again.
    void exited.then(() => {
      this.#end('the thread of the ledger has ended');
      this.#answer?.reject(this.#ended);
    });
    worker.unref();
  }

  /** Resolves when the thread has opened the ledger. @throws Error which says why it cannot be used */
  static async begin<C extends CallMap<C>>(
    data: ThreadData,
    start: (data: ThreadData) => Worker = startThread,
  ): Promise<ThreadHost<C>> {
    const worker = start(data);
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const handshake = await new Promise<Handshake>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      // Comes after the message of a thread that says why it ends.
      worker.once('exit', () => resolve({ refusal: 'its thread has ended', found: null }));
    });
    if (handshake.refusal !== null) throw new Error(handshake.refusal);
    return new ThreadHost<C>(worker, exited, handshake.found);
  }

  run(group: Group<C> & GroupHead): Promise<GroupAnswer> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    this.#answer = Promise.withResolvers();
    // The process must not end while a caller waits for an answer.
    this.#worker.ref();
    this.#worker.postMessage(group, []);
    return this.#answer.promise;
  }

  async close(): Promise<void> {
    if (this.#ended === null) {
      this.#worker.ref();
      this.#worker.postMessage(CLOSE, []);
    }
    await this.#exited;
  }

  #settle(answer: GroupAnswer): void {
    this.#worker.unref();
    this.#answer?.resolve(answer);
    this.#answer = null;
  }

  #end(reason: string): void {
    this.#ended ??= new Error(reason);
  }
}

/** From the sources in tests, whose types Node strips (so only syntax that can be erased), else from the build. */
export function startThread(data: ThreadData): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  // Many of them start faster from the one file that test/jest/prepare.mjs makes of these sources.
  const sources = process.env['HOOKS_LEDGER_THREAD'] ?? './worker/worker.ts';
  const entry = new URL(isSource ? sources : './worker/worker.js', import.meta.url);
  const env = threadEnvironment(import.meta.url);
  return new Worker(entry, { workerData: data, env, execArgv: [], name: `ledger-${data.role}` });
}
