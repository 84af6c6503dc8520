import { Option, SubCommand } from 'nest-commander';
import { CliError, EXIT } from '../cli-error.ts';
import type { Example } from '../hooks-command.ts';
import { PagedCommand } from '../paged-command.ts';
import type { PagedOptions } from '../paged-command.ts';
import { NARROWEST_TABLE, eventTable } from './event-table.ts';

const STATUSES = ['accepted', 'running', 'done', 'failed', 'skipped'];

interface ListOptions extends PagedOptions {
  readonly hook?: string;
  readonly status?: string;
}

@SubCommand({ name: 'list', description: 'list events, newest first' })
export class EventsListCommand extends PagedCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks events list', 'the newest 20'],
    ['hooks events list --status failed --limit 100', 'what went wrong'],
    ['hooks events list --hook github --json', 'those of one hook, for a program'],
  ];

  override async run(_: string[], options: ListOptions): Promise<void> {
    const service = await this.services.find(options);
    const { hook, status } = options;
    const page = await this.gather(options, async (asked) => {
      const { events, nextCursor } = await service.events({ hook, status, ...asked });
      return { rows: events, nextCursor };
    });
    const { rows: events, nextCursor } = page;
    if (options.json === true) return this.terminal.printJson({ events, nextCursor });
    if (events.length === 0) return this.terminal.note('There are no such events.');
    const columns = Math.max(this.terminal.columns, NARROWEST_TABLE);
    this.terminal.printTable(eventTable(events, columns, this.clock.now()), columns);
    this.noteMore(nextCursor);
  }

  @Option({ flags: '--hook <name>', description: 'only those of this hook' })
  parseHook(name: string): string {
    return name;
  }

  @Option({
    flags: '--status <status>',
    description: 'only accepted, running, done, failed or skipped ones',
  })
  parseStatus(status: string): string {
    if (STATUSES.includes(status)) return status;
    throw new CliError(`--status must be one of ${STATUSES.join(', ')}.`, undefined, EXIT.usage);
  }
}
