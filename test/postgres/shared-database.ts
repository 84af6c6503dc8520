import { Pool } from 'pg';
import { Clock } from '../../src/hooks/ports/clock.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { PostgresSuite } from './suite.ts';

/** Tables that say which ledger it is, and who has it open. */
const KEPT = ['editions', 'instances', 'meta'];

/** One database for many short lives: between them it is emptied, which takes less time than another one. */
export class SharedDatabase {
  #pool: Pool | undefined;

  private constructor(private readonly suite: PostgresSuite) {}

  /** Starts before the tests of the file and ends after them. */
  static inThisFile(): SharedDatabase {
    // Its connections end before their server does.
    afterAll(() => database.#pool?.end());
    const database = new SharedDatabase(PostgresSuite.inThisFile());
    return database;
  }

  /** What instances share that open it; closing it closes each of them, and empties it. */
  empty(): { open(clock: Clock): Promise<Ledger>; close(): Promise<void> } {
    const ledgers: Ledger[] = [];
    let beganAt: number | null = null;
    return {
      open: async (real) => {
        beganAt ??= real.elapsed();
        const clock = new OpeningClock(real, beganAt);
        this.#pool ??= new Pool({ connectionString: this.suite.server.url(), max: 30 });
        const ledger = await postgresLedger({ pool: this.#pool, search: false }).open(clock);
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

  async #empty(): Promise<void> {
    const { server } = this.suite;
    const [row] = await server.query(
      `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS names FROM pg_tables
       WHERE schemaname = 'hooks' AND tablename <> ALL ($1)`,
      [KEPT],
    );
    await server.query(`TRUNCATE ${String(row!['names'])}`);
  }
}

/**
 * An instance measures the clock of the database when it opens, which knows nothing of the time that a test has let pass: so
 * none has passed until it is open, and what all instances take for that clock is one.
 */
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
