import type { Clock } from '../../hooks/ports/clock.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { CallMap, Caller, Functions } from '../calls.ts';
import type { Tx } from '../tx.ts';
import type { Database } from './connection.ts';
import { PostgresTx } from './statements.ts';

/** Called after the commit of a call with lanes and events that it changed. */
type Committed = (lanes: readonly Lane[], events: readonly string[]) => void;

/** Runs functions of the core: each statement by itself, or all of a call as a whole. */
export class DirectCalls<C extends CallMap<C>> implements Caller<C> {
  readonly #functions: Functions<C>;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #committed: Committed | null;

  /** @param committed null: nothing is written */
  constructor(
    functions: Functions<C>,
    database: Database,
    clock: Clock,
    committed: Committed | null,
  ) {
    this.#functions = functions;
    this.#database = database;
    this.#clock = clock;
    this.#committed = committed;
  }

  async call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']> {
    const database = this.#database;
    const now = this.#clock.now();
    const act = (tx: Tx) => this.#functions[name](tx, ...args);
    try {
      if (this.#committed === null) {
        return await act(
          new PostgresTx(database, (sql, values) => database.query(sql, values), now),
        );
      }
      const { result, tx } = await database.transaction(async (run) => {
        const inner = new PostgresTx(database, run, now);
        return { result: await act(inner), tx: inner };
      });
      this.#committed([...tx.changedLanes], Array.from(tx.changedEvents, String));
      return result;
    } catch (error) {
      // A row holds something else than was written.
      if (error instanceof SyntaxError) throw new LedgerUnavailable(error.message);
      throw error;
    }
  }
}
