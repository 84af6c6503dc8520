// What an operator may have forgotten beside events, and where it stands: the same rows in every ledger.
import { fullSessionKey, mainSession } from '../hooks/ports/jobs.ts';
import { hasTerms } from '../platform/search-text.ts';
import { CHANNEL_FAILURE_KEYS } from './channel-rows.ts';
import { text } from './rows.ts';
import type { Row } from './rows.ts';
import type { StoredHead } from './stored-head.ts';

/** Turns that one step looks at: they may be long. */
export const STEP_TURNS = 100;

/** Rows of one table that hold words of their own. */
export interface ErasableRows {
  readonly table: string;
  /** The columns that name a row. */
  readonly key: readonly string[];
  /** The columns that hold words. */
  readonly words: readonly string[];
  readonly where: string;
  /** What is erased of a row; absent: all of it. */
  readonly clear?: string;
}

/** Small tables: all of their rows are looked at in one step. */
export const ERASABLE: Readonly<Record<'lines' | 'refusals' | 'others', readonly ErasableRows[]>> =
  {
    lines: [
      {
        table: 'system_events',
        key: ['session', 'seq'],
        words: ['text'],
        where: 'event IS NULL AND text IS NOT NULL',
      },
    ],
    refusals: [
      {
        table: 'refusals',
        key: ['n'],
        words: ['hook', 'name', 'client', 'reason'],
        where: 'n > 0',
      },
    ],
    others: [
      { table: 'bad_ends', key: ['n'], words: ['line'], where: 'n > 0' },
      {
        table: 'meta',
        key: ['key'],
        words: ['value'],
        where: `key LIKE '${CHANNEL_FAILURE_KEYS}'`,
      },
      {
        table: 'work',
        key: ['id'],
        words: ['job'],
        where: `stage = 'dead' AND event_id IS NULL AND job IS NOT NULL`,
      },
      {
        table: 'audit',
        key: ['n'],
        words: ['subject', 'changed_from', 'changed_to'],
        where: 'n > 0',
        // That it was done, and by whom, stays.
        clear: 'subject = NULL, changed_from = NULL, changed_to = NULL',
      },
      { table: 'recipients', key: ['session', 'channel'], words: ['recipient'], where: 'true' },
      {
        table: 'sessions',
        key: ['key'],
        words: ['recipient'],
        where: 'recipient IS NOT NULL',
        clear: 'channel = NULL, recipient = NULL',
      },
    ],
  };

/** Those of the rows that have all of the terms. @param columns whose words count */
export function matchingRows(
  rows: readonly Row[],
  columns: readonly string[],
  terms: readonly string[],
): readonly Row[] {
  return rows.filter((row) =>
    hasTerms(
      columns.map((column) => row[column]),
      terms,
    ),
  );
}

/** The sessions that were, or will be, shown an event: those of its runs, and the main ones of its agents. */
export function sessionsShown(runs: readonly Row[], { actions = [] }: StoredHead): string[] {
  const own = runs.map((run) => fullSessionKey(text(run, 'agent_id'), text(run, 'session_key')));
  const agents = [...runs.map((run) => run['agent_id']), ...actions.map(({ agentId }) => agentId)];
  return [...new Set([...own, ...agents.map((id) => mainSession(String(id)))])];
}
