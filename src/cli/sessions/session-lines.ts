import type { SessionStory, SessionSummary } from '../../hooks/index.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { age } from '../story/duration.ts';
import { PLAIN } from '../story/paint.ts';
import type { Paint } from '../story/paint.ts';
import { section } from '../story/story-lines.ts';

/** Rows of `hooks sessions`, head first. */
export function sessionTable(sessions: readonly SessionSummary[], now: number): string[][] {
  const rows = sessions.map(({ key, turns, pendingSystemEvents, lastTurnAt }) => [
    asLine(key),
    String(turns),
    String(pendingSystemEvents),
    lastTurnAt === null ? 'never' : `${age(lastTurnAt, now)} ago`,
  ]);
  return [['SESSION', 'TURNS', 'WAITING', 'LAST TURN'], ...rows];
}

/** A session as an operator reads it. */
export function sessionLines(session: SessionStory, paint: Paint = PLAIN): string[] {
  const { key, agentId, lastRoute, pendingSystemEvents, turns } = session;
  const waiting = pendingSystemEvents.map(({ at, text, trust }) => [
    paint('dim', `${at} (${asLine(trust.level)})`),
    ...asLines(text),
  ]);
  const said = turns.map(({ at, role, text }) => [
    paint('dim', `${at} ${asLine(role)}`),
    ...asLines(text),
  ]);
  const route = lastRoute === null ? [] : [`${lastRoute.channel} (${asLine(lastRoute.to)})`];
  return [
    `${paint('bold', `Session ${asLine(key)}`)} of agent ${asLine(agentId)}`,
    ...section('Last route', route, paint),
    ...section('Waiting system events', apart(waiting), paint),
    ...section('Transcript', apart(said), paint),
  ];
}

/** The lines of all, with an empty one between two. */
function apart(all: readonly (readonly string[])[]): string[] {
  return all.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}
