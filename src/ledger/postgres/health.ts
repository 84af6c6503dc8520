import type { Clock } from '../../hooks/ports/clock.ts';
import type { LedgerLog, StoreState } from '../../hooks/ports/ledger.ts';
import { CommitHealth } from '../commit-health.ts';
import { integer } from '../rows.ts';
import type { Database } from './connection.ts';

const SIZE = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
  WHERE relnamespace = $1::text::regnamespace AND relkind = 'r'`;

export class PostgresHealth extends CommitHealth {
  readonly #database: Database;

  constructor(database: Database, clock: Clock, log: LedgerLog) {
    super(clock, log, 'the database is slow: accepting');
    this.#database = database;
  }

  async state(): Promise<StoreState> {
    const [size] = await this.#database.query(SIZE, [this.#database.schema]);
    return {
      damage: null,
      ...this.figures,
      ledgerBytes: integer(size!, 'bytes'),
      // The log is that of the whole server, and so is its disk.
      logBytes: 0,
      freeBytes: null,
    };
  }
}
