import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Clock } from '../../hooks/ports/clock.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import type { LedgerLog } from '../../hooks/ports/ledger.ts';
import { getField, parseJson } from '../../platform/objects.ts';
import { ChangedEvents } from '../changed-events.ts';
import { LANES } from '../work-rows.ts';
import { WorkNotifier } from '../work-notifier.ts';
import type { Database } from './connection.ts';
import { EventPoll } from './event-poll.ts';

// Others are told after a commit what it changed: a NOTIFY inside a transaction makes all commits wait for each other.
// Nothing depends on it: an instance that hears nothing looks by itself, often where LISTEN does not work (pgBouncer).

/** How often a lane is looked at that nobody spoke of. There are two, so the database is asked once in five seconds. */
const SELDOM_MS = 10_000;
/** The same where nobody is heard. */
const OFTEN_MS = 500;
/** Between one message and the next. */
const PAUSE_MS = 20;
/** How often an instance says that it is there, and how long it counts as there. */
const HELLO_MS = 30_000;
const PEER_MS = 95_000;
/** How long a message to oneself may take. */
const ECHO_MS = 3000;
const RECONNECT_MS = 1000;
/** Events named in one message, which holds 8000 bytes; more are told by the next ones. */
const MOST_NAMED = 100;

interface Message {
  readonly from: string;
  readonly lanes?: readonly Lane[];
  readonly events?: readonly string[];
  /** He has somebody who watches events. */
  readonly watches?: boolean;
  /** He wants to know who is there. */
  readonly asks?: boolean;
}

export class Wakeups {
  readonly notifier: WorkNotifier;
  readonly changedEvents: ChangedEvents<string>;
  readonly #database: Database;
  readonly #me: string;
  readonly #log: LedgerLog;
  readonly #channel: string;
  readonly #poll: EventPoll;
  #client: Client | null = null;
  #isHeard = false;
  #hasWarned = false;
  #isClosed = false;
  #peersUntil = 0;
  #watchedUntil = 0;
  readonly #lanes = new Set<Lane>();
  #events: string[] = [];
  /** The message under way, and the pause after it; null: none is. */
  #sending: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #echo: (() => void) | null = null;

  /** @param me the id of this instance */
  constructor(database: Database, me: string, clock: Clock, log: LedgerLog) {
    this.#database = database;
    this.#me = me;
    this.#log = log;
    this.#channel = `hooks_${hash('sha256', database.name).slice(0, 16)}`;
    this.notifier = new WorkNotifier(clock);
    this.changedEvents = new ChangedEvents(clock);
    const isDeaf = () => !this.#isHeard && !this.#isClosed;
    this.#poll = new EventPoll(database, this.changedEvents, isDeaf);
  }

  /** How long a claim waits at most before it looks again. */
  get pollMs(): number {
    return this.#isHeard ? SELDOM_MS : OFTEN_MS;
  }

  /** Begins to listen; goes on trying for itself. */
  async start(): Promise<void> {
    await this.#connect();
  }

  changed(lanes: readonly Lane[], events: readonly string[] = []): void {
    if (lanes.length > 0) this.notifier.notify(lanes);
    if (events.length > 0) this.changedEvents.note(events);
    if (!this.#isHeard || performance.now() > this.#peersUntil) return;
    for (const lane of lanes) this.#lanes.add(lane);
    if (performance.now() < this.#watchedUntil) this.#events.push(...events);
    this.#flush();
  }

  /** Somebody begins to watch events. Resolves when what others change from now on will be heard of, or seen. */
  async watch(): Promise<void> {
    await this.#send({ from: this.#me, watches: true });
    await this.#poll.begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.notifier.notifyAll();
    const client = this.#client;
    await this.#sending;
    this.#flush();
    await this.#sending;
    this.#drop();
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = this.#database.newClient();
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    try {
      this.#client = client;
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
      await this.#hearMyself();
    } catch {
      this.#lose(client);
      await client.end().catch(() => {});
      return;
    }
    this.#again(() => this.#hello(), HELLO_MS);
    // Whatever was said in between.
    this.notifier.notifyAll();
  }

  /** Behind pgBouncer LISTEN succeeds, too: only who hears what comes over another connection hears the others. */
  async #hearMyself(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#echo = () => resolve(true);
    const timer = setTimeout(() => resolve(false), ECHO_MS);
    const watches = this.changedEvents.isWatched;
    const message = JSON.stringify({ from: this.#me, watches, asks: true });
    await this.#database.query('SELECT pg_notify($1, $2)', [this.#channel, message]);
    this.#isHeard = await promise;
    clearTimeout(timer);
    if (this.#isHeard || this.#hasWarned || this.#isClosed) return;
    this.#hasWarned = true;
    this.#log.warn(
      'the database sends no notifications (LISTEN does not work through pgBouncer): it is polled twice a second instead',
    );
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#drop();
    this.#again(() => this.#connect(), RECONNECT_MS);
  }

  #drop(): void {
    this.#client = null;
    this.#isHeard = false;
    this.#events = [];
    this.#lanes.clear();
    // Claims that wait shall look more often from now on, and so shall whoever watches events.
    this.notifier.notifyAll();
    void this.#poll.begin().catch(() => {});
  }

  #again(act: () => Promise<void>, ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void act(), ms).unref();
  }

  async #hello(): Promise<void> {
    const client = this.#client;
    const wasHeard = this.#isHeard;
    await this.#hearMyself().catch(() => {});
    if (client === null || this.#client !== client) return;
    // A connection that has gone silent never says so itself.
    if (wasHeard && !this.#isHeard) {
      this.#lose(client);
      await client.end().catch(() => {});
    } else this.#again(() => this.#hello(), HELLO_MS);
  }

  #hear(payload: string): void {
    const message = readMessage(payload);
    if (message === null) return;
    if (message.from === this.#me) {
      this.#echo?.();
      return;
    }
    const now = performance.now();
    this.#peersUntil = now + PEER_MS;
    if (message.watches) this.#watchedUntil = now + PEER_MS;
    if (message.asks) void this.#send({ from: this.#me, watches: this.changedEvents.isWatched });
    if (message.lanes.length > 0) this.notifier.notify(message.lanes);
    if (message.events.length > 0) this.changedEvents.note(message.events);
  }

  #flush(): void {
    if (this.#sending !== null || this.#lanes.size + this.#events.length === 0) return;
    const message = {
      from: this.#me,
      lanes: [...this.#lanes],
      events: this.#events.splice(0, MOST_NAMED),
    };
    this.#lanes.clear();
    this.#sending = this.#send(message).then(async () => {
      if (!this.#isClosed) await pause(PAUSE_MS, undefined, { ref: false });
      this.#sending = null;
      this.#flush();
    });
  }

  /** A message that cannot be sent is left out: whoever should hear it looks by himself before long. */
  async #send(message: Message): Promise<void> {
    try {
      await this.#client?.query('SELECT pg_notify($1, $2)', [
        this.#channel,
        JSON.stringify(message),
      ]);
    } catch {
      // The connection is gone; it is made anew.
    }
  }
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whoever may connect to the database may write here, too. Null: it is none of ours. */
function readMessage(payload: string): Required<Message> | null {
  const given = parseJson(payload);
  const from = getField(given, 'from');
  if (typeof from !== 'string') return null;
  const texts = (key: string): string[] => {
    const found = getField(given, key);
    return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
  };
  return {
    from,
    watches: getField(given, 'watches') === true,
    asks: getField(given, 'asks') === true,
    lanes: LANES.filter((lane) => texts('lanes').includes(lane)),
    events: texts('events').filter((id) => ID.test(id)),
  };
}
