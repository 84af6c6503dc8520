import { option, wholeNumber } from '../command.ts';
import type { OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';

const DEFAULT_LIMIT = 20;
const LARGEST_LIMIT = 10_000;
const LARGEST_PAGE = 200;

export const PAGE_OPTIONS = [
  option(
    '--limit <count>',
    'most to list, 1 to 10000 (default: 20)',
    wholeNumber('--limit', 1, LARGEST_LIMIT),
  ),
  option('--cursor <cursor>', 'go on where an earlier list ended'),
] as const;

interface Page {
  /** Where the next ones begin; null: there are no more. */
  readonly nextCursor: string | null;
}

interface PageAsked {
  readonly limit: number;
  readonly cursor?: string;
}

/** The rows of as many pages as the limit needs, with what else the last page says. @param key of the rows in a page */
export async function gatherPages<
  Key extends string,
  P extends Page & { readonly [K in Key]: readonly unknown[] },
>(
  key: Key,
  { limit = DEFAULT_LIMIT, cursor }: OptionValues<typeof PAGE_OPTIONS>,
  fetchPage: (page: PageAsked) => Promise<P>,
): Promise<P> {
  const rows: unknown[] = [];
  for (let next = cursor; ;) {
    const most = Math.min(limit - rows.length, LARGEST_PAGE);
    const page = await fetchPage({ limit: most, ...(next !== undefined && { cursor: next }) });
    rows.push(...page[key]);
    const nextCursor = page[key].length === 0 ? null : page.nextCursor;
    if (nextCursor === null || rows.length >= limit) return { ...page, [key]: rows, nextCursor };
    next = nextCursor;
  }
}

export async function* everyPage<P extends Page>(
  fetchPage: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: P = await fetchPage(cursor);
    yield page;
    cursor = page.nextCursor;
  }
}

export function noteMore(nextCursor: string | null, terminal: Terminal): void {
  if (nextCursor !== null) terminal.note(`There are more: --cursor ${asLine(nextCursor)}`);
}
