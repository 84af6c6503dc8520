import { EVENT_STATUSES } from '../../hooks/index.ts';
import type { EventSummary } from '../../hooks/index.ts';
import { EXIT } from '../cli-error.ts';
import { defineCommand, oneOf, option, pastTime, wholeNumber } from '../command.ts';
import type { CommandContext, CommandGroup, OptionValues } from '../command.ts';
import { detailLines } from '../events/event-lines.ts';
import { SILENT } from '../events/event-outcome.ts';
import { eventRows, tailRow } from '../events/event-rows.ts';
import { EventTail } from '../events/event-tail.ts';
import type { TailListener } from '../events/event-tail.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { REFUSED_OPTIONS, refusedAsked, refusedTable } from '../events/refused.ts';
import { safeJson } from '../foreign-text.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';
import type { EventsAsked } from '../service/service-client.ts';
import { serviceCommand } from '../service/service-command.ts';
import { Interruption } from '../terminal.ts';
import { paintFor } from '../text-layout.ts';
import { eventsForget } from './events-forget.ts';
import { eventsDismiss, eventsReplay, eventsRetry } from './events-repair.ts';

/* What senders wrote is made harmless for the terminal and cut to its width; `--json` prints it whole. */

const FILTERS = [
  option('--hook <name>', 'only those of this hook'),
  option(
    '--status <status>',
    'only accepted, running, waiting, delivering, done, failed or skipped ones',
    oneOf('--status', EVENT_STATUSES),
  ),
  option('--since <time>', 'only those since a date, or for so long: 90m, 24h, 7d'),
  option('--until <time>', 'only those before a date, or older than that'),
  option('--session <key>', 'only those with a run in this session, e.g. agent:main:hook:x'),
  option('--mapping <id>', 'only those that this mapping took'),
  option('--search <words>', 'only those with these words in payload, prompt or reply'),
] as const;

/** Events or refused requests, a line each, newest first; `--cursor` goes on where the last list ended. */
const eventsList = serviceCommand({
  name: 'list',
  description: 'list events or refused requests, newest first',
  options: [...FILTERS, ...REFUSED_OPTIONS, ...PAGE_OPTIONS],
  examples: [
    ['hooks events list', 'the newest 20'],
    ['hooks events list --status failed --limit 100', 'what went wrong'],
    ['hooks events list --since 2d --until 1d', 'what came the day before'],
    [`hooks events list --search 'disk "sda1 is full"'`, 'what was said about it'],
    ['hooks events list --hook github --json', 'those of one hook, for a program'],
    ['hooks events list --refused --since 24h', 'who was refused, and why'],
  ],
  assert: (options) => void [refusedAsked(options, 0), eventsAsked(options, 0)],
  async ask({ service, options, now }) {
    const refused = refusedAsked(options, now);
    if (refused !== null) {
      return gatherPages('refusals', options, (page) =>
        service.ask('GET /ops/api/refusals', 'refusals', { query: { ...refused, ...page } }),
      );
    }
    const asked = eventsAsked(options, now);
    return gatherPages('events', options, (page) => service.events({ ...asked, ...page }));
  },
  print(answer, { terminal, now, paint }) {
    if ('refusals' in answer) {
      const { refusals, nextCursor } = answer;
      if (refusals.length === 0) return terminal.note('There are no such refusals.');
      terminal.printTable(refusedTable(refusals, now));
      return noteMore(nextCursor, terminal);
    }
    const { events, nextCursor, searchedUntil } = answer;
    if (typeof searchedUntil === 'string') {
      terminal.note(
        `Not everything is searched yet: what came from ${searchedUntil} on may be missing.`,
      );
    }
    if (events.length === 0) return terminal.note('There are no such events.');
    const look = { columns: terminal.wholeWidth, now, paint };
    for (const line of eventRows(events, look)) terminal.print(line);
    noteMore(nextCursor, terminal);
  },
});

/** What the filters say. @throws CliError for a time that is none */
function eventsAsked(
  { hook, status, mapping, session, search, since, until }: OptionValues<typeof FILTERS>,
  now: number,
): EventsAsked {
  const span = {
    since: pastTime('--since', since, now),
    until: pastTime('--until', until, now),
  };
  return { hook, status, mapping, session, search, ...span };
}

/** One event with its payload, prompts, tool calls, replies and deliveries, all of which are foreign text. */
const eventsShow = serviceCommand({
  name: 'show',
  description: 'tell the whole story of an event',
  arguments: [['<id>', EVENT_ID]],
  examples: [
    ['hooks events show 0198c5c2-…', 'what came, what was made of it, what became of that'],
    ['hooks events show last', 'the newest'],
    ['hooks events show 0198c5c2-… --json', 'the same as the operator API tells it'],
  ],
  ask: async ({ service }, id) => service.event(await findEventId(service, id)),
  print(event, { terminal, paint }) {
    for (const line of detailLines(event, paint)) terminal.print(line);
  },
});

/** How many events are shown before the first new one, unless said otherwise, and at most. */
const DEFAULT_LAST = 10;
const LARGEST_LAST = 200;

/** Is told by the service, and goes on after a break, so that a restart is only a silence. Ctrl-C is its only end but an error: 130. */
const eventsTail = defineCommand({
  name: 'tail',
  description: 'follow new events and what becomes of them, until Ctrl-C',
  options: [
    option('--hook <name>', 'only those of this hook'),
    option(
      '--last <count>',
      'begin with the newest, 0 to 200 (default: 10)',
      wholeNumber('--last', 0, LARGEST_LAST),
    ),
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks events tail', 'the newest 10, then each new one and each change of status'],
    ['hooks events tail --hook github --last 0', 'only new ones of one hook'],
    ['hooks events tail --json', 'one JSON document on each line'],
  ],
  async action(context, options) {
    using interruption = new Interruption();
    const { signal } = interruption;
    try {
      const service = await findService(context, options, signal);
      const { hook, last = DEFAULT_LAST, json = false } = options;
      const tail = new EventTail(service, { hook, last }, listener(context, json));
      await tail.follow(context.clock);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    context.terminal.exitCode = EXIT.interrupted;
  },
});

function listener({ terminal, clock }: CommandContext, json: boolean): TailListener {
  const print = (event: EventSummary, at: number): void => {
    if (json) terminal.print(safeJson(event));
    else {
      const look = { columns: terminal.wholeWidth, now: clock.now(), paint: paintFor(terminal) };
      terminal.print(tailRow(event, at, look));
    }
  };
  return {
    earlier: (event) => print(event, Date.parse(event.receivedAt)),
    event: (event) => print(event, clock.now()),
    silence: (isSilent) => terminal.note(isSilent ? SILENT : 'the service answers again'),
    gap: () => terminal.note('More events came than can be told: hooks events list'),
  };
}

export const events: CommandGroup = {
  name: 'events',
  description: 'list, follow, show, replay and retry events',
  examples: [
    ['hooks events list --status failed', 'what went wrong'],
    ['hooks events show 0198c5c2-…', 'the whole story of one'],
    ['hooks events tail', 'follow what comes in'],
  ],
  commands: [
    eventsList,
    eventsShow,
    eventsTail,
    eventsReplay,
    eventsRetry,
    eventsDismiss,
    eventsForget,
  ],
};
