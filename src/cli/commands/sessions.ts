import type { SessionDetails, SessionSummary } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import type { OptionValues } from '../command.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';
import { age, paintFor, section } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';

/*
 * What sessions remember, as the agent's next turn would be given it: the transcript, the lines that wait for a
 * heartbeat, and where the session last spoke. `hooks route` changes where replies go.
 */

/** Without a key a table of all sessions, in order of their keys; with one its transcript and what waits there. */
export const sessions = defineCommand({
  name: 'sessions',
  description: 'list what agents remember, show one session, or let it begin anew',
  arguments: [['[key]', 'full key of one session, such as agent:main:main']],
  options: [
    option('--clear', 'forget what was said there; what waits for the next turn stays'),
    ...PAGE_OPTIONS,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks sessions', 'the first 20, in order of their keys'],
    ['hooks sessions agent:main:main', 'what waits there, and what was said'],
    ['hooks sessions agent:main:main --clear', 'its next turn is the first'],
    ['hooks sessions --limit 1000 --json', 'for a program'],
  ],
  async action(context, options, key?: string) {
    const { terminal, clock } = context;
    const isToClear = options.clear === true;
    if (isToClear && key === undefined) {
      throw new CliError('--clear needs a session', 'name one by its full key', EXIT.usage);
    }
    const service = await findService(context, options);
    if (key !== undefined) {
      if (isToClear) await service.clearTranscript(key);
      const session = await gatherSession(service, key, options);
      if (options.json === true) return terminal.printJson(session);
      for (const line of sessionLines(session, paintFor(terminal))) terminal.print(line);
      noteMore(session.nextCursor, terminal);
      return;
    }
    const { rows, nextCursor } = await gatherPages(options, async (page) => {
      const { sessions: rows, nextCursor } = await service.sessions(page);
      return { rows, nextCursor };
    });
    if (options.json === true) return terminal.printJson({ sessions: rows, nextCursor });
    if (rows.length === 0) return terminal.note('There are no sessions yet.');
    terminal.printTable(sessionTable(rows, clock.now()));
    noteMore(nextCursor, terminal);
  },
});

/** A session with as many of the system events that wait as were asked for. */
async function gatherSession(
  service: ServiceClient,
  key: string,
  options: OptionValues<typeof PAGE_OPTIONS>,
): Promise<SessionDetails> {
  const pages: SessionDetails[] = [];
  const { rows, nextCursor } = await gatherPages(options, async (page) => {
    const session = await service.session(key, page);
    pages.push(session);
    return { rows: session.pendingSystemEvents, nextCursor: session.nextCursor };
  });
  return { ...pages.at(-1)!, pendingSystemEvents: rows, nextCursor };
}

/** Rows of the list, head first. */
function sessionTable(sessions: readonly SessionSummary[], now: number): string[][] {
  const rows = sessions.map(({ key, turns, pendingSystemEvents, lastTurnAt }) => [
    asLine(key),
    String(turns),
    String(pendingSystemEvents),
    lastTurnAt === null ? 'never' : `${age(lastTurnAt, now)} ago`,
  ]);
  return [['SESSION', 'TURNS', 'WAITING', 'LAST TURN'], ...rows];
}

/** A session as an operator reads it: where it last spoke, what waits, what was said. */
function sessionLines(session: SessionDetails, paint: Paint): string[] {
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
