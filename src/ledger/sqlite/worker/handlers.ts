// What each call does that is not the core's alone (../../core.ts): builds the tables of a connection and names the method
// behind it. All handlers run inside the transaction of their batch, and take the time from it.
import type { DatabaseSync } from 'node:sqlite';
import { decodeChange, decodeEvent, decodeWork } from '../../codec.ts';
import { decodeKey } from '../../stored-key.ts';
import { LANES } from '../../work-rows.ts';
import type { Functions } from '../../calls.ts';
import { FRESH_READS, READS, WRITES } from '../../core.ts';
import { addRefusals } from '../../records/refusals.ts';
import type { ReaderCalls, WriterCalls, WriterStart } from '../protocol.ts';
import type { SqliteTx } from '../statements.ts';
import { Accepting } from './intake/accepting.ts';
import { ActivityRecord } from './operations/activity.ts';
import { Pause } from './operations/pause.ts';
import { Backlog } from './work/backlog.ts';
import { ChangedTexts } from './events/changed-texts.ts';
import { BadEnds, Changes } from './work/changes.ts';
import { Claims } from './work/claims.ts';
import { ClockSteps } from './work/clock-steps.ts';
import { HeartbeatCounts, Settlement } from './events/event-status.ts';
import { IdempotencyKeys } from './intake/idempotency.ts';
import { Interruptions } from './work/interruptions.ts';
import { FilePruning } from './operations/prune.ts';
import { SqliteMoves } from './work/moves.ts';
import { WorkQueue } from './work/queue.ts';
import { Room } from './intake/room.ts';
import { SearchIndex } from './search/search-index.ts';
import { Routes, Transcripts } from './sessions/sessions.ts';
import { Parts, Steps } from './work/steps.ts';
import { SystemEvents } from './sessions/system-events.ts';
import { UnderWay } from './work/under-way.ts';

/** The tables, each with the others that it writes to. */
function buildWriterTables(
  db: DatabaseSync,
  { changedLanes, changedEvents }: SqliteTx,
  now: number,
) {
  const backlog = new Backlog(db);
  const underWay = new UnderWay(db);
  const activity = new ActivityRecord(
    db,
    now,
    () => backlog.total - underWay.runs - underWay.deliveries,
  );
  const queue = new WorkQueue(db, backlog, underWay, changedLanes);
  const heartbeats = new HeartbeatCounts(db);
  const settlement = new Settlement(db, changedEvents);
  const systemEvents = new SystemEvents(db, heartbeats);
  const transcripts = new Transcripts(db);
  const routes = new Routes(db);
  const keys = new IdempotencyKeys(db);
  const pause = new Pause(db);
  const parts = new Parts(db);
  const room = new Room({ backlog, underWay, queue, systemEvents });
  const badEnds = new BadEnds(db);
  const changes = new Changes(db, {
    activity,
    badEnds,
    queue,
    systemEvents,
    heartbeats,
    transcripts,
    routes,
  });
  return {
    activity,
    backlog,
    underWay,
    queue,
    systemEvents,
    transcripts,
    routes,
    keys,
    pause,
    badEnds,
    changes,
    accepting: new Accepting(db, {
      changedEvents,
      keys,
      pause,
      room,
      systemEvents,
      changes,
      activity,
    }),
    claims: new Claims(db, { changedEvents, queue, underWay, parts }),
    interruptions: new Interruptions(db),
    steps: new Steps(db, { queue, underWay, parts, changes, settlement }),
    moves: new SqliteMoves(db, { queue, settlement, systemEvents }),
  };
}

/**
 * Everything that writes, on one connection, in a transaction of the caller's. Begins by ending all leases but those that
 * are held: the process before cannot be alive, since the directory is locked, and nobody heard of what a writer that died
 * had handed out last.
 */
export function createWriterHandlers(
  db: DatabaseSync,
  tx: SqliteTx,
  { now, elapsed, held, hasSearch }: WriterStart,
) {
  const tables = buildWriterTables(db, tx, now);
  const { activity, backlog, underWay, queue, systemEvents, pause, claims, interruptions } = tables;
  const changedTexts = hasSearch ? new ChangedTexts(db) : null;
  const clock = new ClockSteps(db, now, elapsed);
  const pruning = new FilePruning(db, clock);
  tx.moves = tables.moves;
  interruptions.endAll(now, held);
  interruptions.pullIn(now);
  const allLanesChanged = () => {
    for (const lane of LANES) tx.changedLanes.add(lane);
  };
  const handlers: Functions<WriterCalls> = {
    ...FRESH_READS,
    ...WRITES,
    accept: ({ now }, event, limits) => tables.accepting.accept(decodeEvent(event), limits, now),
    claim: ({ now }, lane, max, limits) =>
      pause.isPaused() ? { leases: [], nextDue: null } : claims.claim(lane, max, limits, now),
    add: ({ now }, work) => {
      queue.add(decodeWork(work), now);
      return null;
    },
    renew: (_tx, workId, attempt) => claims.isHeld(workId, attempt),
    noteActing: (_tx, workId, attempt) => claims.noteActing(workId, attempt),
    abandon: ({ now }, workId, attempt) => {
      const held = underWay.get(workId, attempt);
      if (held === null) return null;
      underWay.end(held);
      interruptions.endOne(held, now);
      allLanesChanged();
      return null;
    },
    commit: ({ now }, workId, attempt, outcome, changes) =>
      tables.steps.commit({ workId, attempt }, outcome, changes.map(decodeChange), now),
    holderOf: ({ now }, key) => tables.accepting.holderOf(decodeKey(key), now),
    clearTranscript: (tx, session) => {
      pruning.noteForgotten();
      return WRITES.clearTranscript(tx, session);
    },
    recordRefusals: async (tx, refusals, changes) => {
      await addRefusals(tx, refusals);
      for (const { count } of refusals) activity.add('refused', count);
      for (const change of changes) tables.changes.apply(decodeChange(change), tx.now);
      return null;
    },
    forgetEvent: (tx, eventId) => {
      pruning.noteForgotten();
      return WRITES.forgetEvent(tx, eventId);
    },
    forgetMatching: (tx, terms, from) => {
      pruning.noteForgotten();
      return WRITES.forgetMatching(tx, terms, from);
    },
    setPaused: (_tx, paused) => {
      pause.set(paused);
      allLanesChanged();
      return null;
    },
    isPaused: () => pause.isPaused(),
    writeActivity: () => {
      activity.writeNow();
      return null;
    },
    prune: async (tx, retention) => {
      const hasMoreTexts = changedTexts?.trim(0) ?? false;
      return (await pruning.step(tx, retention)) || hasMoreTexts;
    },
    hasChangedTexts: () => changedTexts?.isMore ?? false,
    trimChangedTexts: (_tx, followed) => changedTexts?.trim(followed) ?? false,
  };
  // After a rollback, what these remember may never have been written.
  const forget = () => {
    activity.forget();
    backlog.forget();
    underWay.forget();
    systemEvents.forget();
    tables.keys.forget();
    pause.forget();
    pruning.forget();
  };
  const noteTime = (now: number, elapsed: number) => {
    if (!clock.note(now, elapsed)) return;
    activity.clockWasSet(now);
    allLanesChanged();
  };
  return {
    handlers,
    noteTime,
    beforeCommit: (now: number, elapsed: number) => {
      tables.keys.file();
      activity.beforeCommit(now, elapsed);
    },
    committed: () => activity.committed(),
    forget,
    writeRest: () => activity.writeRest(),
    hasForgotten: () => pruning.takeForgotten(),
  };
}

/**
 * Everything that an operator reads, on one connection.
 * @param searchFile where the index is; null: in memory
 */
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
