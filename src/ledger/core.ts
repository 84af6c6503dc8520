// docs/design/ledger.md
// Everything that the ledger does by one function each, whatever it is kept in.
import { isPaused } from './accepting/accept.ts';
import { holderOf } from './accepting/idempotency.ts';
import type { CallsOf } from './calls.ts';
import { readEvent, readRequest, readRun } from './events/event-details.ts';
import { listEvents, summariesOf } from './events/event-list.ts';
import { readHookUses } from './events/hook-uses.ts';
import { readActivity } from './records/activity.ts';
import { listAudit, recordAudit } from './records/audit.ts';
import { gatherBadEnds } from './records/bad-ends.ts';
import {
  endConsoleSession,
  extendConsoleSession,
  findConsoleSession,
  startConsoleSession,
} from './records/console-sessions.ts';
import {
  keepCertificate,
  noteChannels,
  probe,
  readCertificates,
  readChannels,
  setPaused,
} from './records/meta.ts';
import { readUsage } from './records/usage.ts';
import { countRefusals, listRefusals, recordRefusals, sumRefusals } from './records/refusals.ts';
import { readCounts, readDead, readWaiting } from './records/work-counts.ts';
import { forgetEvent } from './retention/erasing.ts';
import { listSessions, readSession } from './sessions/session-list.ts';
import {
  clearRoutes,
  clearTranscript,
  noteRoute,
  readContext,
  readRoutes,
} from './sessions/session-memory.ts';
import { readBudgets, reserveTurn } from './work/budgets.ts';
import { abandon, commit, noteActing } from './work/commit.ts';
import { readBehind } from './work/gathering.ts';
import { dismiss, dismissAll, retry, retryAll } from './work/dead-work.ts';
import { add, reconsider } from './work/queue.ts';
import { resume } from './work/resuming.ts';
import { reserve } from './work/spending.ts';
import { countWaits, decide, hasOpenButtons, listWaits, readQuestion } from './work/waits.ts';

/** What an operator looks at: beside the writing, and it may be a moment behind. */
export const READS = {
  listEvents,
  summariesOf,
  readEvent,
  readRun,
  readRequest,
  readHookUses,
  listSessions,
  readSession,
  listRefusals,
  countRefusals,
  sumRefusals,
  listAudit,
  listWaits,
  findConsoleSession,
  readCounts,
  readDead,
  readWaiting,
  readChannels,
  readActivity,
  readUsage,
  readBudgets,
};
export type Reads = CallsOf<typeof READS>;

/** What has to be read in order with the writing: a turn sees every step that was committed before. */
export const FRESH_READS = {
  readContext,
  readRoutes,
  readCertificates,
  gatherBadEnds,
  readQuestion,
  hasOpenButtons,
  countWaits,
  readBehind,
  holderOf,
  isPaused,
};
export type FreshReads = CallsOf<typeof FRESH_READS>;

/** What is written as a whole or not at all. */
export const WRITES = {
  add,
  commit,
  noteActing,
  abandon,
  recordRefusals,
  recordAudit,
  decide,
  resume,
  reserve,
  reconsider,
  reserveTurn,
  setPaused,
  startConsoleSession,
  extendConsoleSession,
  endConsoleSession,
  keepCertificate,
  noteChannels,
  noteRoute,
  clearRoutes,
  clearTranscript,
  retry,
  retryAll,
  dismiss,
  dismissAll,
  forgetEvent,
  probe,
};
export type Writes = CallsOf<typeof WRITES>;
