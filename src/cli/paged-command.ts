import { Injectable } from '@nestjs/common';
import { Option } from 'nest-commander';
import { Clock } from '../hooks/index.ts';
import { asLine } from './foreign-text.ts';
import { wholeNumber } from './named-values.ts';
import type { Page } from './service/service-client.ts';
import { ServiceCommand } from './service/service-command.ts';
import type { ServiceOptions } from './service/service-command.ts';
import { ServiceFinder } from './service/service-finder.ts';
import { Terminal } from './terminal.ts';

const DEFAULT_LIMIT = 20;
const MOST = 10_000;
/** Most that the service gives at a time. */
const LARGEST_PAGE = 200;

export interface PagedOptions extends ServiceOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Some rows, and where the next ones begin. */
export interface Rows<T> {
  readonly rows: readonly T[];
  readonly nextCursor: string | null;
}

/** A command that lists, page by page. */
@Injectable()
export abstract class PagedCommand extends ServiceCommand {
  constructor(
    terminal: Terminal,
    services: ServiceFinder,
    protected readonly clock: Clock,
  ) {
    super(terminal, services);
  }

  @Option({ flags: '--limit <count>', description: 'most to list, 1 to 10000 (default: 20)' })
  parseLimit(count: string): number {
    return wholeNumber('--limit', count, 1, MOST);
  }

  @Option({ flags: '--cursor <cursor>', description: 'go on where an earlier list ended' })
  parseCursor(cursor: string): string {
    return cursor;
  }

  /** As many pages as the limit needs. */
  protected async gather<T>(
    { limit = DEFAULT_LIMIT, cursor }: PagedOptions,
    page: (asked: Page) => Promise<Rows<T>>,
  ): Promise<Rows<T>> {
    const rows: T[] = [];
    let next: string | null | undefined = cursor;
    do {
      const some: Rows<T> = await page({
        limit: Math.min(limit - rows.length, LARGEST_PAGE),
        ...(next !== undefined && { cursor: next }),
      });
      rows.push(...some.rows);
      next = some.rows.length === 0 ? null : some.nextCursor;
    } while (next !== null && rows.length < limit);
    return { rows, nextCursor: next };
  }

  /** Says where the list goes on, if it does. */
  protected noteMore(nextCursor: string | null): void {
    if (nextCursor === null) return;
    this.terminal.note(`There are more: --cursor ${asLine(nextCursor)}`);
  }
}
