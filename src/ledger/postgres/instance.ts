import { randomUUID } from 'node:crypto';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LEASE_MS } from '../../hooks/ports/work-ledger.ts';
import { integer } from '../rows.ts';
import { DATABASE_TIME } from './connection.ts';
import type { Database } from './connection.ts';
import { EDITION } from './functions/index.ts';
import { noteUse } from './migrate.ts';
import type { InstanceList } from './operating/instances.ts';

/** How often an instance says that it is alive. */
const SEEN_MS = 30_000;

/**
 * This process's part in the ledger: its id, what it has in hand, and what the time is by the clock of the database, which
 * is the same for all instances. Leases end by that clock, whatever the clocks of the machines say.
 */
export class Instance {
  readonly id = randomUUID();
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #list: InstanceList;
  /** Attempts by the work that is under way here. */
  readonly #held = new Map<number, number>();
  /** From the clock's even time to the database's. */
  #offset = 0;
  /** When the database was last away or very slow, by the clock's even time. */
  #stoodStillAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Database, clock: Clock, list: InstanceList) {
    this.#database = database;
    this.#clock = clock;
    this.#list = list;
  }

  /** Registers this process, and goes on saying that it is alive. */
  async begin(): Promise<void> {
    await this.#measure();
    await this.#list.enter(this.id);
    this.#timer = setInterval(() => void this.#say().catch(() => {}), SEEN_MS).unref();
  }

  /** Milliseconds by the clock of the database. */
  now(): number {
    return Math.round(this.#clock.elapsed() + this.#offset);
  }

  /** When a lease ends that is given or renewed now. */
  leaseEnd(): number {
    return this.now() + LEASE_MS;
  }

  /** The database was away or very slow: others could not renew their leases either. */
  noteStandstill(): void {
    this.#stoodStillAt = this.#clock.elapsed();
  }

  /** Whether a lease that ran out tells that its holder is gone: everybody had the time to renew his. */
  get mayEndLeases(): boolean {
    return this.#clock.elapsed() - this.#stoodStillAt >= LEASE_MS;
  }

  take(leases: Iterable<{ workId: number; attempt: number }>): void {
    for (const { workId, attempt } of leases) this.#held.set(workId, attempt);
  }

  drop({ workId, attempt }: { workId: number; attempt: number }): void {
    if (this.#held.get(workId) === attempt) this.#held.delete(workId);
  }

  /** The work in hand. */
  get held(): number[] {
    return [...this.#held.keys()];
  }

  /** It is gone. */
  async end(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#list.leave();
  }

  async #say(): Promise<void> {
    await this.#measure();
    await this.#list.stay();
    await this.#database.query(noteUse(this.#database.schema), [
      `functions ${EDITION}`,
      String(this.#clock.now()),
    ]);
  }

  /** Half of the way there and back is the error, and is small beside a lease. */
  async #measure(): Promise<void> {
    const before = this.#clock.elapsed();
    const [row] = await this.#database.query(`SELECT ${DATABASE_TIME} AS now`);
    this.#offset = integer(row!, 'now') - (before + this.#clock.elapsed()) / 2;
  }
}
