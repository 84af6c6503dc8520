import type { ClientHttp2Session } from 'node:http2';
import { LONGEST_RELAYED_MS } from '../../hooks/index.ts';
import type { Clock } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';
import { getText, parseJson } from '../../platform/objects.ts';
import { backoffMs, parseRetryAfter } from '../../platform/time.ts';
import { asShortLine } from '../foreign-text.ts';
import type { KeptContent, KeptRequest, KeptRequests } from './kept-requests.ts';
import { answerOn, headerOf, openStream } from './wire.ts';

const BACKOFF = { firstMs: 1000, maxMs: 30_000, jitter: 0.25 };
/** Longest that the service may take for one. */
const ANSWER_MS = 60_000;
/** Of an answer that is only told of. */
const MOST_OF_ANSWER = 16_384;
/** Nothing is due: somebody may have set the clock, and what is too old is given up. */
const IDLE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** An answer as far as it matters here. */
interface Said {
  readonly status: number;
  readonly code: string | undefined;
  /** The event as which the service keeps what it could not do. */
  readonly eventId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** Of a request that has to be tried again. */
interface Failure {
  readonly times: number;
  /** By {@link Clock.elapsed}. */
  readonly due: number;
  /** Whether its client's later ones wait for it. */
  readonly holds: boolean;
}

/**
 * Hands on what was kept, one after the other in the order it came, until the listener has answered it. What cannot be
 * taken now holds up those of the same client and nobody else: strangers are kept beside senders.
 */
export class HandingOn {
  readonly #failures = new Map<KeptRequest, Failure>();
  #nap = new AbortController();

  constructor(
    private readonly kept: KeptRequests,
    /** Undefined while there is none. */
    private readonly listener: () => ClientHttp2Session | undefined,
    private readonly clock: Clock,
    private readonly tell: (line: string) => void,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#nap = new AbortController();
      const listener = this.listener();
      const next = listener && this.#next();
      if (listener !== undefined && next !== undefined) await this.#handOn(next, listener);
      else {
        const ms = listener === undefined ? IDLE_MS : this.#idleMs();
        await this.clock.wait(ms, AbortSignal.any([signal, this.#nap.signal]));
      }
    }
  }

  /** One more is kept. */
  wake(): void {
    this.#nap.abort();
  }

  /** Another listener is there: nothing waits for its next try. */
  startOver(): void {
    this.#failures.clear();
    this.wake();
  }

  /** Whether a request of this client would overtake another. */
  holdsUp(client: string): boolean {
    return this.kept.waiting.some(
      (one) => one.client === client && this.#failures.get(one)?.holds !== false,
    );
  }

  #next(): KeptRequest | undefined {
    const now = this.clock.elapsed();
    const held = new Set<string>();
    return this.kept.waiting.find((one) => {
      const failure = this.#failures.get(one);
      if (held.has(one.client)) return false;
      if (failure === undefined || failure.due <= now) return true;
      if (failure.holds) held.add(one.client);
      return false;
    });
  }

  #idleMs(): number {
    const now = this.clock.elapsed();
    // What is due and was not found waits for another one of its client.
    const waits = [...this.#failures.values()].map(({ due }) => due - now).filter((ms) => ms > 0);
    return Math.min(IDLE_MS, ...waits);
  }

  async #handOn(one: KeptRequest, listener: ClientHttp2Session): Promise<void> {
    const content = await this.kept.read(one).catch((error: unknown) => {
      this.tell(`${one.name} can no longer be read (${errorCode(error)}) and stays where it is`);
      this.#failures.delete(one);
      this.kept.forget(one);
    });
    if (content === undefined) return;
    const keptMs = Math.max(0, this.clock.now() - content.receivedAt);
    if (keptMs > LONGEST_RELAYED_MS)
      return this.#giveUp(one, content, 'nobody took it in 72 hours');
    const said = await ask(listener, content, { id: one.id, keptMs }).catch(() => undefined);
    if (said === undefined || isForLater(said)) return this.#postpone(one, said);
    if (said.status < 400) return this.#remove(one);
    const { status, code = '', eventId } = said;
    if (eventId === undefined) return this.#giveUp(one, content, `refused: ${status} ${code}`);
    return this.#giveUp(
      one,
      content,
      `failed: ${status} ${code}; the service keeps it: ${eventId}`,
    );
  }

  #postpone(one: KeptRequest, said: Said | undefined): void {
    const times = (this.#failures.get(one)?.times ?? 0) + 1;
    const ms = Math.max(backoffMs(BACKOFF, times - 1), said?.retryAfterMs ?? 0);
    const due = this.clock.elapsed() + Math.min(ms, BACKOFF.maxMs);
    // What breaks at this one alone says nothing of the next.
    const holds = said === undefined || said.status < 500 || said.status === 503;
    this.#failures.set(one, { times, due, holds });
  }

  async #giveUp(one: KeptRequest, { head, receivedAt }: KeptContent, why: string): Promise<void> {
    const hours = Math.floor((this.clock.now() - receivedAt) / HOUR_MS);
    const since = hours < 1 ? '' : `, kept for ${hours} h,`;
    const target = asShortLine(head.target, 200);
    this.tell(`${target} from ${head.address}${since} is dropped; ${asShortLine(why, 200)}`);
    await this.#remove(one);
  }

  async #remove(one: KeptRequest): Promise<void> {
    this.#failures.delete(one);
    await this.kept.remove(one).catch((error: unknown) => {
      this.tell(`${one.name} is done and cannot be removed (${errorCode(error)})`);
    });
    if (this.kept.count === 0) this.tell('nothing is kept any more');
  }
}

/** Tried again: 408, 429, and any 5xx unless the service keeps the event as failed, to be replayed there. */
function isForLater({ status, eventId }: Said): boolean {
  if (status >= 500) return eventId === undefined;
  return status === 408 || status === 429;
}

/** @throws Error where no answer came */
async function ask(
  listener: ClientHttp2Session,
  { head, body }: KeptContent,
  receipt: { readonly id: string; readonly keptMs: number },
): Promise<Said> {
  const stream = openStream(listener, { ...head, receipt }, body.length === 0);
  stream.on('error', () => undefined);
  stream.setTimeout(ANSWER_MS, () => stream.destroy());
  try {
    if (body.length > 0) stream.end(body);
    const { status, headers } = await answerOn(stream);
    let text = '';
    for await (const chunk of stream) if (text.length < MOST_OF_ANSWER) text += String(chunk);
    const json = parseJson(text);
    return {
      status,
      code: getText(json, 'code'),
      eventId: getText(json, 'eventId'),
      retryAfterMs: parseRetryAfter(headerOf(headers, 'retry-after'), Date.now()),
    };
  } finally {
    stream.destroy();
  }
}
