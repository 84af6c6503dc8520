import { option, wholeNumber } from '../command.ts';
import type { OptionValues } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';
import type { Page } from './service-client.ts';

const DEFAULT_LIMIT = 20;
const LARGEST_LIMIT = 10_000;
/** Most that the service gives at a time. */
const LARGEST_PAGE = 200;

/** Of every command that lists what the service gives page by page. */
export const PAGE_OPTIONS = [
  option(
    '--limit <count>',
    'most to list, 1 to 10000 (default: 20)',
    wholeNumber('--limit', 1, LARGEST_LIMIT),
  ),
  option('--cursor <cursor>', 'go on where an earlier list ended'),
] as const;

/** Some rows, and where the next ones begin; null: there are no more. */
export interface Rows<T> {
  readonly rows: readonly T[];
  readonly nextCursor: string | null;
}

/** As many pages as the limit needs, one after the other. */
export async function gatherPages<T>(
  { limit = DEFAULT_LIMIT, cursor }: OptionValues<typeof PAGE_OPTIONS>,
  fetchPage: (page: Page) => Promise<Rows<T>>,
): Promise<Rows<T>> {
  const rows: T[] = [];
  let next: string | null | undefined = cursor;
  do {
    const page: Rows<T> = await fetchPage({
      limit: Math.min(limit - rows.length, LARGEST_PAGE),
      ...(next !== undefined && { cursor: next }),
    });
    rows.push(...page.rows);
    next = page.rows.length === 0 ? null : page.nextCursor;
  } while (next !== null && rows.length < limit);
  return { rows, nextCursor: next };
}

/** Says where the list goes on, if it does. */
export function noteMore(nextCursor: string | null, terminal: Terminal): void {
  if (nextCursor !== null) terminal.note(`There are more: --cursor ${asLine(nextCursor)}`);
}
