import { CliError, EXIT } from '../cli-error.ts';
import { oneOf, option } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import type { DeadWorkAsked } from '../service/service-client.ts';
import { pastTime } from './past-time.ts';

const ENDS = ['failed', 'timed-out', 'interrupted', 'dead', 'unknown'] as const;

/** Of a command that does something to one event, or to dead runs and deliveries of many. */
export const DEAD_WORK_OPTIONS = [
  option('--all', 'all dead runs and deliveries, instead of those of one event'),
  option('--hook <id>', 'of these only those of one hook or mapping'),
  option('--heartbeats', 'of these only replies of heartbeats, which no hook asked for'),
  option(
    '--since <time>',
    'of these only those of events since a date, or for so long: 90m, 24h, 7d',
  ),
  option(
    '--status <status>',
    'of these only failed, timed-out, interrupted, dead or unknown ones',
    oneOf('--status', ENDS),
  ),
] as const;

type Asked = OptionValues<typeof DEAD_WORK_OPTIONS>;

/** One page after the other. */
export interface Page {
  readonly count: number;
  readonly nextCursor: string | null;
}

/** Null: it is about one event. @throws CliError unless the command line names an event, or says `--all`. */
export function allAsked(
  { all = false, hook, heartbeats = false, since, status }: Asked,
  id: string | undefined,
  { clock }: Pick<CommandContext, 'clock'>,
): DeadWorkAsked | null {
  if (all === (id !== undefined)) {
    const said = all ? '--all is about every event.' : 'Which event?';
    throw new CliError(said, 'Name the id of an event, or say --all.', EXIT.usage);
  }
  const narrows = heartbeats || [hook, since, status].some((value) => value !== undefined);
  if (!all && narrows) {
    const said = '--hook, --heartbeats, --since and --status narrow what --all finds.';
    throw new CliError(said, 'Say --all, or leave them out.', EXIT.usage);
  }
  if (heartbeats && hook !== undefined) {
    throw new CliError('Heartbeats are of no hook.', 'Leave one of the two out.', EXIT.usage);
  }
  if (!all) return null;
  const scope = heartbeats ? ({ heartbeats: 'true' } as const) : { hook };
  return { ...scope, status, since: pastTime('--since', since, clock.now()) };
}

/** Everything, however many calls it takes; how many there were. */
export async function forAll(
  asked: DeadWorkAsked,
  call: (asked: DeadWorkAsked) => Promise<Page>,
): Promise<number> {
  let total = 0;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page = await call({ ...asked, cursor });
    total += page.count;
    cursor = page.nextCursor;
  }
  return total;
}
