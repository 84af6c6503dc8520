import type { FollowedIndex, Followed } from '../stored/search-follower.ts';
import type { ReaderCalls, WriterCalls } from './protocol.ts';
import type { RpcClient } from './worker-client.ts';

/** The index of the reader thread follows; what it has followed for good, the writer deletes from the list of changes. */
export class SearchSlices implements FollowedIndex {
  readonly #reader: RpcClient<ReaderCalls>;
  readonly #writer: RpcClient<WriterCalls>;

  constructor(reader: RpcClient<ReaderCalls>, writer: RpcClient<WriterCalls>) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async follow(budgetMs: number): Promise<Followed> {
    const { followed, ...slice } = await this.#reader.call('follow', budgetMs);
    if (followed !== null) {
      while (await this.#writer.call('trimChangedTexts', followed));
    }
    return slice;
  }

  hasMore(): Promise<boolean> {
    return this.#writer.call('hasChangedTexts');
  }
}
