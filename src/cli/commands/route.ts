import type { Route, SessionDetails } from '../../hooks/index.ts';
import { CHANNEL_IDS, mainSession } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { ServiceRefusal } from '../service/service-answers.ts';
import { serviceCommand } from '../service/service-command.ts';

type Routes = Pick<SessionDetails, 'lastRoute' | 'recipients'>;

/** Where replies go that name no channel or no recipient: shown, set or forgotten. */
export const route = serviceCommand({
  name: 'route',
  description: 'show, set or clear where an agent last spoke',
  arguments: [['[agent]', 'id of the agent (default: main)']],
  options: [
    option('--set <channel:recipient>', 'as if it had last spoken there', parseRoute),
    option('--clear', 'as if it had never spoken anywhere'),
  ],
  examples: [
    ['hooks route', 'where the agent main last spoke: its heartbeats go there'],
    ['hooks route ops --set chan_2:4711', 'the agent ops speaks to the chat 4711 by default'],
    ['hooks route --clear', 'from now on channels.default counts'],
  ],
  assert({ set, clear = false }) {
    if (set !== undefined && clear) {
      throw new CliError('--set and --clear do not go together', 'leave one out', EXIT.usage);
    }
  },
  async ask({ service, options: { set, clear = false } }, agent = 'main') {
    const path = { key: mainSession(agent.trim().toLowerCase()) };
    const call = 'PUT /ops/api/sessions/{key}/route';
    if (set !== undefined) await service.ask(call, 'ok', { path, body: set });
    if (clear) await service.ask('DELETE /ops/api/sessions/{key}/route', 'ok', { path });
    const given = { path, query: { limit: 1 } };
    return service.ask('GET /ops/api/sessions/{key}', 'turns', given).catch(noneYet);
  },
  json: ({ lastRoute, recipients }) => ({ lastRoute, recipients }),
  print(routes, { terminal }, agent = 'main') {
    for (const line of routeLines(asLine(agent), routes)) terminal.print(line);
  },
});

/** `chan_2:4711`; what stands behind the first colon is the recipient, whatever it holds. */
function parseRoute(text: string): Route {
  const [, name = '', to = ''] = /^([^:]*):(.*)$/s.exec(text.trim()) ?? [];
  const channel = CHANNEL_IDS.find((id) => id === name.trim().toLowerCase());
  if (channel !== undefined && to.trim() !== '') return { channel, to: to.trim() };
  const hint = 'write a channel and a recipient, such as chan_2:4711';
  throw new CliError(`"${text}" is no route`, hint, EXIT.usage);
}

/** A session is known from its first event on. */
function noneYet(error: unknown): Routes {
  if (error instanceof ServiceRefusal && error.code === 'unknown_session') {
    return { lastRoute: null, recipients: {} };
  }
  throw error;
}

/** Where it last spoke, and to whom in other channels. */
function routeLines(agent: string, { lastRoute, recipients }: Routes): string[] {
  if (lastRoute === null) {
    return [`${agent} has spoken nowhere yet: replies that name no channel go to channels.default`];
  }
  const others = Object.entries(recipients).filter(([id]) => id !== lastRoute.channel);
  const line = (id: string, to: string) => `${asLine(id)} (${asLine(to)})`;
  return [
    `${agent} last spoke to ${line(lastRoute.channel, lastRoute.to)}`,
    ...others.map(([id, to]) => `before that, in other channels: ${line(id, to)}`),
  ];
}
