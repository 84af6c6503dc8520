import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../platform/thread-environment.ts';
import type { ParsedMail, ReadContext, ReadRequest, ThreadMessage } from './parsed-mail.ts';

/** Longest attempt to read one message, in milliseconds; a usual one takes a few. */
const READ_TIMEOUT_MS = 5_000;

/** Longest start of the thread, in milliseconds: its libraries are loaded then. */
const START_TIMEOUT_MS = 30_000;

/** Memory of the thread beside the message itself. */
const MEMORY_MB = 256;

/** A source file starts the thread from its source, a built one from what was built. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(`./thread.${IS_SOURCE ? 'ts' : 'js'}`, import.meta.url);

/** The message could not be read: it broke the parser, took too long or too much memory. */
export class UnreadableMail extends Error {
  override readonly name = 'UnreadableMail';
}

/** A library that reads mail is not installed. The message says what to install. */
export class ReaderPackageError extends Error {
  override readonly name = 'ReaderPackageError';
}

/** A thread without the environment, for one message at a time: a hostile one costs ten seconds, never the process. */
export class MailReader {
  #worker: Worker | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly timeoutMs = READ_TIMEOUT_MS,
    private readonly thread = THREAD,
  ) {}

  /** Starts the thread, so that the first message does not wait for it. @throws as {@link read} */
  async warmUp(): Promise<void> {
    await this.#enqueue(() => this.#start());
  }

  /** One that took too long is tried once more. @throws UnreadableMail; another error when the thread does not start */
  read(source: Uint8Array, { charset, authservId }: ReadContext): Promise<ParsedMail> {
    const request = { source, charset, authservId };
    return this.#enqueue(async () => {
      const first = await this.#attempt(request);
      const mail = first === 'ended' ? await this.#attempt(request) : first;
      if (typeof mail === 'string') {
        throw new UnreadableMail(`the message cannot be read (${mail})`);
      }
      return mail;
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #attempt(request: ReadRequest): Promise<ParsedMail | 'refused' | 'ended'> {
    const worker = await this.#start();
    const answer = nextMessage(worker, this.timeoutMs);
    worker.postMessage(request, []);
    try {
      const message = await answer;
      return message.kind === 'read' ? message.mail : 'refused';
    } catch {
      await this.close();
      return 'ended';
    }
  }

  #enqueue<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #start(): Promise<Worker> {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.thread, {
      env: threadEnvironment(import.meta.url),
      execArgv: [],
      name: 'mail-reader',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.unref();
    // A thread that dies between two messages is started again for the next.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    try {
      const message = await nextMessage(worker, START_TIMEOUT_MS);
      if (message.kind === 'missing-package') throw new ReaderPackageError(message.reason);
      return worker;
    } catch (error) {
      await this.close();
      if (error instanceof ReaderPackageError) throw error;
      throw Object.assign(new Error('the reading thread does not start', { cause: error }), {
        code: 'READER_DOES_NOT_START',
      });
    }
  }
}

/** What the thread says next. @throws when it ends, fails or says nothing in time */
function nextMessage(worker: Worker, timeoutMs: number): Promise<ThreadMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadMessage>();
  const onExit = (): void => reject(new Error('the thread ended'));
  const timer = setTimeout(() => reject(new Error('it took too long')), timeoutMs);
  worker.once('message', resolve).once('error', reject).once('exit', onExit);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', reject).off('exit', onExit);
  });
}
