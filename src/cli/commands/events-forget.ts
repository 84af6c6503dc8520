import type { ForgottenPage } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import type { ServiceClient } from '../service/service-client.ts';

type Erased = Omit<ForgottenPage, 'ok' | 'nextCursor'>;

/** Erases for good what somebody asks to have erased; afterwards it says where it may still stand. */
export const eventsForget = defineCommand({
  name: 'forget',
  description: 'erase an event, or all that has certain words, with all that repeats it',
  arguments: [['[id]', EVENT_ID]],
  options: [
    option('--matching <words>', 'everything that `hooks events list --search` finds by them'),
    option('--yes', 'erase what matches; without it, it is only counted'),
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks events forget 0198c5c2-…', 'one event, its runs, and the turns that were shown it'],
    ['hooks events forget --matching "Ann Müller" --yes', 'all that has these words'],
  ],
  async action(context, options, id) {
    const { matching, yes = false } = options;
    if ((id === undefined) === (matching === undefined)) {
      throw new CliError('What is to be forgotten?', 'Name an id, or --matching.', EXIT.usage);
    }
    const service = await findService(context, options);
    if (matching === undefined) {
      const erased = await service.forget(await findEventId(service, id ?? ''));
      return show(context, { ...erased, underWay: [] }, options);
    }
    if (!yes) throw await notYet(service, matching);
    const erased = await forgetAll(service, matching);
    show(context, erased, options);
    if (erased.underWay.length > 0) context.terminal.exitCode = EXIT.failed;
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
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: ForgottenPage = await service.forgetMatching(matching, cursor);
    sum = {
      events: sum.events + page.events,
      turns: sum.turns + page.turns,
      lines: sum.lines + page.lines,
      refusals: sum.refusals + page.refusals,
      underWay: [...sum.underWay, ...page.underWay],
      leftovers: page.leftovers,
    };
    cursor = page.nextCursor;
  }
  return sum;
}

function show(
  { terminal }: CommandContext,
  erased: Erased,
  { json = false }: { json?: boolean | undefined },
): void {
  const { events, turns, lines, refusals, underWay, leftovers } = erased;
  if (json) return terminal.printJson({ events, turns, lines, refusals, underWay, leftovers });
  terminal.print(
    `Erased: ${events} events, ${turns} turns of sessions, ${lines} waiting lines, ${refusals} refused requests`,
  );
  for (const id of underWay) terminal.print(`Under way, try again when it has ended: ${id}`);
  for (const place of [...leftovers, ...BEYOND]) terminal.print(`May still be in: ${place}`);
}

/** What no service can know. */
const BEYOND = [
  'backups that you made before now, and wherever the log of the service was written.',
  'what agents, model providers and channels keep themselves.',
];
