import type { ForgottenPage } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option } from '../command.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { everyPage } from '../service/pages.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { serviceCommand } from '../service/service-command.ts';

type Erased = Omit<ForgottenPage, 'ok' | 'nextCursor'>;

/** Erases for good what somebody asks to have erased; afterwards it says where it may still stand. */
export const eventsForget = serviceCommand({
  name: 'forget',
  description: 'erase an event, or all that has certain words, with all that repeats it',
  arguments: [['[id]', EVENT_ID]],
  options: [
    option('--matching <words>', 'everything that `hooks events list --search` finds by them'),
    option('--yes', 'erase what matches; without it, it is only counted'),
  ],
  examples: [
    ['hooks events forget 0198c5c2-…', 'one event, its runs, and the turns that were shown it'],
    ['hooks events forget --matching "Ann Müller" --yes', 'all that has these words'],
  ],
  assert({ matching }, id?: string) {
    if ((id === undefined) === (matching === undefined)) {
      throw new CliError('What is to be forgotten?', 'Name an id, or --matching.', EXIT.usage);
    }
  },
  async ask({ service, options: { matching, yes = false } }, id = ''): Promise<Erased> {
    if (matching === undefined) {
      const path = { id: await findEventId(service, id) };
      const erased = await service.ask('DELETE /ops/api/events/{id}', 'leftovers', { path });
      return { ...erased, underWay: [] };
    }
    if (!yes) throw await notYet(service, matching);
    return forgetAll(service, matching);
  },
  fails: ({ underWay }) => underWay.length > 0,
  json: ({ events, turns, lines, refusals, underWay, leftovers }) => {
    return { events, turns, lines, refusals, underWay, leftovers };
  },
  print({ events, turns, lines, refusals, underWay, leftovers }, { terminal }) {
    terminal.print(
      `Erased: ${events} events, ${turns} turns of sessions, ${lines} waiting lines, ${refusals} refused requests`,
    );
    for (const id of underWay) terminal.print(`Under way, try again when it has ended: ${id}`);
    for (const place of [...leftovers, ...BEYOND]) terminal.print(`May still be in: ${place}`);
  },
});

async function notYet(service: ServiceClient, search: string): Promise<CliError> {
  const { events, nextCursor } = await service.events({ search, limit: 200 });
  const count = nextCursor === null ? String(events.length) : `${events.length} and more`;
  return new CliError(
    `Events with these words: ${count}. Nothing was erased.`,
    'Look at them with hooks events list --search; to erase them for good, say --yes.',
    EXIT.usage,
  );
}

/** Page by page, until nothing is left. */
async function forgetAll(service: ServiceClient, matching: string): Promise<Erased> {
  let sum: Erased = { events: 0, turns: 0, lines: 0, refusals: 0, underWay: [], leftovers: [] };
  const pages = everyPage((cursor) =>
    service.ask('POST /ops/api/events/forget', 'leftovers', { body: { matching, cursor } }),
  );
  for await (const page of pages) {
    sum = {
      events: sum.events + page.events,
      turns: sum.turns + page.turns,
      lines: sum.lines + page.lines,
      refusals: sum.refusals + page.refusals,
      underWay: [...sum.underWay, ...page.underWay],
      leftovers: page.leftovers,
    };
  }
  return sum;
}

/** What no service can know. */
const BEYOND = [
  'backups that you made before now, and wherever the log of the service was written.',
  'what agents, model providers and channels keep themselves.',
];
