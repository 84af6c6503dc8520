import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock, EventStore, Refusals } from '../../hooks/index.ts';
import type { EventChanges } from '../../hooks/index.ts';
import { Refusal } from '../refusals.ts';
import { OperatorGuard } from './access/operator.guard.ts';

// Server-sent events while a page or command stands open. Both feeds work once for all; a reader that takes nothing for
// a minute is cut off.

const TOLD = 50;
/** Refusals are recorded no more often. */
const LOOKS_EVERY_MS = 1000;

/**
 * The newest refusals, told when they are others than before: one read of the ledger a second for all who listen,
 * whatever comes.
 */
@Injectable()
export class RefusalFeed {
  readonly #wakes = new Set<() => void>();
  #latest: string | null = null;
  #isLooking = false;
  #pause = new AbortController();

  constructor(
    private readonly refusals: Refusals,
    private readonly clock: Clock,
  ) {}

  /** Server-sent events `refusals`, the first at once, unless there are none. @param signal ends it */
  async *follow(signal: AbortSignal): AsyncGenerator<string, void> {
    let told: string | null = null;
    let wake = (): void => {};
    const wakeUp = (): void => wake();
    this.#wakes.add(wakeUp);
    signal.addEventListener('abort', wakeUp, { once: true });
    void this.#look();
    try {
      while (!signal.aborted) {
        if (this.#latest !== null && this.#latest !== told) {
          told = this.#latest;
          yield told;
        } else {
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
    } finally {
      this.#wakes.delete(wakeUp);
      if (this.#wakes.size === 0) this.#pause.abort();
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#wakes.size > 0) {
      // A ledger that cannot be read ends the stream of events, or can be read a second later.
      const found = await this.refusals.list({ limit: TOLD }).catch(() => null);
      if (found !== null && found.refusals.length > 0) {
        const data = JSON.stringify({ refusals: found.refusals });
        this.#latest = `event: refusals\ndata: ${data}\n\n`;
      }
      for (const wake of this.#wakes) wake();
      this.#pause = new AbortController();
      await this.clock.wait(LOOKS_EVERY_MS, this.#pause.signal);
    }
    this.#latest = null;
    this.#isLooking = false;
  }
}

/** Most streams at a time: each is a connection that stays, and is looked after. */
const MOST_STREAMS = 20;
/** A line goes out this often, so that nothing on the way takes the connection for dead. */
const SILENCE_MS = 15_000;
/** Whoever takes nothing for so long is cut off. */
const PATIENCE_MS = 60_000;
const STILL_HERE = ':\n\n';

interface WantedStream {
  /** Of the last message that came; undefined: from now on. */
  readonly mark: string | undefined;
  readonly withRefusals: boolean;
}

/**
 * Server-sent events. Nothing is queued for a reader: the next message tells of all that came meanwhile. Ends with what
 * let it in, and at a stop.
 */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  readonly #open = new Set<AbortController>();
  #isStopping = false;

  constructor(
    private readonly events: EventStore,
    private readonly refusals: RefusalFeed,
    private readonly guard: OperatorGuard,
    private readonly clock: Clock,
  ) {}

  /** @throws Refusal 503 too_many_streams, stopping */
  open(request: FastifyRequest, { raw }: FastifyReply, wanted: WantedStream): Readable {
    if (this.#isStopping) throw new Refusal('stopping');
    if (this.#open.size >= MOST_STREAMS) throw new Refusal('too_many_streams');
    const stop = new AbortController();
    this.#open.add(stop);
    stop.signal.addEventListener('abort', () => this.#open.delete(stop), { once: true });
    raw.once('close', () => stop.abort());
    const messages = this.#messages(request, wanted, stop.signal);
    return Readable.from(this.#patiently(messages, stop, () => raw.destroy()));
  }

  /** When all runs have ended, and before the server waits for its connections. */
  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    for (const stop of this.#open) stop.abort();
  }

  async *#patiently(
    messages: AsyncIterable<string>,
    stop: AbortController,
    cutOff: () => void,
  ): AsyncGenerator<string, void> {
    try {
      for await (const message of messages) {
        const taken = new AbortController();
        void this.clock.wait(PATIENCE_MS, taken.signal).then(() => {
          if (!taken.signal.aborted) cutOff();
        });
        yield message;
        taken.abort();
      }
    } finally {
      stop.abort();
    }
  }

  async *#messages(
    request: FastifyRequest,
    { mark, withRefusals }: WantedStream,
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    const changes = eventMessages(await this.events.follow(mark, signal));
    const feeds = withRefusals ? [changes, this.refusals.follow(signal)] : [changes];
    const messages = merged(feeds);
    let next = messages.next();
    // Whoever leaves while it is awaited never hears of its failure.
    next.catch(() => {});
    // Sends the head of the answer.
    yield STILL_HERE;
    while (!signal.aborted) {
      const news = await this.#inTime(next, signal);
      if (signal.aborted || !(await this.guard.stillHolds(request))) return;
      if (news?.done === true) return;
      yield news === null ? STILL_HERE : news.value;
      if (news !== null) {
        next = messages.next();
        next.catch(() => {});
      }
    }
  }

  /** Null: nothing happened for a while, or it is over. */
  async #inTime<T extends object>(next: Promise<T>, signal: AbortSignal): Promise<T | null> {
    const heard = new AbortController();
    const silence = this.clock.wait(SILENCE_MS, AbortSignal.any([signal, heard.signal]));
    try {
      return await Promise.race([next, silence.then(() => null)]);
    } finally {
      heard.abort();
    }
  }
}

/** JSON has no line breaks of its own, and marks are ours. */
async function* eventMessages(feed: AsyncIterable<EventChanges>): AsyncGenerator<string, void> {
  for await (const { events, more, mark } of feed) {
    yield `id: ${mark}\nevent: events\ndata: ${JSON.stringify({ events, more })}\n\n`;
  }
}

type Feed = AsyncIterator<string, void>;

type Settled = { readonly feed: Feed } & (
  { readonly result: IteratorResult<string, void> } | { readonly error: unknown }
);

/** What comes from any of them, in the order in which it comes: of each, one message is awaited. Ends with the first. */
async function* merged(feeds: readonly Feed[]): AsyncGenerator<string, void> {
  const settled: Settled[] = [];
  let wake = (): void => {};
  const pull = async (feed: Feed): Promise<void> => {
    settled.push(
      await feed.next().then(
        (result) => ({ feed, result }),
        (error: unknown) => ({ feed, error }),
      ),
    );
    wake();
  };
  for (const feed of feeds) void pull(feed);
  for (;;) {
    const first = settled.shift();
    if (first === undefined) {
      await new Promise<void>((resolve) => (wake = resolve));
      continue;
    }
    if ('error' in first) throw first.error;
    if (first.result.done === true) return;
    yield first.result.value;
    void pull(first.feed);
  }
}
