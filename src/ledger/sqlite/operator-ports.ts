import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Activity, ActivityWindow } from '../../hooks/ports/activity.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import type { Change } from '../../hooks/ports/change.ts';
import type { Clock } from '../../hooks/ports/clock.ts';
import { ConsoleSessions } from '../../hooks/ports/console-sessions.ts';
import type { ConsoleSession } from '../../hooks/ports/console-sessions.ts';
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
import type { HookRefusals, HookUse } from '../../hooks/ports/hook-use.ts';
import { LedgerAdmin, LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type {
  DeadWork,
  DeadWorkFilter,
  DeadWorkPage,
  Forgotten,
  ForgottenStep,
  WorkCounts,
} from '../../hooks/ports/ledger.ts';
import { Refusals } from '../../hooks/ports/refusals.ts';
import type { LostRequests, NewRefusal, RefusalFilter } from '../../hooks/ports/refusals.ts';
import { searchProblem } from '../../platform/search-text.ts';
import { encodeChange } from '../codec.ts';
import type { ChangedEvents } from '../changed-events.ts';
import { followEvents } from '../event-feed.ts';
import type { ReaderCalls, WriterCalls } from './protocol.ts';
import { decodeEventDetails, decodeRequest, decodeRunStory } from '../stored-head.ts';
import { damageIn } from './worker/file/store-trouble.ts';
import type { RpcClient } from './worker-client.ts';

// The ports that an operator looks through: what he reads is asked of the reader thread, which may be a moment behind and
// is never in the way of a request; what he does is written by the writer, in order with everything else.

/** What is read of events, and how one hears of their changes. */
interface EventSource {
  readonly changed: ChangedEvents<number>;
  readonly writer: RpcClient<WriterCalls>;
  readonly reader: RpcClient<ReaderCalls>;
  readonly clock: Clock;
  /** Called when what was read of an event is not what was written. */
  readonly damaged: (reason: string) => void;
}

/** What the steps of the schema copy the file to before they change it (worker/file/migrate.ts). */
const UPGRADE_COPY = /^ledger\.(?:before|edition)-\d+\.db$/;

/** Everything that an operator reads, on the reader thread. */
export class SqliteEventStore extends EventStore {
  readonly #reader: RpcClient<ReaderCalls>;
  readonly #source: EventSource;
  readonly #hasSearch: boolean;

  constructor(source: EventSource, hasSearch: boolean) {
    super();
    this.#reader = source.reader;
    this.#source = source;
    this.#hasSearch = hasSearch;
  }

  async follow(
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EventChanges>> {
    const { changed, writer, reader, clock } = this.#source;
    const source = {
      changed,
      clock,
      // A batch that is under way does not know that anybody listens. This call comes after it.
      isHeard: async () => void (await writer.call('isPaused')),
      since: (since: number, limit: number) => reader.call('list', { since, limit }),
      summaries: (keys: readonly number[]) => reader.call('summaries', keys),
    };
    return followEvents(source, mark, signal);
  }

  list(filter: EventFilter): Promise<FoundEvents> {
    const { search } = filter;
    return search === undefined ? this.#reader.call('list', filter) : this.#search(filter, search);
  }

  async #search(filter: EventFilter, search: string): Promise<FoundEvents> {
    const problem = searchProblem(search);
    if (problem !== null) throw new SearchRefused('invalid', problem);
    if (!this.#hasSearch) throw new SearchRefused('off', 'search is switched off');
    const { page, trouble } = await this.#reader.call('search', filter, search);
    if (page === null) throw new SearchRefused('unavailable', trouble);
    return page;
  }

  async get(id: string): Promise<EventDetails | null> {
    const stored = await this.#reader.call('get', id);
    return stored === null ? null : this.#decoded(() => decodeEventDetails(stored));
  }

  async run(id: string): Promise<RunStory | null> {
    const stored = await this.#reader.call('run', id);
    return stored === null ? null : this.#decoded(() => decodeRunStory(stored));
  }

  async storedRequest(id: string): Promise<StoredRequest | null> {
    const stored = await this.#reader.call('storedRequest', id);
    if (stored === null) return null;
    const { hook, head, payload } = stored;
    return { hook, request: this.#decoded(() => decodeRequest(head)), payload };
  }

  /** @throws LedgerUnavailable where the rows hold something else than was written */
  #decoded<T>(decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      const damage = damageIn(error);
      if (damage === undefined) throw error;
      this.#source.damaged(damage);
      throw new LedgerUnavailable(damage);
    }
  }

  hookUses(hooks: readonly string[], since: number): Promise<readonly HookUse[]> {
    return this.#reader.call('hookUses', hooks, since);
  }

  sessions(filter: SessionFilter): Promise<ReaderCalls['sessions']['result']> {
    return this.#reader.call('sessions', filter);
  }

  session(key: string, page: SessionFilter): Promise<SessionDetails | null> {
    return this.#reader.call('session', key, page);
  }
}

/** Written on the writer thread, beside the requests; read on the reader's. */
export class SqliteRefusals extends Refusals {
  readonly #writer: RpcClient<WriterCalls>;
  readonly #reader: RpcClient<ReaderCalls>;

  constructor(writer: RpcClient<WriterCalls>, reader: RpcClient<ReaderCalls>) {
    super();
    this.#writer = writer;
    this.#reader = reader;
  }

  async record(refusals: readonly NewRefusal[], changes: readonly Change[]): Promise<void> {
    await this.#writer.call('recordRefusals', refusals, changes.map(encodeChange));
  }

  list(filter: RefusalFilter): Promise<ReaderCalls['refusals']['result']> {
    return this.#reader.call('refusals', filter);
  }

  countByHook(since: number): Promise<readonly HookRefusals[]> {
    return this.#reader.call('refusalsByHook', since);
  }

  lost(since: number): Promise<readonly LostRequests[]> {
    return this.#reader.call('lostRequests', since);
  }

  failed(since: number): Promise<readonly LostRequests[]> {
    return this.#reader.call('failedRequests', since);
  }
}

/** Written on the writer thread; looked up on the reader's, which sees whatever was committed before it is asked. */
export class SqliteConsoleSessions extends ConsoleSessions {
  readonly #writer: RpcClient<WriterCalls>;
  readonly #reader: RpcClient<ReaderCalls>;

  constructor(writer: RpcClient<WriterCalls>, reader: RpcClient<ReaderCalls>) {
    super();
    this.#writer = writer;
    this.#reader = reader;
  }

  async start(session: ConsoleSession): Promise<void> {
    await this.#writer.call('startConsoleSession', session);
  }

  find(digest: string): Promise<ConsoleSession | null> {
    return this.#reader.call('consoleSession', digest);
  }

  async extend(digest: string, endsAt: number): Promise<void> {
    await this.#writer.call('extendConsoleSession', digest, endsAt);
  }

  async end(digest: string): Promise<void> {
    await this.#writer.call('endConsoleSession', digest);
  }
}

/** What an operator does, on the writer thread; what metrics count, on the reader's. */
export class SqliteLedgerAdmin extends LedgerAdmin {
  readonly #writer: RpcClient<WriterCalls>;
  readonly #reader: RpcClient<ReaderCalls>;
  readonly #dir: string | null;

  /** @param dir of the ledger; null: in memory */
  constructor(writer: RpcClient<WriterCalls>, reader: RpcClient<ReaderCalls>, dir: string | null) {
    super();
    this.#writer = writer;
    this.#reader = reader;
    this.#dir = dir;
  }

  retry(eventId: string): Promise<number | null> {
    return this.#writer.call('retry', eventId);
  }

  retryAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#writer.call('retryAll', filter);
  }

  dismiss(eventId: string): Promise<number | null> {
    return this.#writer.call('dismiss', eventId);
  }

  dismissAll(filter: DeadWorkFilter): Promise<DeadWorkPage> {
    return this.#writer.call('dismissAll', filter);
  }

  forget(eventId: string): Promise<Forgotten | 'under-way' | null> {
    return this.#writer.call('forget', eventId);
  }

  forgetMatching(terms: readonly string[], from: number): Promise<ForgottenStep> {
    return this.#writer.call('forgetMatching', terms, from);
  }

  /** Copies that upgrades made of the file. */
  async leftovers(): Promise<readonly string[]> {
    const dir = this.#dir;
    if (dir === null) return [];
    const copies = (await readdir(dir)).filter((name) => UPGRADE_COPY.test(name));
    return Promise.all(
      copies.map(async (name) => {
        const { mtime } = await stat(join(dir, name));
        return `${join(dir, name)}, a copy that an upgrade made on ${mtime.toISOString().slice(0, 10)}: delete it when you no longer need the way back.`;
      }),
    );
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#writer.call('setPaused', paused);
  }

  isPaused(): Promise<boolean> {
    return this.#writer.call('isPaused');
  }

  counts(): Promise<readonly WorkCounts[]> {
    return this.#reader.call('counts');
  }

  dead(): Promise<readonly DeadWork[]> {
    return this.#reader.call('dead');
  }

  channelConditions(): Promise<ChannelConditions> {
    return this.#reader.call('channelConditions');
  }

  /** What was counted and not written yet is written first; while nothing can be written, what was is shown. */
  async activity(window: ActivityWindow): Promise<Activity> {
    await this.#writer.call('writeActivity').catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable)) throw error;
    });
    return this.#reader.call('activity', window);
  }
}
