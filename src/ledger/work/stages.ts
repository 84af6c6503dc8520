// The stages of work and what it waits for, in the words of the statements that ask for several of them.
import type { HeldFor } from '../../hooks/ports/work-ledger.ts';

/** What was under way in so many crashes in a row is suspect: it may be what takes the process down. */
export const SUSPECT_CRASHES = 2;

/** The stage of work that is first of its key and due. */
export const CLAIMABLE = `CASE WHEN crashes >= ${SUSPECT_CRASHES} THEN 'suspect' ELSE 'ready' END`;

/** Work that is first of its key, word for word as the index says it that finds it. */
export const FIRST = `stage IN ('retrying', 'suspect', 'ready', 'leased')`;

/** What `work.server` says of turns that wait for the end of others, which have reserved what is left of a budget. */
export const SHORT_OF_BUDGET = 'budget reserved';

/** What `work.server` says of turns that wait for an answer: a row of `waits` says to what. */
export const ANSWERS: readonly string[] = ['decision', 'event', 'loop'] satisfies HeldFor[];

/** What it says of turns that rules hold, which are asked again once they may have changed. */
export const RULES: readonly string[] = ['collect', 'limit', 'budget', SHORT_OF_BUDGET];

export function listed(words: readonly string[]): string {
  return `('${words.join("', '")}')`;
}

/** What a row says of a lease that has ended. */
export const UNLEASED = 'instance = NULL, lease_ends = NULL';

/** Appends a JSON text to the list that a column is. @param note a parameter, or a column */
export function appended(note: string): string {
  return `CASE notes WHEN '[]' THEN '[' ELSE substr(notes, 1, length(notes) - 1) || ',' END || ${note} || ']'`;
}
