import type { EventFilter, FoundEvents } from '../../../hooks/ports/event-store.ts';
import { SearchRefused } from '../../../hooks/ports/event-store.ts';
import type { Followed, FollowedIndex } from '../../search-follower.ts';
import type { Database } from '../connection.ts';
import { findEvents } from './finding.ts';
import { behindSince, followLot } from './following.ts';
import { makeSearchTables } from './search-tables.ts';
import { stateOf } from './sql-state.ts';

/** How long a search waits for what is not in the index yet. */
const CATCH_UP_MS = 50;
/** The server's word for a table that is not there: another instance, whose search is switched off, has removed it. */
const NO_TABLE = '42P01';

const HAS_MORE = `(SELECT 1 FROM @schema.changed_texts LIMIT 1)
  UNION ALL (SELECT 1 FROM @schema.search_backlog LIMIT 1)`;

export class SearchIndex implements FollowedIndex {
  readonly #database: Database;
  /** Why there is no index, in a sentence without its stop; null: there is one. */
  #trouble: string | null = 'the search index was not made yet';

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes it, if it is not there. @returns why it cannot be made, in a sentence without its stop; null: it is there */
  async make(): Promise<string | null> {
    return (this.#trouble = await makeSearchTables(this.#database));
  }

  async follow(budgetMs: number): Promise<Followed> {
    const began = performance.now();
    const isOver = () => performance.now() - began > budgetMs;
    const answer = (isBehind: boolean) => ({
      isBehind,
      tookMs: performance.now() - began,
      trouble: this.#trouble,
    });
    if (this.#trouble !== null && (await this.make()) !== null) return answer(true);
    try {
      let followed: Awaited<ReturnType<typeof followLot>>;
      do followed = await followLot(this.#database, isOver);
      while (followed === 'some' && !isOver());
      return answer(followed !== 'nothing');
    } catch (error) {
      this.#noteMissing(error);
      return answer(true);
    }
  }

  async hasMore(): Promise<boolean> {
    if (this.#trouble !== null) return true;
    try {
      return (await this.#database.query(HAS_MORE)).length > 0;
    } catch (error) {
      this.#noteMissing(error);
      return true;
    }
  }

  /** What came a moment ago is looked for first: it may not be in the index yet. @throws SearchRefused */
  async search(filter: EventFilter, search: string): Promise<FoundEvents> {
    const { isBehind, trouble } = await this.follow(CATCH_UP_MS);
    if (trouble !== null) throw new SearchRefused('unavailable', trouble);
    try {
      const searchedUntil = isBehind ? await behindSince(this.#database) : null;
      return { ...(await findEvents(this.#database, filter, search)), searchedUntil };
    } catch (error) {
      throw new SearchRefused('unavailable', this.#noteMissing(error));
    }
  }

  /** @throws what says something else than that a table of the index is missing */
  #noteMissing(error: unknown): string {
    if (stateOf(error) !== NO_TABLE) throw error;
    return (this.#trouble =
      'an instance whose search is switched off has removed the search index');
  }
}
