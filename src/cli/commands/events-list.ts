import { EXIT, CliError } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import { NARROWEST_TABLE, eventTable } from '../events/event-lines.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { PAGE_OPTIONS, gatherPages, noteMore } from '../service/pages.ts';

const STATUSES = ['accepted', 'running', 'done', 'failed', 'skipped'];

/** Events as a table, newest first; `--cursor` goes on where the last list ended. */
export const eventsList = defineCommand({
  name: 'list',
  description: 'list events, newest first',
  options: [
    option('--hook <name>', 'only those of this hook'),
    option(
      '--status <status>',
      'only accepted, running, done, failed or skipped ones',
      oneOfStatuses,
    ),
    ...PAGE_OPTIONS,
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks events list', 'the newest 20'],
    ['hooks events list --status failed --limit 100', 'what went wrong'],
    ['hooks events list --hook github --json', 'those of one hook, for a program'],
  ],
  async action(context, options) {
    const { terminal, clock } = context;
    const { hook, status } = options;
    const service = await findService(context, options);
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
