import type { SessionDetails, SessionSummary } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';
import { serviceCommand } from '../service/service-command.ts';
import { age, section } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';

/** Without a key a table of all sessions, in order of their keys; with one its transcript and what waits there. */
export const sessions = serviceCommand({
  name: 'sessions',
  description: 'list what agents remember, show one session, or let it begin anew',
  arguments: [['[key]', 'full key of one session, such as agent:main:main']],
  options: [
    option('--clear', 'forget what was said there; what waits for the next turn stays'),
    ...PAGE_OPTIONS,
  ],
  examples: [
    ['hooks sessions', 'the first 20, in order of their keys'],
    ['hooks sessions agent:main:main', 'what waits there, and what was said'],
    ['hooks sessions agent:main:main --clear', 'its next turn is the first'],
    ['hooks sessions --limit 1000 --json', 'for a program'],
  ],
  assert({ clear = false }, key?: string) {
    if (clear && key === undefined) {
      throw new CliError('--clear needs a session', 'name one by its full key', EXIT.usage);
    }
  },
  async ask({ service, options }, key?: string) {
    if (key === undefined) {
      return gatherPages('sessions', options, (query) =>
        service.ask('GET /ops/api/sessions', 'sessions', { query }),
      );
    }
    const path = { key };
    if (options.clear === true) {
      await service.ask('DELETE /ops/api/sessions/{key}/turns', 'ok', { path });
    }
    // As many of the system events that wait as were asked for.
    return gatherPages('pendingSystemEvents', options, (query) =>
      service.ask('GET /ops/api/sessions/{key}', 'turns', { path, query }),
    );
  },
  print(answer, { terminal, now, paint }) {
    if ('turns' in answer) {
      for (const line of sessionLines(answer, paint)) terminal.print(line);
    } else if (answer.sessions.length === 0) terminal.note('There are no sessions yet.');
    else terminal.printTable(sessionTable(answer.sessions, now));
    noteMore(answer.nextCursor, terminal);
  },
});

function sessionTable(sessions: readonly SessionSummary[], now: number): string[][] {
  const rows = sessions.map(({ key, turns, pendingSystemEvents, lastTurnAt }) => [
    asLine(key),
    String(turns),
    String(pendingSystemEvents),
    lastTurnAt === null ? 'never' : `${age(lastTurnAt, now)} ago`,
  ]);
  return [['SESSION', 'TURNS', 'WAITING', 'LAST TURN'], ...rows];
}

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

function apart(all: readonly (readonly string[])[]): string[] {
  return all.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}
