import { defineCommand, oneOf, option } from '../command.ts';
import { eventRows } from '../events/event-rows.ts';
import { pastTime } from '../events/past-time.ts';
import { REFUSED_OPTIONS, refusedAsked, refusedTable } from '../events/refused.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';
import { paintFor } from '../text-layout.ts';

const STATUSES = ['accepted', 'running', 'done', 'failed', 'skipped'] as const;

/** Events or refused requests, a line each, newest first; `--cursor` goes on where the last list ended. */
export const eventsList = defineCommand({
  name: 'list',
  description: 'list events or refused requests, newest first',
  options: [
    option('--hook <name>', 'only those of this hook'),
    option(
      '--status <status>',
      'only accepted, running, done, failed or skipped ones',
      oneOf('--status', STATUSES),
    ),
    option('--since <time>', 'only those since a date, or for so long: 90m, 24h, 7d'),
    option('--until <time>', 'only those before a date, or older than that'),
    option('--session <key>', 'only those with a run in this session, e.g. agent:main:hook:x'),
    option('--mapping <id>', 'only those that this mapping took'),
    option('--search <words>', 'only those with these words in payload, prompt or reply'),
    ...REFUSED_OPTIONS,
    ...PAGE_OPTIONS,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks events list', 'the newest 20'],
    ['hooks events list --status failed --limit 100', 'what went wrong'],
    ['hooks events list --since 2d --until 1d', 'what came the day before'],
    [`hooks events list --search 'disk "sda1 is full"'`, 'what was said about it'],
    ['hooks events list --hook github --json', 'those of one hook, for a program'],
    ['hooks events list --refused --since 24h', 'who was refused, and why'],
  ],
  async action(context, options) {
    const { terminal, clock } = context;
    const now = clock.now();
    const refused = refusedAsked(options, now);
    const { hook, status, mapping, session, search } = options;
    const since = pastTime('--since', options.since, now);
    const until = pastTime('--until', options.until, now);
    const asked = { hook, status, mapping, session, search, since, until };
    const service = await findService(context, options);
    if (refused !== null) {
      const { rows: refusals, nextCursor } = await gatherPages(options, async (page) => {
        const { refusals: rows, nextCursor } = await service.refusals({ ...refused, ...page });
        return { rows, nextCursor };
      });
      if (options.json === true) return terminal.printJson({ refusals, nextCursor });
      if (refusals.length === 0) return terminal.note('There are no such refusals.');
      terminal.printTable(refusedTable(refusals, now));
      return noteMore(nextCursor, terminal);
    }
    let searchedUntil: string | null | undefined;
    const { rows: events, nextCursor } = await gatherPages(options, async (page) => {
      const { events: rows, ...found } = await service.events({ ...asked, ...page });
      searchedUntil = found.searchedUntil;
      return { rows, nextCursor: found.nextCursor };
    });
    if (options.json === true) return terminal.printJson({ events, nextCursor, searchedUntil });
    if (typeof searchedUntil === 'string') {
      terminal.note(
        `Not everything is searched yet: what came from ${searchedUntil} on may be missing.`,
      );
    }
    if (events.length === 0) return terminal.note('There are no such events.');
    const look = { columns: terminal.wholeWidth, now, paint: paintFor(terminal) };
    for (const line of eventRows(events, look)) terminal.print(line);
    noteMore(nextCursor, terminal);
  },
});
