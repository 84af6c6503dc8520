import { setTimeout as pause } from 'node:timers/promises';
import { Intake, LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { AcceptLimits, KnownCertificate } from '../../hooks/ports/ledger.ts';
import type { Acceptance, IdempotencyKey, NewEvent } from '../../hooks/ports/event.ts';
import { BatchWindow } from '../batch-window.ts';
import { decodeAcceptance } from '../codec.ts';
import type { StoredAcceptance } from '../codec.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import { optionalText, text } from '../rows.ts';
import { encodeKey } from '../stored-key.ts';
import { answerOf, translate } from './connection.ts';
import { GIVEN_UP } from './functions/accepting.ts';
import { adjust, encode, groupCall, groupOf } from './event-group.ts';
import type { EncodedEvent } from './event-group.ts';
import type { PostgresStore } from './store.ts';
import { databaseTrouble, isAnswered, isGivenUp } from './trouble.ts';

// Accepting events: whatever came while a group was on its way is the next group, one call and one commit. A group whose
// answer was lost is looked for before its senders are told anything.

/** Events that may wait for the database; beyond, the sender is better told to come again. */
const MAX_WAITING = 10_000;
/** Events of one group: more would keep the first of them waiting for the last. */
const MAX_GROUP = 128;
/** Text of one group in characters, its last event aside. */
const MAX_GROUP_TEXT = 4 * 1024 * 1024;
/** How often a group is sent again that the server gave up for the sake of another transaction. */
const ATTEMPTS = 5;
/** How long a group whose answer was lost is looked for. */
const SEARCH_MS = 8000;
const BETWEEN_SEARCHES_MS = 200;
/** How long a group that was given up is known: longer than a network or a server keeps what was sent to it. */
const GIVEN_UP_MS = 24 * 3_600_000;

/** An event whose sender waits. */
interface Pending {
  encoded: EncodedEvent;
  /** As methods: what resolves it is made of its own event. */
  resolve(answer: StoredAcceptance): void;
  reject(error: unknown): void;
}

/** What `accept` answers; absent: everything was simply accepted. */
interface GroupAnswer {
  readonly isPaused?: boolean;
  readonly lanes?: readonly Lane[];
  readonly answers?: readonly { readonly at: number; readonly answer: Verdict }[];
}

type Verdict =
  | StoredAcceptance
  | {
      readonly outcome: 'changed';
      readonly dropped: readonly number[];
      readonly isReused: boolean;
    };

const GIVE_UP = `INSERT INTO meta VALUES ($1, $2) ON CONFLICT DO NOTHING`;
const FORGET_GIVEN_UP = `DELETE FROM meta WHERE key LIKE '${GIVEN_UP}%' AND value COLLATE "C" < $1`;
/** Accepts events in groups, and refuses them while the database is too far behind. */
export class PostgresIntake extends Intake {
  readonly #store: PostgresStore;
  readonly #call: string;
  readonly #window = new BatchWindow();
  #waiting: Pending[] = [];
  #underWay = 0;
  #isScheduled = false;
  #idle: (() => void) | null = null;
  /** Groups that are looked for. */
  readonly #looking = new Set<Promise<void>>();

  constructor(store: PostgresStore) {
    super();
    this.#store = store;
    const { database } = store;
    this.#call = groupCall(database.fn('accept'), database.fn('group'));
  }

  async accept(event: NewEvent, limits: AcceptLimits): Promise<Acceptance> {
    this.#store.checkOpen();
    if (this.#waiting.length + this.#underWay >= MAX_WAITING) {
      throw new LedgerUnavailable(
        'the ledger is overloaded: too many events wait for the database',
      );
    }
    const encoded = encode(event, limits);
    try {
      const answer = await new Promise<StoredAcceptance>((resolve, reject) => {
        this.#waiting.push({ encoded, resolve, reject });
        this.#schedule();
      });
      return decodeAcceptance(event, answer);
    } catch (error) {
      if (error instanceof LedgerUnavailable) this.#store.health.failed(error.message);
      throw error;
    }
  }

  async holderOf(key: IdempotencyKey): Promise<string | null> {
    this.#store.checkOpen();
    const { database, clock } = this.#store;
    const [name, digest, , onOtherContent] = encodeKey(key);
    const [row] = await database.query(
      `SELECT CASE WHEN k.digest = $2 OR $3 NOT IN ('new', 'latest') THEN k.event ELSE same.event END AS event
       FROM (SELECT 1) AS one
         LEFT JOIN ${database.schema}.idempotency k ON k.name = $1 AND k.keep_until > $4
         LEFT JOIN ${database.schema}.idempotency same
           ON same.name = $1 || ' ' || $2 AND $3 = 'new' AND same.keep_until > $4`,
      [name, digest, onOtherContent, clock.now()],
    );
    return optionalText(row!, 'event');
  }

  override certificates(): Promise<readonly KnownCertificate[]> {
    return this.#store.freshReads.call('readCertificates');
  }

  override async keepCertificate(certificate: KnownCertificate): Promise<void> {
    await this.#store.writes.call('keepCertificate', certificate);
  }

  /** Resolves when everything that was asked for is answered. */
  async close(): Promise<void> {
    if (this.#underWay + this.#waiting.length > 0) {
      await new Promise<void>((resolve) => (this.#idle = resolve));
    }
    await Promise.all(this.#looking);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay > 0) return;
    this.#isScheduled = true;
    this.#collect();
  }

  #collect(): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      if (length >= MAX_GROUP || this.#window.isComplete(length)) void this.#send();
      else this.#collect();
    });
  }

  async #send(): Promise<void> {
    const group = this.#waiting.splice(0, groupLength(this.#waiting));
    this.#underWay = group.length;
    this.#isScheduled = false;
    const again = await this.#settle(group);
    this.#waiting.unshift(...again);
    this.#underWay = 0;
    this.#window.open(group.length, this.#waiting.length);
    if (this.#waiting.length > 0) this.#schedule();
    else this.#idle?.();
  }

  /** Sends a group and answers it, but for those that have to be sent again. Never rejects. */
  async #settle(group: readonly Pending[]): Promise<Pending[]> {
    let answer: GroupAnswer;
    try {
      answer = await this.#sendGroup(group);
    } catch (error) {
      return this.#recover(group, error);
    }
    return this.#answer(group, answer);
  }

  async #sendGroup(group: readonly Pending[]): Promise<GroupAnswer> {
    const { database, clock, health } = this.#store;
    for (let attempt = 1; ; attempt += 1) {
      const began = performance.now();
      try {
        const events = group.map(({ encoded }) => encoded);
        const [row] = await database.accept(this.#call, groupOf(events, clock.now()));
        health.committed(performance.now() - began);
        return JSON.parse(answerOf(row));
      } catch (error) {
        if (!isGivenUp(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #answer(
    group: readonly Pending[],
    { isPaused, lanes = [], answers = [] }: GroupAnswer,
  ): Pending[] {
    const again: Pending[] = [];
    const verdicts = new Map(answers.map(({ at, answer }) => [at, answer]));
    const stored: string[] = [];
    for (const [index, pending] of group.entries()) {
      const verdict = isPaused ? ({ outcome: 'paused' } as const) : verdicts.get(index);
      if (verdict?.outcome === 'changed') {
        const { encoded } = pending;
        const kept = encoded.kept.filter((_, place) => !verdict.dropped.includes(place + 1));
        pending.encoded = adjust(encoded, { kept, isReused: verdict.isReused });
        again.push(pending);
      } else if (verdict === undefined) {
        stored.push(pending.encoded.event.id);
        pending.resolve(asStored(pending.encoded));
      } else pending.resolve(verdict);
    }
    this.#store.wakeups.changed(lanes, stored);
    if (stored.length === 0) return again;
    this.#store.activity.add('accepted', stored.length);
    this.#store.follower?.note();
    return again;
  }

  async #recover(group: readonly Pending[], error: unknown): Promise<Pending[]> {
    if (error instanceof LedgerUnavailable || isAnswered(error)) {
      if (databaseTrouble(error) === null && !(error instanceof LedgerUnavailable)) {
        return this.#oneByOne(group, error);
      }
      for (const pending of group) pending.reject(translate(error));
      return [];
    }
    if (databaseTrouble(error) === null) return this.#oneByOne(group, error);
    // Others are not kept waiting: while the database is away they are told so at once.
    this.#looking.add(this.#lookFor(group, error));
    return [];
  }

  /** An event that breaks takes none of its neighbours with it. */
  async #oneByOne(group: readonly Pending[], error: unknown): Promise<Pending[]> {
    const [only, ...others] = group;
    if (others.length === 0) {
      only!.reject(error);
      return [];
    }
    const again: Pending[] = [];
    for (const pending of group) again.push(...(await this.#settle([pending])));
    return again;
  }

  /**
   * The connection was cut after the group was sent: it is stored, or it is not. Whoever has its locks knows: a server
   * that still works on it has them until its commit, and one that has not begun finds that it was given up.
   */
  #lookFor(group: readonly Pending[], error: unknown): Promise<void> {
    const looking: Promise<void> = this.#search(group, error).finally(() =>
      this.#looking.delete(looking),
    );
    return looking;
  }

  async #search(group: readonly Pending[], error: unknown): Promise<void> {
    const end = performance.now() + SEARCH_MS;
    while (performance.now() < end) {
      try {
        const found = await this.#stored(group);
        for (const pending of group) {
          if (found.has(pending.encoded.event.id)) pending.resolve(asStored(pending.encoded));
          else pending.reject(translate(error));
        }
        // Nobody knows which lanes the group has changed.
        this.#store.wakeups.changed(['turn', 'delivery'], [...found]);
        return;
      } catch {
        await pause(BETWEEN_SEARCHES_MS);
      }
    }
    for (const pending of group) pending.reject(translate(error));
  }

  #stored(group: readonly Pending[]): Promise<Set<string>> {
    const { database, clock } = this.#store;
    const values = groupOf(
      group.map(({ encoded }) => encoded),
      clock.now(),
    );
    const locks = values.at(-2);
    const ids = values[1];
    return database.transaction(async (run) => {
      await run(`SET LOCAL search_path = ${database.schema}`);
      await run(`SELECT ${database.fn('lock')}($1::text[])`, [locks]);
      const rows = await run(`SELECT id FROM events WHERE id = ANY($1::uuid[])`, [ids]);
      if (rows.length === 0) {
        const now = clock.now();
        await run(GIVE_UP, [GIVEN_UP + group[0]!.encoded.event.id, now]);
        await run(FORGET_GIVEN_UP, [String(now - GIVEN_UP_MS)]);
      }
      return new Set(rows.map((row) => text(row, 'id')));
    });
  }
}

/** How many of the events make one group; at least one. */
function groupLength(waiting: readonly Pending[]): number {
  let length = 0;
  let size = 0;
  while (length < waiting.length && length < MAX_GROUP && size < MAX_GROUP_TEXT) {
    const { event, head } = waiting[length]!.encoded;
    size += event.payload.length + head.length;
    length += 1;
  }
  return length;
}

/** What became of an event that is stored as it was sent. */
function asStored({ event, kept, isReused, warnings }: EncodedEvent): StoredAcceptance {
  return {
    outcome: 'accepted',
    ...(kept.length < event.actions.length && { kept }),
    ...(isReused && { warnings }),
  };
}
