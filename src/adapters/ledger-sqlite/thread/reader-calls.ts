import type { DatabaseSync } from 'node:sqlite';
import type { Handlers, ReaderCalls } from '../calls.ts';
import { EventList } from './event-list.ts';
import { EventStories } from './event-story.ts';
import { HeartbeatTally } from './heartbeat-tally.ts';
import { SessionList } from './session-list.ts';
import { SessionRoutes } from './session-routes.ts';
import { SessionStories } from './session-stories.ts';
import { SystemEvents } from './system-events.ts';
import { Turns } from './turns.ts';
import { WorkCounter } from './work-counts.ts';

/** Everything that an operator reads, on one connection. */
export function readerCalls(db: DatabaseSync): Handlers<ReaderCalls> {
  const events = new EventList(db);
  const stories = new EventStories(db);
  const lines = new SystemEvents(db, new HeartbeatTally(db));
  const sessions = new SessionStories(new SessionRoutes(db), lines, new Turns(db));
  const sessionList = new SessionList(db);
  const work = new WorkCounter(db);
  return {
    list: (_now, filter) => events.list(filter),
    get: (_now, id) => stories.get(id),
    storedRequest: (_now, id) => stories.storedRequest(id),
    sessions: (_now, filter) => sessionList.list(filter),
    session: (_now, key) => sessions.get(key),
    counts: () => work.counts(),
  };
}
