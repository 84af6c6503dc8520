import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, oneOf, option, pastTime } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { WAIT_OPTIONS, showOutcome, showReceipt } from '../events/event-outcome.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import type { DeadWorkAsked } from '../service/service-client.ts';
import { Interruption } from '../terminal.ts';

/*
 * What a person does about an event that has been: send its request again (replay), go on with what is dead of it (retry),
 * or forget that (dismiss). Retry and dismiss take one event, or with `--all` everything that the filters find.
 */

/** Sends a stored request through the present configuration. Without `--wait` it ends once the new event is durable. */
export const eventsReplay = defineCommand({
  name: 'replay',
  description: 'send the request of an event once more, as a new event that names its origin',
  arguments: [['<id>', EVENT_ID]],
  options: [...WAIT_OPTIONS, ...SERVICE_OPTIONS],
  examples: [
    ['hooks events replay 0198c5c2-…', 'through the present configuration; prints the new id'],
    ['hooks events replay 0198c5c2-… --wait', 'and tell how it ends; exit code 1 if badly'],
  ],
  async action(context, options, id) {
    using interruption = new Interruption();
    const service = await findService(context, options, interruption.signal);
    const receipt = await service.replay(await findEventId(service, id));
    const { wait = false } = options;
    await showReceipt(context, service, receipt, { ...options, wait }, interruption);
  },
});

const ENDS = ['failed', 'timed-out', 'interrupted', 'dead', 'unknown'] as const;

/** Of a command that does something to one event, or to dead runs and deliveries of many. */
const DEAD_WORK_OPTIONS = [
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
interface Page {
  readonly count: number;
  readonly nextCursor: string | null;
}

/** Goes on with the same events: what had succeeded is not done again. */
export const eventsRetry = defineCommand({
  name: 'retry',
  description: 'go on with an event at once that is dead or waits, or with all that are dead',
  arguments: [['[id]', EVENT_ID]],
  options: [...DEAD_WORK_OPTIONS, ...WAIT_OPTIONS, ...SERVICE_OPTIONS],
  examples: [
    [
      'hooks events retry 0198c5c2-…',
      'put what is dead back into the queue, and try at once what waits',
    ],
    ['hooks events retry 0198c5c2-… --wait', 'and tell how it ends; exit code 1 if badly'],
    ['hooks events retry --all --since 24h', 'everything that is dead of the last day'],
  ],
  async action(context, options, id) {
    const asked = allAsked(options, id, context);
    const { wait = false, json = false } = options;
    if (asked !== null && wait) {
      throw new CliError('--wait waits for one event.', 'Leave it out with --all.', EXIT.usage);
    }
    using interruption = new Interruption();
    const service = await findService(context, options, interruption.signal);
    const eventId = id === undefined ? '' : await findEventId(service, id);
    const retried =
      asked === null
        ? (await service.retry(eventId)).retried
        : await forAll(asked, async (page) => {
            const { retried: count, nextCursor } = await service.retryAll(page);
            return { count, nextCursor };
          });
    const known = asked === null ? { eventId, retried } : { retried };
    if (wait) {
      await showOutcome(context, service, eventId, { ...options, wait }, { interruption, known });
    } else if (json) context.terminal.printJson(known);
    else context.terminal.print(`Put back into the queue: ${retried}`);
  },
});

/** Work that nobody wants any more: it is counted no longer, and its story says so. */
export const eventsDismiss = defineCommand({
  name: 'dismiss',
  description: 'forget runs and deliveries that are dead, so that no alert counts them',
  arguments: [['[id]', EVENT_ID]],
  options: [...DEAD_WORK_OPTIONS, ...SERVICE_OPTIONS],
  examples: [
    ['hooks events dismiss 0198c5c2-…', 'what is dead of one event; it cannot be retried then'],
    ['hooks events dismiss --all --hook github', 'everything of one hook that is dead'],
  ],
  async action(context, options, id) {
    const asked = allAsked(options, id, context);
    const service = await findService(context, options);
    const dismissed =
      asked === null
        ? (await service.dismiss(await findEventId(service, id ?? ''))).dismissed
        : await forAll(asked, async (page) => {
            const { dismissed: count, nextCursor } = await service.dismissAll(page);
            return { count, nextCursor };
          });
    if (options.json === true) context.terminal.printJson({ dismissed });
    else context.terminal.print(`Dismissed: ${dismissed}`);
  },
});

/** Null: it is about one event. @throws CliError unless the command line names an event, or says `--all`. */
function allAsked(
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
async function forAll(
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
