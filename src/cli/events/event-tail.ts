import type { Clock, EventSummary } from '../../hooks/index.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { isPassing } from '../service/service-errors.ts';
import { hasEnded } from './event-outcome.ts';

const STEP_MS = 500;
const PAGE = 200;

/** Most pages of new events that are read at a time; of more, the oldest are not reported. */
const MOST_PAGES = 25;

/** Most open events, beyond the newest page, that are asked after at a time. */
const MOST_ASKED = 20;

/*
 * Following events without a push from the service: the newest page is read every half second, and events that had not
 * ended are asked after one by one once newer ones have pushed them off that page.
 */

/** What is followed. */
export interface Followed {
  /** Only events of this hook. */
  readonly hook?: string;
  /** How many of the newest events are reported before new ones. */
  readonly last: number;
}

/** What a tail reports to. */
export interface TailListener {
  /** An event that was there before the tail began. */
  earlier(event: EventSummary): void;
  /** A new event, or one whose status changed; in order of acceptance. */
  event(event: EventSummary): void;
  /** The service fell silent (a restart?), or answers again. */
  silence(isSilent: boolean): void;
  /** More new events came at a time than are read; the oldest of them are not reported. */
  gap(): void;
}

type Service = Pick<ServiceClient, 'events' | 'event' | 'signal'>;

/** Follows new events and their states by asking again and again; a restart of the service is only a silence. */
export class EventTail {
  readonly #service: Service;
  readonly #followed: Followed;
  readonly #listener: TailListener;
  /** The newest events that were seen, by id: what is listed before them is new. */
  #newest: ReadonlyMap<string, EventSummary> = new Map();
  /** Events that have not ended. */
  readonly #open = new Map<string, EventSummary>();
  #isSilent = false;

  constructor(service: Service, followed: Followed, listener: TailListener) {
    this.#service = service;
    this.#followed = followed;
    this.#listener = listener;
  }

  /** Follows until the service's signal aborts. @throws ServiceUnreachable, ServiceRefusal when it cannot begin. */
  async follow(clock: Clock): Promise<void> {
    await this.#begin();
    while (!this.#isOver) {
      await clock.wait(STEP_MS, this.#service.signal);
      if (!this.#isOver) await this.#lookAgain();
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

  async #lookAgain(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      if (this.#isOver) return;
      if (!isPassing(error)) throw error;
      this.#setSilent(true);
    }
  }

  async #look(): Promise<void> {
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

  #remember(seen: readonly EventSummary[]): void {
    this.#newest = new Map(seen.slice(0, PAGE).map((event) => [event.id, event]));
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
  return { id, hook, status, receivedAt, mapping, headline, error };
}
