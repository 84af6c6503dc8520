import type { Clock } from '../../../hooks/ports/clock.ts';
import { EventStore, SearchRefused } from '../../../hooks/ports/event-store.ts';
import type {
  EventChanges,
  EventDetails,
  EventFilter,
  FoundEvents,
  RunStory,
  SessionDetails,
  SessionFilter,
  SessionSummary,
  StoredRequest,
} from '../../../hooks/ports/event-store.ts';
import { MOST_COUNTED } from '../../../hooks/ports/hook-use.ts';
import type { HookUse } from '../../../hooks/ports/hook-use.ts';
import { searchProblem } from '../../../platform/search-text.ts';
import type { ChangedEvents } from '../../changed-events.ts';
import { followEvents } from '../../event-feed.ts';
import { integer, optionalTime, text } from '../../rows.ts';
import type { Database } from '../connection.ts';
import { idAt } from '../ids.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { listEvents, summariesOf } from './event-list.ts';
import { readEvent, readRequest, readRun } from './events.ts';
import { listSessions, readSession } from './sessions.ts';

/**
 * How much hooks are used. Both questions go down the index of hooks, which holds their events in the order of
 * acceptance: the last one is one step away, and counting ends at a bound. (By `hook = …` the planner would rather walk
 * through all events from the last one on: it does not know how rare a hook is.)
 */
const HOOK_USES = `SELECT h.hook,
    (SELECT received_at FROM @schema.events WHERE hook BETWEEN h.hook AND h.hook
      ORDER BY hook DESC, id DESC LIMIT 1) AS last_at,
    (SELECT count(*) FROM (SELECT FROM @schema.events WHERE hook = h.hook AND id >= $2
      ORDER BY id LIMIT ${MOST_COUNTED}) since) AS accepted
  FROM unnest($1::text[]) WITH ORDINALITY AS h (hook, n) ORDER BY n`;

/** How one hears of changes, of all instances. */
export interface Hearing {
  readonly changed: ChangedEvents<string>;
  readonly clock: Clock;
  /** Resolves when everything that any instance commits from now on is noted. */
  isHeard(): Promise<void>;
}

/**
 * Everything that an operator reads, of all instances together. Nothing is kept in memory: an answer is what the rows
 * say when it is asked for, so that what was forgotten is in no list any more. Events are listed by their ids, newest
 * first, and a cursor is the last id that was shown, so pages stay apart although events come meanwhile.
 */
export class PostgresEventStore extends EventStore {
  readonly #database: Database;
  readonly #hearing: Hearing;
  readonly #index: SearchIndex | null;

  /** @param index null: search is switched off */
  constructor(database: Database, hearing: Hearing, index: SearchIndex | null) {
    super();
    this.#database = database;
    this.#hearing = hearing;
    this.#index = index;
  }

  async list(filter: EventFilter): Promise<FoundEvents> {
    const { search } = filter;
    if (search === undefined) return listEvents(this.#database, filter);
    const problem = searchProblem(search);
    if (problem !== null) throw new SearchRefused('invalid', problem);
    if (this.#index === null) throw new SearchRefused('off', 'search is switched off');
    return this.#index.search(filter, search);
  }

  async follow(
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EventChanges>> {
    const { changed, clock } = this.#hearing;
    const source = {
      changed,
      clock,
      isHeard: () => this.#hearing.isHeard(),
      since: (since: number, limit: number) => listEvents(this.#database, { since, limit }),
      summaries: (ids: readonly string[]) => summariesOf(this.#database, ids),
    };
    return followEvents(source, mark, signal);
  }

  get(id: string): Promise<EventDetails | null> {
    return readEvent(this.#database, id);
  }

  run(id: string): Promise<RunStory | null> {
    return readRun(this.#database, id);
  }

  storedRequest(id: string): Promise<StoredRequest | null> {
    return readRequest(this.#database, id);
  }

  async hookUses(hooks: readonly string[], since: number): Promise<readonly HookUse[]> {
    const rows = await this.#database.query(HOOK_USES, [hooks, idAt(since)]);
    return rows.map((row) => ({
      hook: text(row, 'hook'),
      lastAt: optionalTime(row, 'last_at'),
      accepted: integer(row, 'accepted'),
    }));
  }

  sessions(
    filter: SessionFilter,
  ): Promise<{ sessions: readonly SessionSummary[]; nextCursor: string | null }> {
    return listSessions(this.#database, filter);
  }

  session(key: string, page: SessionFilter): Promise<SessionDetails | null> {
    return readSession(this.#database, key, page);
  }
}
