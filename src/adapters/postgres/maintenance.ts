import { Maintenance } from '../../hooks/ports/ledger.ts';
import type { Retention, StoreState } from '../../hooks/ports/ledger.ts';
import type { PostgresStore } from './store.ts';

/** What forgets a small step's worth. */
export interface PruningSteps {
  step(retention: Retention): Promise<boolean>;
}

/** Pruning, the health check (a real write) and the end. */
export class PostgresMaintenance extends Maintenance {
  readonly #store: PostgresStore;
  readonly #pruning: PruningSteps;
  readonly #close: () => Promise<void>;

  constructor(store: PostgresStore, pruning: PruningSteps, close: () => Promise<void>) {
    super();
    this.#store = store;
    this.#pruning = pruning;
    this.#close = close;
  }

  async prune(retention: Retention): Promise<boolean> {
    this.#store.checkOpen();
    const hasMore = await this.#pruning.step(retention);
    await this.#store.follower?.look();
    return hasMore;
  }

  async health(): Promise<void> {
    this.#store.checkOpen();
    await this.#store.health.check();
  }

  override async state(): Promise<StoreState> {
    this.#store.checkOpen();
    return this.#store.health.state();
  }

  close(): Promise<void> {
    return this.#close();
  }
}
