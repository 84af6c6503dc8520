import type { Change } from '../../hooks/ports/change.ts';
import { LedgerUnavailable } from '../../hooks/ports/intake.ts';
import { WorkLedger } from '../../hooks/ports/work-ledger.ts';
import type { ChannelLimits, End, Lease } from '../../hooks/ports/work-ledger.ts';
import type { Lane, NewWork } from '../../hooks/ports/new-work.ts';
import type { WriterCalls } from './calls.ts';
import type { WireLease } from './wire-data.ts';
import type { LaneBells } from './lane-bells.ts';
import type { Caller } from './thread-link.ts';
import { toWireChange, toWireWork } from './wire.ts';

export class SqliteWorkLedger extends WorkLedger {
  readonly #writer: Caller<WriterCalls>;
  readonly #bells: LaneBells;

  constructor(writer: Caller<WriterCalls>, bells: LaneBells) {
    super();
    this.#writer = writer;
    this.#bells = bells;
  }

  async claim(
    lane: Lane,
    max: number,
    signal: AbortSignal,
    limits: () => ChannelLimits = () => ({}),
  ): Promise<readonly Lease[]> {
    while (!signal.aborted) {
      const heard = this.#bells.rings(lane);
      const { leases, nextDue } = await this.#writer.call('claim', lane, max, limits());
      if (leases.length > 0) return leases.map((lease) => toLease(lane, lease));
      await this.#bells.wait(lane, heard, nextDue, signal);
    }
    return [];
  }

  async add(work: NewWork): Promise<void> {
    await this.#writer.call('add', toWireWork(work));
  }

  renew(lease: Lease): Promise<boolean> {
    return this.#writer.call('renew', lease.workId, lease.attempt);
  }

  noteActing(lease: Lease): Promise<boolean> {
    return this.#writer.call('noteActing', lease.workId, lease.attempt);
  }

  async commit(lease: Lease, end: End, changes: readonly Change[]): Promise<boolean> {
    const { workId, attempt } = lease;
    try {
      return await this.#writer.call('commit', workId, attempt, end, changes.map(toWireChange));
    } catch (error) {
      // Nobody will end this lease any more, and no clock does: its key would stand still.
      if (!(error instanceof LedgerUnavailable)) {
        await this.#writer.call('abandon', workId, attempt);
      }
      throw error;
    }
  }
}

function toLease(lane: Lane, { order, ...lease }: WireLease): Lease {
  return { ...lease, lane, order: JSON.parse(order) };
}
