import { EXIT, CliError } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import { NARROWEST_TABLE, eventTable } from '../events/event-lines.ts';
import { REFUSED_OPTIONS, refusedAsked, refusedTable } from '../events/refused.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';

const STATUSES = ['accepted', 'running', 'done', 'failed', 'skipped'];

/** Events, or refused requests, as a table, newest first; `--cursor` goes on where the last list ended. */
export const eventsList = defineCommand({
  name: 'list',
  description: 'list events or refused requests, newest first',
  options: [
    option('--hook <name>', 'only those of this hook'),
    option(
      '--status <status>',
      'only accepted, running, done, failed or skipped ones',
      oneOfStatuses,
    ),
    ...REFUSED_OPTIONS,
    ...PAGE_OPTIONS,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks events list', 'the newest 20'],
    ['hooks events list --status failed --limit 100', 'what went wrong'],
    ['hooks events list --hook github --json', 'those of one hook, for a program'],
    ['hooks events list --refused --since 24h', 'who was refused, and why'],
  ],
  async action(context, options) {
    const { terminal, clock } = context;
    const { hook, status } = options;
    const refused = refusedAsked(options, clock.now());
    const service = await findService(context, options);
    if (refused !== null) {
      const { rows: refusals, nextCursor } = await gatherPages(options, async (page) => {
        const { refusals: rows, nextCursor } = await service.refusals({ ...refused, ...page });
        return { rows, nextCursor };
      });
      if (options.json === true) return terminal.printJson({ refusals, nextCursor });
      if (refusals.length === 0) return terminal.note('There are no such refusals.');
      terminal.printTable(refusedTable(refusals, clock.now()));
      return noteMore(nextCursor, terminal);
    }
    const { rows: events, nextCursor } = await gatherPages(options, async (page) => {
      const { events: rows, nextCursor } = await service.events({ hook, status, ...page });
      return { rows, nextCursor };
    });
    if (options.json === true) return terminal.printJson({ events, nextCursor });
    if (events.length === 0) return terminal.note('There are no such events.');
    const columns = Math.max(terminal.columns, NARROWEST_TABLE);
    terminal.printTable(eventTable(events, columns, clock.now()), columns);
    noteMore(nextCursor, terminal);
  },
});

function oneOfStatuses(status: string): string {
  if (STATUSES.includes(status)) return status;
  throw new CliError(`--status must be one of ${STATUSES.join(', ')}.`, undefined, EXIT.usage);
}
