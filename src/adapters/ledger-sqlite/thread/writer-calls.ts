import type { DatabaseSync } from 'node:sqlite';
import type { Handlers, WriterCalls } from '../calls.ts';
import { unpackEvent } from '../packing.ts';
import { Accepting } from './accepting.ts';
import { Claims } from './claims.ts';
import { Deliveries } from './deliveries.ts';
import { Effects } from './effects.ts';
import { HeartbeatTally } from './heartbeat-tally.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { Interruptions } from './interruptions.ts';
import { Parts } from './parts.ts';
import { Pause } from './pause.ts';
import { Pruning } from './pruning.ts';
import { Runs } from './runs.ts';
import { SessionRoutes } from './session-routes.ts';
import { Settlement } from './settlement.ts';
import { LANES, Steps } from './steps.ts';
import { SystemEvents } from './system-events.ts';
import { Turns } from './turns.ts';
import { WorkQueue } from './queue.ts';

function compose(db: DatabaseSync) {
  const heartbeats = new HeartbeatTally(db);
  const tables = {
    heartbeats,
    queue: new WorkQueue(db),
    lines: new SystemEvents(db, heartbeats),
    runs: new Runs(db),
    deliveries: new Deliveries(db),
    turns: new Turns(db),
    routes: new SessionRoutes(db),
  };
  const effects = new Effects(tables);
  const interruptions = new Interruptions(db);
  const pause = new Pause(db);
  const keys = new IdempotencyKeys(db);
  const parts = new Parts(db);
  return {
    ...tables,
    interruptions,
    pause,
    accepting: new Accepting(db, { keys, pause, lines: tables.lines, effects }),
    claims: new Claims(db, tables.queue, parts),
    steps: new Steps(db, tables.queue, parts, effects, new Settlement(db)),
    pruning: new Pruning(db, (session) => tables.lines.forget(session)),
    probe: db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('probed', ?)`),
  };
}

/** Everything that writes, on one connection. */
export function writerCalls(db: DatabaseSync, now: number) {
  const parts = compose(db);
  const { accepting, claims, steps, lines, turns, routes, pause, pruning, queue, interruptions } =
    parts;
  db.exec('BEGIN');
  interruptions.endAll(now);
  interruptions.pullIn(now);
  db.exec('COMMIT');
  const handlers: Handlers<WriterCalls> = {
    accept: (now, event, max) => accepting.accept(unpackEvent(event), max, now),
    claim: (now, lane, max, limits) =>
      pause.isPaused() ? { leases: [], nextDue: null } : claims.claim(lane, max, limits, now),
    add: (now, work) => (queue.add(work, now), null),
    renew: (_now, workId, attempt) => claims.isHeld(workId, attempt),
    noteActing: (_now, workId, attempt) => claims.noteActing(workId, attempt),
    abandon: (now, workId, attempt) => {
      interruptions.endOne(workId, attempt, now);
      queue.rung.add('turn').add('delivery');
      return null;
    },
    commit: (now, workId, attempt, end, changes) =>
      steps.commit({ workId, attempt }, end, changes, now),
    context: (_now, session, limits) => ({
      ...lines.oldest(session, limits),
      ...turns.context(session, limits.maxHistoryCharacters),
    }),
    routes: (_now, session) => routes.routes(session),
    noteRoute: (_now, session, route) => (routes.note(session, route), null),
    retry: (now, eventId) => steps.retry(eventId, now),
    setPaused: (_now, paused) => {
      pause.set(paused);
      for (const lane of LANES) queue.rung.add(lane);
      return null;
    },
    isPaused: () => pause.isPaused(),
    prune: (_now, retention) => pruning.step(retention),
    probe: (now) => (parts.probe.run(String(now)), null),
  };
  const forget = () => {
    lines.forget();
    pause.forget();
  };
  return { handlers, forget, rung: queue.rung };
}
