import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LEASE_MS } from '../../hooks/ports/work-ledger.ts';
import { integer } from '../rows.ts';
import { DATABASE_TIME } from './connection.ts';
import type { Database } from './connection.ts';
import { EDITION } from './functions/index.ts';
import { noteUse } from './migrate.ts';

/** How often an instance says that it is alive. */
const SEEN_MS = 30_000;
/** When the rows of the dead are removed. */
const FORGOTTEN_MS = 86_400_000;

const FORGET = `DELETE FROM @schema.instances WHERE seen_at < ${DATABASE_TIME} - ${FORGOTTEN_MS}`;
const ENTER = `INSERT INTO @schema.instances (id, name, started_at, seen_at)
  VALUES ($1, $2, ${DATABASE_TIME}, ${DATABASE_TIME})`;
const STAY = `UPDATE @schema.instances SET seen_at = ${DATABASE_TIME} WHERE id = $1`;
const LEAVE = 'DELETE FROM @schema.instances WHERE id = $1';

/** Leases end by the database's clock, the same for all instances, whatever the clocks of the machines say. */
export class Instance {
  readonly id = randomUUID();
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #held = new Map<number, number>();
  /** From the clock's even time to the database's. */
  #offset = 0;
  /** When the database was last away or very slow, by the clock's even time. */
  #stoodStillAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Registers this process, and goes on saying that it is alive. */
  async begin(): Promise<void> {
    await this.#measure();
    await this.#database.query(FORGET);
    await this.#database.query(ENTER, [this.id, `${hostname()} ${process.pid}`]);
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

  get held(): number[] {
    return [...this.#held.keys()];
  }

  async end(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#database.query(LEAVE, [this.id]);
  }

  async #say(): Promise<void> {
    await this.#measure();
    await this.#database.query(STAY, [this.id]);
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
