import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { CallMap, Caller, Functions } from '../calls.ts';
import type { Tx } from '../tx.ts';
import type { Database } from './connection.ts';
import { PostgresTx } from './statements.ts';

/** Runs functions of the core: each statement by itself, or all of a call as a whole. */
export class DirectCalls<C extends CallMap<C>> implements Caller<C> {
  readonly #functions: Functions<C>;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #isWhole: boolean;

  constructor(functions: Functions<C>, database: Database, clock: Clock, how?: 'as a whole') {
    this.#functions = functions;
    this.#database = database;
    this.#clock = clock;
    this.#isWhole = how === 'as a whole';
  }

  async call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']> {
    const act = (tx: Tx) => this.#functions[name](tx, ...args);
    const now = this.#clock.now();
    try {
      if (!this.#isWhole) {
        return await act(new PostgresTx((sql, values) => this.#database.query(sql, values), now));
      }
      return await this.#database.transaction(async (run) => act(new PostgresTx(run, now)));
    } catch (error) {
      // A row holds something else than was written.
      if (error instanceof SyntaxError) throw new LedgerUnavailable(error.message);
      throw error;
    }
  }
}
