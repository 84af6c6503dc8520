// The index names candidates, newest first; the ledger says whether they pass and have the words.
import type { EventFilter, EventSummary } from '../../../../hooks/ports/event-store.ts';
import { leaveOutOfText } from '../../../../platform/credentials.ts';
import { findTerms, parseSearch } from '../../../../platform/search-text.ts';
import { firstKeyOf } from '../../id-keys.ts';
import { findOne } from '../../../events/event-list.ts';
import type { Tx } from '../../../tx.ts';
import type { EventTexts } from './event-texts.ts';
import type { IndexTables } from './index-tables.ts';

/** How long one page may take; what was found until then is a page, too. */
const LONGEST_MS = 200;

interface FoundPage {
  readonly events: readonly EventSummary[];
  readonly nextCursor: string | null;
}

export class Finding {
  readonly #tx: Tx;
  readonly #texts: EventTexts;
  readonly #tables: IndexTables;

  constructor(tx: Tx, texts: EventTexts, tables: IndexTables) {
    this.#tx = tx;
    this.#texts = texts;
    this.#tables = tables;
  }

  /** One more than asked for is looked for: whether it exists decides whether there is a next page. */
  async find(filter: EventFilter, search: string): Promise<FoundPage> {
    const terms = parseSearch(search);
    const until = performance.now() + LONGEST_MS;
    const found: { key: number; summary: EventSummary }[] = [];
    const page = (last: number | null): FoundPage => ({
      events: found.slice(0, filter.limit).map(({ summary }) => summary),
      nextCursor: last === null ? null : String(last),
    });
    for (const { key, isCandidate } of this.#places(filter, terms)) {
      const summary = isCandidate ? await this.#look(key, filter, terms) : null;
      if (summary !== null) found.push({ key, summary });
      if (found.length > filter.limit) return page(found.at(-2)!.key);
      if (performance.now() > until) return page(key);
    }
    return page(null);
  }

  /** Candidates, and after each part the place that was reached: a search that finds nothing ends in time, too. */
  *#places(
    { cursor, since }: EventFilter,
    terms: readonly string[],
  ): Iterable<{ key: number; isCandidate: boolean }> {
    const before = cursor === undefined ? this.#tables.end : this.#tables.placeOf(Number(cursor));
    const oldest = since === undefined ? -Infinity : firstKeyOf(since);
    for (const part of this.#tables.partsBefore(before)) {
      for (const { event } of this.#tables.candidates(part, before, terms)) {
        yield { key: event, isCandidate: event >= oldest };
      }
      const first = this.#tables.firstOf(part);
      if (first === null) continue;
      if (first < oldest) return;
      yield { key: first, isCandidate: false };
    }
  }

  async #look(
    key: number,
    filter: EventFilter,
    terms: readonly string[],
  ): Promise<EventSummary | null> {
    const summary = await findOne(this.#tx, key, filter);
    const text = summary === null ? null : this.#texts.of(key);
    const match = text === null ? null : findTerms(text, terms);
    return summary === null || match === null ? null : { ...summary, match: leaveOutOfText(match) };
  }
}
