import { Maintenance } from '../../hooks/ports/ledger.ts';
import type { Retention, StoreState } from '../../hooks/ports/ledger.ts';
import type { WriterCalls } from './protocol.ts';
import type { SearchFollower } from '../stored/search-follower.ts';
import type { StoreWatch } from './store-watch.ts';
import type { RpcClient } from './worker-client.ts';

/** Pruning, the health check (a real write) and the end. */
export class SqliteMaintenance extends Maintenance {
  readonly #writer: RpcClient<WriterCalls>;
  readonly #watch: StoreWatch;
  readonly #follower: SearchFollower | null;
  readonly #close: () => Promise<void>;

  constructor(
    writer: RpcClient<WriterCalls>,
    watch: StoreWatch,
    follower: SearchFollower | null,
    close: () => Promise<void>,
  ) {
    super();
    this.#writer = writer;
    this.#watch = watch;
    this.#follower = follower;
    this.#close = close;
  }

  async prune(retention: Retention): Promise<boolean> {
    const hasMore = await this.#writer.call('prune', retention);
    await this.#follower?.look();
    return hasMore;
  }

  async health(): Promise<void> {
    // A ledger that is closed or lost says so itself.
    await this.#writer.call('probe');
    await this.#watch.health.check();
  }

  override state(): Promise<StoreState> {
    return this.#watch.health.state();
  }

  override untilLost(): Promise<string> {
    return this.#watch.untilLost;
  }

  close(): Promise<void> {
    return this.#close();
  }
}
