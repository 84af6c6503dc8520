import { hash } from 'node:crypto';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { integer } from '../rows.ts';
import { DATABASE_TIME as NOW, Database } from './connection.ts';

/** Where {@link postgresThrottlerStorage} counts. */
export interface PostgresThrottlerOptions {
  /** That of {@link postgresLedger}. */
  readonly url: string;
  /** That of {@link postgresLedger}, which makes the table. @default 'hooks' */
  readonly schema?: string;
}

/** What one failure came to; durations in whole seconds. */
type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Most failures that are counted at a time; whoever comes beyond is counted by the process itself. */
const MOST_AT_ONCE = 4;
/** How long a database that could not count is left alone, in milliseconds. */
const REST_MS = 5000;
/** How often rows that count for nothing any more are removed, in milliseconds. */
const CLEAN_EVERY_MS = 60_000;

/** $1 key, $2 window, $3 limit, $4 how long it blocks; by the clock of the database, which all instances share. */
const INCREMENT = `
INSERT INTO @schema.failures AS known (key, times, locked_until, kept_until)
SELECT $1, ARRAY[now], CASE WHEN $3::bigint < 1 THEN now + $4::bigint ELSE 0 END, now + greatest($2::bigint, $4)
FROM (SELECT ${NOW} AS now) AS clock
ON CONFLICT (key) DO UPDATE SET (times, locked_until, kept_until) = (
  SELECT CASE WHEN is_locked THEN known.times ELSE counted END,
    CASE WHEN is_locked THEN known.locked_until WHEN cardinality(counted) > $3 THEN now + $4 ELSE 0 END,
    now + greatest($2, $4)
  FROM (
    SELECT now, known.locked_until > now AS is_locked,
      CASE WHEN known.locked_until > 0 THEN ARRAY[now]
        ELSE ARRAY(SELECT at FROM unnest(known.times) AS at WHERE at > now - $2) || now END AS counted
    FROM (SELECT excluded.times[1] AS now) AS clock
  ) AS count
)
RETURNING cardinality(times)::bigint AS hits, greatest(locked_until - ${NOW}, 0) AS locked_ms`;

const CLEAN = `DELETE FROM @schema.failures WHERE key IN
  (SELECT key FROM @schema.failures WHERE kept_until < ${NOW} LIMIT 10000 FOR UPDATE SKIP LOCKED)`;

/**
 * Counts failed authentications where every process on a database sees them: for `authFailures.storage`, beside
 * {@link postgresLedger}. Addresses are kept as digests only, and no longer than they count.
 * @example forRoot({ ledger: postgresLedger({ url }), authFailures: { storage: postgresThrottlerStorage({ url }) } })
 */
export function postgresThrottlerStorage(options: PostgresThrottlerOptions): ThrottlerStorage {
  return new PostgresThrottlerStorage(options);
}

/**
 * The throttler's storage on two connections of its own, so that guessing takes none from the ledger. What comes beyond
 * a few statements, or while the database cannot count, is counted by the process itself: a lock may come later on one
 * instance than on another.
 */
export class PostgresThrottlerStorage implements ThrottlerStorage, OnApplicationShutdown {
  readonly #options: PostgresThrottlerOptions;
  #opening: Promise<Database> | undefined;
  #counting = 0;
  #restsUntil = -Infinity;
  #cleanedAt = -Infinity;

  constructor(options: PostgresThrottlerOptions) {
    this.#options = options;
  }

  /**
   * Counts one failure, unless the key is blocked. The first one beyond `limit` within `ttl` ms blocks the key for
   * `blockDuration` ms; one that comes after a block has ended begins anew.
   * @throws Error at once while the database cannot be asked, or is asked too much
   */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    if (this.#counting >= MOST_AT_ONCE) throw new Error('too many failures at a time');
    if (performance.now() < this.#restsUntil) throw new Error('the database is away');
    this.#counting += 1;
    try {
      const database = await this.#open();
      const digest = hash('sha256', `${throttlerName} ${key}`, 'base64url');
      const [row] = await database.query(INCREMENT, [digest, ttl, limit, blockDuration]);
      await this.#clean(database);
      const lockedMs = integer(row!, 'locked_ms');
      return {
        totalHits: integer(row!, 'hits'),
        timeToExpire: Math.ceil(ttl / 1000),
        isBlocked: lockedMs > 0,
        timeToBlockExpire: Math.ceil(lockedMs / 1000),
      };
    } catch (error) {
      this.#restsUntil = performance.now() + REST_MS;
      throw error;
    } finally {
      this.#counting -= 1;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined);
    await database?.close();
  }

  #open(): Promise<Database> {
    const { url, schema = 'hooks' } = this.#options;
    this.#opening ??= Database.of({ url, schema, connections: 2 }).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #clean(database: Database): Promise<void> {
    const now = performance.now();
    if (now - this.#cleanedAt < CLEAN_EVERY_MS) return;
    this.#cleanedAt = now;
    await database.query(CLEAN);
  }
}
