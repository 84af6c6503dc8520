import type { Clock, EventSummary } from '../../hooks/index.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { isPassing } from '../service/service-answers.ts';
import { hasEnded } from './event-outcome.ts';

/** From one attempt to be told again to the next. */
const STEP_MS = 500;
const PAGE = 200;

/** Most pages of new events that are read at a time; of more, the oldest are not reported. */
const MOST_PAGES = 25;

/** Most open events, beyond the newest page, that are asked after at a time. */
const MOST_ASKED = 20;

// What the stream did not tell one by one is read from the list; events that had not ended before a break are asked
// after one by one once newer ones have pushed them off the newest page.

export interface Followed {
  readonly hook?: string;
  /** How many of the newest events are reported before new ones. */
  readonly last: number;
}

export interface TailListener {
  earlier(event: EventSummary): void;
  /** A new event, or one whose status changed; in the order in which that happened, after a gap in that of acceptance. */
  event(event: EventSummary): void;
  /** The service fell silent (a restart?), or answers again. */
  silence(isSilent: boolean): void;
  /** More new events came at a time than are read; the oldest of them are not reported. */
  gap(): void;
}

type Service = Pick<ServiceClient, 'events' | 'event' | 'follow' | 'signal'>;

/** Follows new events and their states; a restart of the service is only a silence. */
export class EventTail {
  readonly #service: Service;
  readonly #followed: Followed;
  readonly #listener: TailListener;
  /** The newest events that were seen, by id: what is listed before them is new. */
  #newest: ReadonlyMap<string, EventSummary> = new Map();
  readonly #open = new Map<string, EventSummary>();
  #isSilent = false;

  constructor(service: Service, followed: Followed, listener: TailListener) {
    this.#service = service;
    this.#followed = followed;
    this.#listener = listener;
  }

  /** Follows until the service's signal aborts. @throws ServiceUnreachable, ServiceRefusal when it cannot begin. */
  async follow(clock: Clock): Promise<void> {
    let mark: string | undefined;
    while (!this.#isOver) {
      try {
        let isFirst = true;
        for await (const told of this.#service.follow(mark)) {
          // What is listed after the first message came is complete together with the later ones.
          if (mark === undefined) await this.#begin();
          else if (isFirst || told.more > 0) await this.#catchUp();
          else this.#hear(told.events);
          ({ mark } = told);
          isFirst = false;
        }
      } catch (error) {
        if (this.#isOver) return;
        if (mark === undefined || !isPassing(error)) throw error;
      }
      if (this.#isOver) return;
      this.#setSilent(true);
      await clock.wait(STEP_MS, this.#service.signal);
    }
  }

  get #isOver(): boolean {
    return this.#service.signal?.aborted === true;
  }

  async #begin(): Promise<void> {
    const { events } = await this.#page();
    const reported = new Set(events.slice(0, this.#followed.last));
    for (const event of events.toReversed()) {
      if (reported.has(event)) this.#listener.earlier(event);
      this.#keep(event);
    }
    this.#remember(events);
  }

  #hear(events: readonly EventSummary[]): void {
    this.#setSilent(false);
    const { hook } = this.#followed;
    for (const event of events.toReversed()) {
      if (hook !== undefined && event.hook !== hook) continue;
      const before = this.#open.get(event.id) ?? this.#newest.get(event.id);
      if (before?.status !== event.status) this.#listener.event(event);
      this.#keep(event);
      this.#remember([event]);
    }
  }

  async #catchUp(): Promise<void> {
    const seen = await this.#sinceNewest();
    const found = seen.findIndex(({ id }) => this.#newest.has(id));
    const fresh = new Set(found === -1 ? seen : seen.slice(0, found));
    const unseen = [...this.#open.keys()].filter((id) => !seen.some((event) => event.id === id));
    const asked = await Promise.all(unseen.slice(0, MOST_ASKED).map((id) => this.#ask(id)));
    this.#setSilent(false);
    for (const event of [...asked.filter((it) => it !== null), ...seen.toReversed()]) {
      // One that had ended is begun again by a retry.
      const before = this.#open.get(event.id) ?? this.#newest.get(event.id);
      if (before === undefined && !fresh.has(event)) continue;
      if (before?.status !== event.status) this.#listener.event(event);
      this.#keep(event);
    }
    this.#remember(seen);
  }

  /** Pages, newest first, until one that holds an event that was reported; at least one page. */
  async #sinceNewest(): Promise<EventSummary[]> {
    const seen: EventSummary[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { events, nextCursor } = await this.#page(cursor);
      seen.push(...events);
      const isAll = nextCursor === null || events.some(({ id }) => this.#newest.has(id));
      if (isAll) return seen;
      cursor = nextCursor;
    }
    this.#listener.gap();
    return seen;
  }

  /** Null: it was forgotten meanwhile. What was asked after comes last the next time, so that all have their turn. */
  async #ask(id: string): Promise<EventSummary | null> {
    const kept = this.#open.get(id);
    this.#open.delete(id);
    if (kept !== undefined) this.#open.set(id, kept);
    const event = await this.#service.event(id).catch((error: unknown) => {
      if (isPassing(error) || this.#isOver) throw error;
      return null;
    });
    if (event === null) this.#open.delete(id);
    return event && toSummary(event);
  }

  #page(cursor?: string): ReturnType<Service['events']> {
    const { hook } = this.#followed;
    return this.#service.events({ hook, cursor, limit: PAGE });
  }

  /** @param seen the newest first */
  #remember(seen: readonly EventSummary[]): void {
    const known = new Map(seen.map((event) => [event.id, event]));
    const others = [...this.#newest.values()].filter(({ id }) => !known.has(id));
    const newest = [...known.values(), ...others]
      .toSorted((a, b) => Number(a.receivedAt < b.receivedAt) - Number(a.receivedAt > b.receivedAt))
      .slice(0, PAGE);
    this.#newest = new Map(newest.map((event) => [event.id, event]));
  }

  #keep(event: EventSummary): void {
    if (hasEnded(event)) this.#open.delete(event.id);
    else this.#open.set(event.id, event);
  }

  #setSilent(isSilent: boolean): void {
    if (this.#isSilent !== isSilent) this.#listener.silence(isSilent);
    this.#isSilent = isSilent;
  }
}

/** What a list says of it: no payload, no prompt. */
function toSummary(details: EventSummary): EventSummary {
  const { id, hook, status, receivedAt, mapping, headline, error } = details;
  const { waitReason, agentId, channel } = details;
  return { id, hook, status, receivedAt, mapping, headline, error, waitReason, agentId, channel };
}
