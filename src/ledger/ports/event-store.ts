import type { Clock } from '../../hooks/ports/clock.ts';
import { EventStore, SearchRefused } from '../../hooks/ports/event-store.ts';
import type {
  EventChanges,
  EventDetails,
  EventFilter,
  FoundEvents,
  RunStory,
  SessionDetails,
  SessionFilter,
  StoredRequest,
} from '../../hooks/ports/event-store.ts';
import type { HookUse } from '../../hooks/ports/hook-use.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { searchProblem } from '../../platform/search-text.ts';
import type { Caller } from '../calls.ts';
import type { ChangedEvents } from '../changed-events.ts';
import type { Reads } from '../core.ts';
import { followEvents } from '../event-feed.ts';
import type { Key } from '../rows.ts';
import { decodeEventDetails, decodeRequest, decodeRunStory } from '../stored-head.ts';

export interface EventSource {
  readonly reader: Caller<Reads>;
  readonly changed: ChangedEvents<Key>;
  readonly clock: Clock;
  /** Null: search is switched off. */
  readonly search: EventSearch | null;
  /** Resolves when everything that is committed from now on is noted. */
  isHeard(): Promise<void>;
  /** Called when what was read of an event is not what was written. */
  damaged(reason: string): void;
}

export interface EventSearch {
  /** @throws SearchRefused */
  search(filter: EventFilter, search: string): Promise<FoundEvents>;
}

/** Nothing is kept in memory, of whatever instance: what was forgotten is in no list any more. */
export class StoredEvents extends EventStore {
  readonly #source: EventSource;
  readonly #reader: Caller<Reads>;

  constructor(source: EventSource) {
    super();
    this.#source = source;
    this.#reader = source.reader;
  }

  async list(filter: EventFilter): Promise<FoundEvents> {
    if (filter.search === undefined) return this.#reader.call('listEvents', filter);
    const problem = searchProblem(filter.search);
    if (problem !== null) throw new SearchRefused('invalid', problem);
    const { search } = this.#source;
    if (search === null) throw new SearchRefused('off', 'search is switched off');
    return search.search(filter, filter.search);
  }

  async follow(
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EventChanges>> {
    const { changed, clock } = this.#source;
    const source = {
      changed,
      clock,
      isHeard: () => this.#source.isHeard(),
      since: (since: number, limit: number) => this.list({ since, limit }),
      summaries: (keys: readonly Key[]) => this.#reader.call('summariesOf', keys),
    };
    return followEvents(source, mark, signal);
  }

  async get(id: string): Promise<EventDetails | null> {
    const stored = await this.#reader.call('readEvent', id);
    return stored && this.#decoded(() => decodeEventDetails(stored));
  }

  async run(id: string): Promise<RunStory | null> {
    const stored = await this.#reader.call('readRun', id);
    return stored && this.#decoded(() => decodeRunStory(stored));
  }

  async storedRequest(id: string): Promise<StoredRequest | null> {
    const stored = await this.#reader.call('readRequest', id);
    if (stored === null) return null;
    const { hook, head, payload } = stored;
    return { hook, request: this.#decoded(() => decodeRequest(head)), payload };
  }

  /** @throws LedgerUnavailable where the rows hold something else than was written */
  #decoded<T>(decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#source.damaged(error.message);
      throw new LedgerUnavailable(error.message);
    }
  }

  hookUses(hooks: readonly string[], since: number): Promise<readonly HookUse[]> {
    return this.#reader.call('readHookUses', hooks, since);
  }

  sessions(filter: SessionFilter): Promise<Reads['listSessions']['result']> {
    return this.#reader.call('listSessions', filter);
  }

  session(key: string, page: SessionFilter): Promise<SessionDetails | null> {
    return this.#reader.call('readSession', key, page);
  }
}
