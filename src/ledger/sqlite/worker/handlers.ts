// What each call does: builds the tables of a connection and names, for every call of protocol.ts, the method behind
// it. All handlers run inside the transaction of their batch, and take the time from it.
//
// Reading what the next turn of a session needs (`context`, `routes`) is a call of the writer: it must see every step
// that was committed before. Reading for an operator may be a moment behind and has a thread of its own.
import type { DatabaseSync } from 'node:sqlite';
import { decodeChange, decodeEvent, decodeWork } from '../../codec.ts';
import { decodeKey } from '../../stored-key.ts';
import { LANES } from '../../work-rows.ts';
import type { Handlers, ReaderCalls, ThreadData, WriterCalls } from '../protocol.ts';
import { Accepting } from './intake/accepting.ts';
import { ActivityReader, ActivityRecord } from './operations/activity.ts';
import {
  DeadWork,
  Pause,
  KnownCertificates,
  createChannelNotes,
  createChannelReader,
  createProbe,
  createWorkCounter,
  createDeadCounter,
} from './operations/admin.ts';
import { Backlog } from './work/backlog.ts';
import { ChangedTexts } from './events/changed-texts.ts';
import { BadEnds, Changes } from './work/changes.ts';
import { Claims } from './work/claims.ts';
import { ConsoleSessionReader, ConsoleSessionRecord } from './operations/console-sessions.ts';
import { ClockSteps } from './work/clock-steps.ts';
import { HeartbeatCounts, Settlement } from './events/event-status.ts';
import { EventList } from './events/event-list.ts';
import { EventReader } from './events/events.ts';
import { HookUses } from './events/hook-uses.ts';
import { IdempotencyKeys } from './intake/idempotency.ts';
import { Interruptions } from './work/interruptions.ts';
import { Erasing } from './operations/erasing.ts';
import { Pruning } from './operations/prune.ts';
import { WorkQueue } from './work/queue.ts';
import { RefusalReader, RefusalRecord } from './operations/refusals.ts';
import { Room } from './intake/room.ts';
import { SearchIndex } from './search/search-index.ts';
import { Routes, SessionReader, Transcripts } from './sessions/sessions.ts';
import { Parts, Steps } from './work/steps.ts';
import { SystemEvents } from './sessions/system-events.ts';
import { UnderWay } from './work/under-way.ts';

/** The tables, each with the others that it writes to. */
function buildWriterTables(db: DatabaseSync, now: number) {
  const backlog = new Backlog(db);
  const underWay = new UnderWay(db);
  const activity = new ActivityRecord(
    db,
    now,
    () => backlog.total - underWay.runs - underWay.deliveries,
  );
  const queue = new WorkQueue(db, backlog, underWay);
  const heartbeats = new HeartbeatCounts(db);
  const changedEvents = new Set<number>();
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
    changedEvents,
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
    consoleSessions: new ConsoleSessionRecord(db),
    refusals: new RefusalRecord(db, activity),
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
    deadWork: new DeadWork(db, queue, settlement),
    erasing: new Erasing(db, { queue, systemEvents, changedEvents }),
    pruning: new Pruning(db, (session) => systemEvents.forget(session)),
    probe: createProbe(db),
    noteChannels: createChannelNotes(db),
    certificates: new KnownCertificates(db),
  };
}

/**
 * Everything that writes, on one connection, in a transaction of the caller's. Begins by ending all leases but those that are held: the process before
 * cannot be alive, since the directory is locked, and nobody heard of what a writer that died had handed out last.
 */
export function createWriterHandlers(
  db: DatabaseSync,
  { now, elapsed, held, hasSearch }: Omit<ThreadData, 'role' | 'dir'>,
) {
  const tables = buildWriterTables(db, now);
  const { activity, backlog, underWay, queue, systemEvents, transcripts, routes, pause } = tables;
  const { claims, interruptions } = tables;
  const changedTexts = hasSearch ? new ChangedTexts(db) : null;
  const clock = new ClockSteps(db, now, elapsed);
  interruptions.endAll(now, held);
  interruptions.pullIn(now);
  const allLanesChanged = () => {
    for (const lane of LANES) queue.changedLanes.add(lane);
  };
  const handlers: Handlers<WriterCalls> = {
    accept: (now, event, limits) => tables.accepting.accept(decodeEvent(event), limits, now),
    claim: (now, lane, max, limits) =>
      pause.isPaused() ? { leases: [], nextDue: null } : claims.claim(lane, max, limits, now),
    add: (now, work) => {
      queue.add(decodeWork(work), now);
      return null;
    },
    badEnds: (_now, maxLines) => tables.badEnds.gather(maxLines),
    certificates: () => tables.certificates.all(),
    keepCertificate: (_now, certificate) => {
      tables.certificates.keep(certificate);
      return null;
    },
    noteChannels: (_now, news) => {
      tables.noteChannels(news);
      return null;
    },
    renew: (_now, workId, attempt) => claims.isHeld(workId, attempt),
    noteActing: (_now, workId, attempt) => claims.noteActing(workId, attempt),
    abandon: (now, workId, attempt) => {
      const held = underWay.get(workId, attempt);
      if (held === null) return null;
      underWay.end(held);
      interruptions.endOne(held, now);
      allLanesChanged();
      return null;
    },
    commit: (now, workId, attempt, outcome, changes) =>
      tables.steps.commit({ workId, attempt }, outcome, changes.map(decodeChange), now),
    context: (now, session, limits) => ({
      ...systemEvents.oldest(session, limits, now),
      ...transcripts.context(session, limits.maxHistoryCharacters),
    }),
    routes: (_now, session) => routes.all(session),
    noteRoute: (_now, session, route) => {
      routes.note(session, route);
      return null;
    },
    holderOf: (now, key) => tables.accepting.holderOf(decodeKey(key), now),
    clearRoutes: (_now, session) => {
      routes.clear(session);
      return null;
    },
    clearTranscript: (_now, session) => {
      transcripts.clear(session);
      tables.pruning.noteForgotten();
      return null;
    },
    recordRefusals: (now, refusals, changes) => {
      tables.refusals.add(refusals);
      for (const change of changes) tables.changes.apply(decodeChange(change), now);
      return null;
    },
    retry: (now, eventId) => tables.deadWork.retry(eventId, now),
    retryAll: (now, filter) => tables.deadWork.retryAll(filter, now),
    dismiss: (now, eventId) => tables.deadWork.dismiss(eventId, now),
    dismissAll: (now, filter) => tables.deadWork.dismissAll(filter, now),
    forget: (now, eventId) => {
      tables.pruning.noteForgotten();
      return tables.erasing.event(eventId, now);
    },
    forgetMatching: (_now, terms, from) => {
      tables.pruning.noteForgotten();
      return tables.erasing.matching(terms, from);
    },
    startConsoleSession: (_now, session) => {
      tables.consoleSessions.start(session);
      return null;
    },
    extendConsoleSession: (_now, digest, endsAt) => {
      tables.consoleSessions.extend(digest, endsAt);
      return null;
    },
    endConsoleSession: (_now, digest) => {
      tables.consoleSessions.end(digest);
      return null;
    },
    setPaused: (_now, paused) => {
      pause.set(paused);
      allLanesChanged();
      return null;
    },
    isPaused: () => pause.isPaused(),
    writeActivity: () => {
      activity.writeNow();
      return null;
    },
    prune: (now, retention) => {
      const hasMoreTexts = changedTexts?.trim(0) ?? false;
      return (clock.isBelieved(now) && tables.pruning.step(retention)) || hasMoreTexts;
    },
    probe: (now) => {
      tables.probe(now);
      return null;
    },
    hasChangedTexts: () => changedTexts?.isMore ?? false,
    trimChangedTexts: (_now, followed) => changedTexts?.trim(followed) ?? false,
  };
  // After a rollback, what these remember may never have been written.
  const forget = () => {
    activity.forget();
    backlog.forget();
    underWay.forget();
    systemEvents.forget();
    tables.keys.forget();
    pause.forget();
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
    hasForgotten: () => tables.pruning.takeForgotten(),
    changedLanes: queue.changedLanes,
    changedEvents: tables.changedEvents,
  };
}

/**
 * Everything that an operator reads, on one connection.
 * @param searchFile where the index is; null: in memory
 */
export function createReaderHandlers(
  db: DatabaseSync,
  searchFile: string | null,
): { handlers: Handlers<ReaderCalls>; close(): void } {
  const list = new EventList(db);
  const events = new EventReader(db);
  const sessions = new SessionReader(db, new SystemEvents(db, new HeartbeatCounts(db)));
  const refusals = new RefusalReader(db);
  const hookUses = new HookUses(db);
  const consoleSessions = new ConsoleSessionReader(db);
  const activity = new ActivityReader(db);
  const countWork = createWorkCounter(db);
  const countDead = createDeadCounter(db);
  const readChannels = createChannelReader(db);
  const index = new SearchIndex(db, list, searchFile);
  const handlers: Handlers<ReaderCalls> = {
    list: (_now, filter) => list.list(filter),
    summaries: (_now, keys) => list.byKeys(keys),
    get: (_now, id) => events.get(id),
    run: (_now, id) => events.run(id),
    storedRequest: (_now, id) => events.storedRequest(id),
    hookUses: (_now, hooks, since) => hookUses.of(hooks, since),
    sessions: (_now, filter) => sessions.list(filter),
    session: (_now, key, page) => sessions.get(key, page),
    refusals: (_now, filter) => refusals.list(filter),
    refusalsByHook: (_now, since) => refusals.byHook(since),
    consoleSession: (_now, digest) => consoleSessions.find(digest),
    lostRequests: (_now, since) => refusals.ofVerified('lost', since),
    failedRequests: (_now, since) => refusals.ofVerified('failed', since),
    counts: () => countWork(),
    dead: () => countDead(),
    channelConditions: () => readChannels(),
    activity: (now, window) => activity.read(window, now),
    search: (_now, filter, search) => index.search(filter, search),
    follow: (_now, budgetMs) => index.follow(budgetMs),
  };
  return { handlers, close: () => index.close() };
}
