import type { Clock } from '../../src/hooks/ports/clock.ts';
import type { Lane } from '../../src/hooks/ports/jobs.ts';
import { ConsoleSessions, Maintenance, Refusals, WorkLedger } from '../../src/hooks/ports/index.ts';
import type {
  Change,
  ClaimLimits,
  Lease,
  Ledger,
  StepOutcome,
} from '../../src/hooks/ports/index.ts';
import { CallQueue } from '../../src/ledger/call-queue.ts';
import { StoredAdmin } from '../../src/ledger/ports/admin.ts';
import { StoredEvents } from '../../src/ledger/ports/event-store.ts';
import { StoredIntake } from '../../src/ledger/ports/intake.ts';
import { StoredSessions } from '../../src/ledger/ports/sessions.ts';
import { ChangedEvents } from '../../src/ledger/changed-events.ts';
import type { Key } from '../../src/ledger/rows.ts';
import type { AllCalls, GroupAnswer, GroupHead } from '../../src/ledger/sqlite/protocol.ts';
import { SqliteTx } from '../../src/ledger/sqlite/statements.ts';
import { migrate, prepareNewFile } from '../../src/ledger/sqlite/worker/file/migrate.ts';
import { DatabaseSync } from '../../src/ledger/sqlite/worker/file/sqlite.ts';
import {
  createReaderHandlers,
  createWriterHandlers,
} from '../../src/ledger/sqlite/worker/handlers.ts';
import { InlineHost } from '../../src/ledger/sqlite/worker/inline-host.ts';

/** Each opening finds what was committed before, and ends its leases, as after `kill -9`. Only one is alive at a time. */
export class LastingMemory {
  readonly isOfOne = true;
  readonly #db = new DatabaseSync(':memory:');

  constructor() {
    prepareNewFile(this.#db);
  }

  async open(clock: Clock): Promise<Ledger> {
    const queue = new CallQueue<AllCalls, GroupHead, GroupAnswer>(clock, {
      begin: () => this.#begin(clock),
      head: () => ({ isWatched: false, checkpoint: 'none' }),
    });
    await queue.begin();
    return portsOf(queue, clock);
  }

  close(): void {
    this.#db.close();
  }

  /** Every opening has prepared statements of its own, since it remembers nothing of another. */
  async #begin(clock: Clock): Promise<InlineHost<AllCalls>> {
    const db = this.#db;
    const tx = new SqliteTx(db);
    const start = { now: clock.now(), elapsed: clock.elapsed(), held: [], hasSearch: false };
    const writer = await migrate(db, () => createWriterHandlers(db, tx, start));
    const reader = createReaderHandlers(db, tx, null);
    const handlers = { ...writer.handlers, ...reader.handlers };
    return new InlineHost<AllCalls>({ db, tx, ...writer, handlers });
  }
}

function portsOf(queue: CallQueue<AllCalls, GroupHead, GroupAnswer>, clock: Clock): Ledger {
  return {
    intake: new StoredIntake({
      queue,
      reader: queue,
      writer: queue,
      health: { failed: () => {} },
      follower: null,
    }),
    work: new ClaimedAtOnce(queue),
    sessions: new StoredSessions(queue, queue),
    events: new StoredEvents({
      reader: queue,
      changed: new ChangedEvents<Key>(clock),
      clock,
      search: null,
      isHeard: async () => {},
      damaged: (reason) => {
        throw new Error(reason);
      },
    }),
    admin: new StoredAdmin({
      reader: queue,
      freshReader: queue,
      writer: queue,
      leftovers: async () => [],
    }),
    refusals: Object.create(Refusals.prototype) as Refusals,
    consoleSessions: Object.create(ConsoleSessions.prototype) as ConsoleSessions,
    maintenance: Object.create(Maintenance.prototype) as Maintenance,
  };
}

class ClaimedAtOnce extends WorkLedger {
  constructor(private readonly queue: CallQueue<AllCalls, GroupHead, GroupAnswer>) {
    super();
  }

  override async claim(
    lane: Lane,
    max: number,
    _signal: AbortSignal,
    limits: () => ClaimLimits = () => ({}),
  ): Promise<readonly Lease[]> {
    return (await this.queue.call('claim', lane, max, limits())).leases;
  }

  override async add(work: Parameters<WorkLedger['add']>[0]): Promise<void> {
    await this.queue.call('add', work);
  }

  override behind({ lane, key }: Lease, most: number): ReturnType<WorkLedger['behind']> {
    return this.queue.call('readBehind', { lane, key }, most);
  }

  override reserve(...args: Parameters<WorkLedger['reserve']>): ReturnType<WorkLedger['reserve']> {
    return this.queue.call('reserve', ...args);
  }

  override async reconsider(): Promise<void> {
    await this.queue.call('reconsider');
  }

  override reserveTurn(
    ...args: Parameters<WorkLedger['reserveTurn']>
  ): ReturnType<WorkLedger['reserveTurn']> {
    return this.queue.call('reserveTurn', ...args);
  }

  override badEnds(most: number): ReturnType<WorkLedger['badEnds']> {
    return this.queue.call('gatherBadEnds', most);
  }

  override async noteChannels(news: Parameters<WorkLedger['noteChannels']>[0]): Promise<void> {
    await this.queue.call('noteChannels', news);
  }

  override renew({ workId, attempt }: Lease): Promise<boolean> {
    return this.queue.call('renew', workId, attempt);
  }

  override noteActing({ workId, attempt }: Lease): Promise<boolean> {
    return this.queue.call('noteActing', workId, attempt);
  }

  override commit(
    lease: Lease,
    outcome: StepOutcome,
    changes: readonly Change[],
  ): Promise<boolean> {
    return this.queue.call('commit', lease, outcome, changes);
  }
}
