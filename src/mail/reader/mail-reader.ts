import { Worker } from 'node:worker_threads';
import type { ParsedMail, ReadAnswer, ReadOrder } from './parsed-mail.ts';

/** Longest attempt to read one message, in milliseconds; a usual one takes a few. */
const LONGEST_READING_MS = 5_000;

/** Longest start of the thread, in milliseconds: its libraries are loaded then. */
const LONGEST_START_MS = 30_000;

/** Memory of the thread beside the message itself. */
const MEMORY_MB = 256;

/** The message could not be read: it broke the parser, took too long or too much memory. */
export class UnreadableMail extends Error {
  override readonly name = 'UnreadableMail';
}

/**
 * Reads messages in a thread of its own, one at a time: a hostile one costs that thread, at most ten seconds and a
 * bounded memory, never the process. The thread gets nothing of the environment.
 */
export class MailReader {
  #worker: Worker | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** @param longestMs longest reading of one message */
  constructor(private readonly longestMs = LONGEST_READING_MS) {}

  /** Starts the thread, so that the first message does not wait for it. */
  async warmUp(): Promise<void> {
    await this.#inTurn(() => this.#started());
  }

  /**
   * A message that took too long is tried once more: a busy machine is not its fault.
   * @throws UnreadableMail; Error when the thread does not start, which says nothing about the message
   */
  read(source: Uint8Array): Promise<ParsedMail> {
    return this.#inTurn(async () => {
      const first = await this.#attempt(source);
      const mail = first === 'ended' ? await this.#attempt(source) : first;
      if (typeof mail === 'string')
        throw new UnreadableMail(`the message cannot be read (${mail})`);
      return mail;
    });
  }

  async #attempt(source: Uint8Array): Promise<ParsedMail | 'refused' | 'ended'> {
    const worker = await this.#started();
    const answer = answerOf(worker, this.longestMs);
    worker.postMessage({ source } satisfies ReadOrder, []);
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Refused) return 'refused';
      await this.#end();
      return 'ended';
    }
  }

  async close(): Promise<void> {
    await this.#end();
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #started(): Promise<Worker> {
    if (this.#worker !== undefined) return this.#worker;
    const isSource = import.meta.url.endsWith('.ts');
    const { NODE_COMPILE_CACHE: cache } = process.env;
    const worker = new Worker(new URL(`./thread.${isSource ? 'ts' : 'js'}`, import.meta.url), {
      env: isSource && cache !== undefined ? { NODE_COMPILE_CACHE: cache } : {},
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
      await answerOf(worker, LONGEST_START_MS);
    } catch (error) {
      await this.#end();
      throw Object.assign(new Error('the reading thread does not start', { cause: error }), {
        code: 'READER_DOES_NOT_START',
      });
    }
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** The parser refused the message; the thread is fine. */
class Refused extends Error {}

/** The thread's next answer. */
function answerOf(worker: Worker, withinMs: number): Promise<ParsedMail> {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedMail>();
  const onMessage = (answer: ReadAnswer): void => {
    if (answer.kind === 'failed') reject(new Refused());
    else resolve(answer.kind === 'read' ? answer.mail : NOTHING);
  };
  const onEnd = (): void => reject(new Error('the thread ended'));
  const timer = setTimeout(() => reject(new Error('it took too long')), withinMs);
  worker.once('message', onMessage).once('error', reject).once('exit', onEnd);
  const settled = promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', onMessage).off('error', reject).off('exit', onEnd);
  });
  return settled;
}

const NOTHING: ParsedMail = {
  from: '',
  fromAddresses: [],
  to: '',
  subject: '',
  date: null,
  headers: {},
  text: '',
  isCut: false,
  attachments: [],
};
