// What each call does that is not the core's alone (../../core.ts): what the writer keeps in mind of its file, and the
// functions behind the names of calls. All of them run inside the transaction of their group, and take the time from it.
import type { DatabaseSync } from 'node:sqlite';
import type { Acceptance } from '../../../hooks/ports/event.ts';
import { accept } from '../../accepting/accept.ts';
import type { Functions } from '../../calls.ts';
import { FRESH_READS, READS, WRITES } from '../../core.ts';
import { renew } from '../../work/commit.ts';
import { LANES } from '../../work-rows.ts';
import type { ReaderCalls, WriterCalls, WriterStart } from '../protocol.ts';
import type { SqliteTx } from '../statements.ts';
import { ChangedTexts } from './events/changed-texts.ts';
import { FilePruning } from './operations/prune.ts';
import { SearchIndex } from './search/search-index.ts';
import { Claims } from './work/claims.ts';
import { ClockSteps } from './work/clock-steps.ts';
import { Queues } from './work/queues.ts';
import type { Together } from './inline-host.ts';

/**
 * Ends all leases but those that are held: the directory is locked, so the process before cannot be alive, and nobody
 * heard of what a writer that died handed out last.
 */
export async function createWriterHandlers(
  db: DatabaseSync,
  tx: SqliteTx,
  { now, elapsed, held, hasSearch }: WriterStart,
) {
  const queues = new Queues(db);
  const claims = new Claims(db, queues);
  const changedTexts = hasSearch ? new ChangedTexts(db) : null;
  const clock = new ClockSteps(db, now, elapsed);
  const pruning = new FilePruning(db, clock);
  tx.remember(queues);
  tx.now = now;
  await claims.endAll(tx, held);
  claims.pullIn(now);
  const allLanesChanged = () => {
    for (const lane of LANES) tx.changedLanes.add(lane);
  };
  const handlers: Functions<WriterCalls> = {
    ...FRESH_READS,
    ...WRITES,
    accept: async (_tx, ...arrival) => (await acceptAll(tx, [arrival]))[0]!,
    claim: (_tx, lane, max, limits) => claims.claim(tx, lane, max, limits),
    renew: (_tx, workId, attempt) => renew(tx, workId, attempt, null),
    clearTranscript: (_tx, session) => {
      pruning.noteForgotten();
      return WRITES.clearTranscript(tx, session);
    },
    forgetEvent: (_tx, eventId) => {
      pruning.noteForgotten();
      return WRITES.forgetEvent(tx, eventId);
    },
    prune: async (_tx, retention) => {
      const hasMoreTexts = changedTexts?.trim(0) ?? false;
      return (await pruning.step(tx, retention)) || hasMoreTexts;
    },
    hasChangedTexts: () => changedTexts?.isMore ?? false,
    trimChangedTexts: (_tx, followed) => changedTexts?.trim(followed) ?? false,
  };
  // After a rollback, what these remember may never have been written.
  const forget = () => {
    queues.forget();
    tx.memory.clear();
    pruning.forget();
  };
  const noteTime = (time: number, elapsedNow: number) => {
    if (clock.note(time, elapsedNow)) allLanesChanged();
  };
  return {
    handlers,
    together: { accept: acceptAll } satisfies Together<WriterCalls>,
    noteTime,
    forget,
    hasForgotten: () => pruning.takeForgotten(),
  };
}

function acceptAll(
  tx: SqliteTx,
  calls: readonly WriterCalls['accept']['args'][],
): Promise<readonly Acceptance[]> {
  return accept(
    tx,
    calls.map(([event, limits]) => ({ event, limits })),
  );
}

/** Everything that an operator reads, on one connection. @param searchFile where the index is; null: in memory */
export function createReaderHandlers(
  db: DatabaseSync,
  tx: SqliteTx,
  searchFile: string | null,
): { handlers: Functions<ReaderCalls>; close(): void } {
  const index = new SearchIndex(db, tx, searchFile);
  const handlers: Functions<ReaderCalls> = {
    ...READS,
    search: (_tx, filter, search) => index.search(filter, search),
    follow: (_tx, budgetMs) => index.follow(budgetMs),
  };
  return { handlers, close: () => index.close() };
}
