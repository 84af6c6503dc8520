import type { Lane, NewWork } from '../hooks/ports/jobs.ts';
import type { DeadWork, WaitingWork, WorkCounts } from '../hooks/ports/ledger-admin.ts';
import { integer, optionalInteger, text, word } from './rows.ts';
import type { Row } from './rows.ts';

export const KINDS: readonly NewWork['kind'][] = ['run', 'heartbeat', 'delivery', 'notice'];

/** Kinds of work that an operator may have done anew once they were given up. */
export const RETRIABLE = ['run', 'delivery'] as const;

export const LANES: readonly Lane[] = ['turn', 'delivery'];

/** What the stages of work are called in metrics. */
const STATES = ['waiting', 'running', 'dead'] as const;

/** @param row `kind`, `state`, `count` and `oldest`, since when the oldest is due that could be begun (epoch milliseconds) */
export function toWorkCounts(row: Row): WorkCounts {
  const oldestDueAt = optionalInteger(row, 'oldest');
  return {
    kind: word(row, 'kind', KINDS),
    state: word(row, 'state', STATES),
    count: integer(row, 'count'),
    ...(oldestDueAt !== null && { oldestDueAt }),
  };
}

const CAUSES: readonly WaitingWork['cause'][] = [
  'order',
  'retry',
  'backend',
  'crash',
  'slot',
  'decision',
  'event',
  'collect',
  'limit',
  'budget',
  'loop',
  'quiet-hours',
];

/** @param row `kind`, `hook` (empty: none asked for it), `cause`, `waits_for` (empty: nobody), `count` and `since`, when the oldest was accepted */
export function toWaitingWork(row: Row): WaitingWork {
  return {
    kind: word(row, 'kind', KINDS),
    hook: text(row, 'hook') || null,
    cause: word(row, 'cause', CAUSES),
    waitsFor: text(row, 'waits_for') || null,
    count: integer(row, 'count'),
    since: integer(row, 'since'),
  };
}

/** @param row `kind`, `hook` and `channel` (empty: none), `count` and `since`, when the first of them was buried */
export function toDeadWork(row: Row): DeadWork {
  return {
    kind: word(row, 'kind', RETRIABLE),
    channel: text(row, 'channel') || null,
    hook: text(row, 'hook') || null,
    count: integer(row, 'count'),
    since: integer(row, 'since'),
  };
}
