import { Pool } from 'pg';
import { Clock } from '../../src/hooks/ports/clock.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import type { Store } from '../contracts/ledger/store.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { PostgresSuite } from './suite.ts';

/** One database for many short lives: between them it is emptied, which takes less time than another one. */
export class SharedDatabase {
  #pool: Pool | undefined;
  #meta: string | undefined;

  private constructor(private readonly suite: PostgresSuite) {}

  static inThisFile(): SharedDatabase {
    // Its connections end before their server does.
    afterAll(() => database.#pool?.end());
    const database = new SharedDatabase(PostgresSuite.inThisFile());
    return database;
  }

  empty(): { open(clock: Clock): Promise<Ledger>; close(): Promise<void> } {
    const ledgers: Ledger[] = [];
    let beganAt: number | null = null;
    return {
      open: async (real) => {
        beganAt ??= real.elapsed();
        const clock = new OpeningClock(real, beganAt);
        const pool = this.#connections;
        const ledger = await postgresLedger({ pool, search: false }).open(clock);
        await this.#know();
        clock.isOpen = true;
        ledgers.push(ledger);
        return ledger;
      },
      close: async () => {
        await Promise.all(ledgers.map(({ maintenance }) => maintenance.close()));
        await this.#empty();
      },
    };
  }

  store(): Store {
    return {
      provider: {
        open: async (...given) => {
          const ledger = await postgresLedger({ pool: this.#connections }).open(...given);
          await this.#know();
          return ledger;
        },
      },
      dispose: () => this.#empty(),
    };
  }

  /** All of them have the same: what a connection has planned once serves the next test. */
  get #connections(): Pool {
    this.#pool ??= new Pool({ connectionString: this.suite.server.url(), max: 30 });
    return this.#pool;
  }

  async #know(): Promise<void> {
    const [row] = await this.suite.server.query(
      'SELECT json_agg(m)::text AS meta FROM hooks.meta m',
    );
    this.#meta ??= String(row!['meta']);
  }

  /** Once nobody has it open. Its few rows go in a third of the time in which its files would. */
  async #empty(): Promise<void> {
    const { server } = this.suite;
    const [row] = await server.query(
      `SELECT string_agg(format('DELETE FROM hooks.%I', tablename), '; ') AS deletes FROM pg_tables
       WHERE schemaname = 'hooks' AND tablename <> 'editions'`,
    );
    await server.query(String(row!['deletes']));
    await server.query(
      'INSERT INTO hooks.meta SELECT * FROM json_populate_recordset(NULL::hooks.meta, $1)',
      [this.#meta],
    );
  }
}

/** Instances measure the clock of the database when they open: until then none of the time has passed that a test let pass. */
class OpeningClock extends Clock {
  isOpen = false;

  constructor(
    private readonly real: Clock,
    private readonly beganAt: number,
  ) {
    super();
  }

  now(): number {
    return this.real.now();
  }

  override elapsed(): number {
    return this.isOpen ? this.real.elapsed() : this.beganAt;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.real.wait(ms, signal);
  }
}
