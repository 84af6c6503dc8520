import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SearchRefused } from '../../hooks/ports/event-store.ts';
import type { EventFilter, FoundEvents } from '../../hooks/ports/event-store.ts';
import type { LedgerLog } from '../../hooks/ports/ledger.ts';
import type { Followed, FollowedIndex } from '../search-follower.ts';
import type { EventSearch } from '../ports/event-store.ts';
import type { ReaderCalls, WriterCalls } from './protocol.ts';
import type { QueuedCaller } from '../call-queue.ts';

export function searchFileOf(dir: string): string {
  return join(dir, 'search.db');
}

/** Removes an index with its side files. @param file no connection is open to it */
export function removeSearchFile(file: string): void {
  for (const name of [`${file}-wal`, `${file}-shm`, file]) rmSync(name, { force: true });
}

/** For a ledger whose search is switched off: what was indexed before is not left behind. */
export function removeSearchFileOf(dir: string, log: LedgerLog): void {
  const file = searchFileOf(dir);
  try {
    removeSearchFile(file);
  } catch {
    log.error(`${file} cannot be removed, though search is switched off: remove it`);
  }
}

export class ThreadSearch implements EventSearch {
  readonly #reader: QueuedCaller<ReaderCalls>;

  constructor(reader: QueuedCaller<ReaderCalls>) {
    this.#reader = reader;
  }

  async search(filter: EventFilter, search: string): Promise<FoundEvents> {
    const { page, trouble } = await this.#reader.call('search', filter, search);
    if (page === null) throw new SearchRefused('unavailable', trouble);
    return page;
  }
}

/** The index of the reader thread follows; what it has followed for good, the writer deletes from the list of changes. */
export class SearchSlices implements FollowedIndex {
  readonly #reader: QueuedCaller<ReaderCalls>;
  readonly #writer: QueuedCaller<WriterCalls>;

  constructor(reader: QueuedCaller<ReaderCalls>, writer: QueuedCaller<WriterCalls>) {
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
