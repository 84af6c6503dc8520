import { CHANNEL_IDS } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, oneOf, option, pastTime } from '../command.ts';
import type { OptionValues } from '../command.ts';
import { WAIT_OPTIONS, showOutcome, showReceipt } from '../events/event-outcome.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import type { QueryOf } from '../service/operations.ts';
import { everyPage } from '../service/pages.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { serviceCommand } from '../service/service-command.ts';
import { Interruption } from '../terminal.ts';

/* Retry and dismiss take one event, or with `--all` everything that the filters find. */

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

const DEAD_WORK_OPTIONS = [
  option('--all', 'all dead runs and deliveries, instead of those of one event'),
  option('--hook <id>', 'of these only those of one hook or mapping'),
  option(
    '--channel <id>',
    'of these only deliveries to one channel; a retry also tries at once what waits for it',
    oneOf('--channel', CHANNEL_IDS),
  ),
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

type DeadWorkAsked = QueryOf<'POST /ops/api/events/retry'>;

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
    const asked = allAsked(options, id, context.clock.now());
    const { wait = false, json = false } = options;
    if (asked !== null && wait) {
      throw new CliError('--wait waits for one event.', 'Leave it out with --all.', EXIT.usage);
    }
    using interruption = new Interruption();
    const service = await findService(context, options, interruption.signal);
    const eventId = id === undefined ? '' : await findEventId(service, id);
    const retried =
      asked === null ? await retryOne(service, eventId) : await retryAll(service, asked);
    const known = asked === null ? { eventId, retried } : { retried };
    if (wait) {
      await showOutcome(context, service, eventId, { ...options, wait }, { interruption, known });
    } else if (json) context.terminal.printJson(known);
    else context.terminal.print(`Put back into the queue: ${retried}`);
  },
});

async function retryOne(service: ServiceClient, id: string): Promise<number> {
  const path = { id };
  return (await service.ask('POST /ops/api/events/{id}/retry', 'retried', { path })).retried;
}

async function retryAll(service: ServiceClient, asked: DeadWorkAsked): Promise<number> {
  let total = 0;
  const pages = everyPage((cursor) =>
    service.ask('POST /ops/api/events/retry', 'retried', { query: { ...asked, cursor } }),
  );
  for await (const { retried } of pages) total += retried;
  return total;
}

/** Work that nobody wants any more: it is counted no longer, and its story says so. */
export const eventsDismiss = serviceCommand({
  name: 'dismiss',
  description: 'forget runs and deliveries that are dead, so that no alert counts them',
  arguments: [['[id]', EVENT_ID]],
  options: DEAD_WORK_OPTIONS,
  examples: [
    ['hooks events dismiss 0198c5c2-…', 'what is dead of one event; it cannot be retried then'],
    ['hooks events dismiss --all --hook github', 'everything of one hook that is dead'],
  ],
  assert: (options, id?: string) => void allAsked(options, id, 0),
  async ask({ service, options, now }, id?: string) {
    const asked = allAsked(options, id, now);
    if (asked === null) {
      const path = { id: await findEventId(service, id ?? '') };
      return service.ask('POST /ops/api/events/{id}/dismiss', 'dismissed', { path });
    }
    let total = 0;
    const pages = everyPage((cursor) =>
      service.ask('POST /ops/api/events/dismiss', 'dismissed', { query: { ...asked, cursor } }),
    );
    for await (const { dismissed } of pages) total += dismissed;
    return { dismissed: total };
  },
  json: ({ dismissed }) => ({ dismissed }),
  print({ dismissed }, { terminal }) {
    terminal.print(`Dismissed: ${dismissed}`);
  },
});

/** Null: it is about one event. @throws CliError unless the command line names an event, or says `--all`. */
function allAsked(
  { all = false, hook, channel, heartbeats = false, since, status }: Asked,
  id: string | undefined,
  now: number,
): DeadWorkAsked | null {
  if (all === (id !== undefined)) {
    const said = all ? '--all is about every event.' : 'Which event?';
    throw new CliError(said, 'Name the id of an event, or say --all.', EXIT.usage);
  }
  const narrows = heartbeats || [hook, channel, since, status].some((value) => value !== undefined);
  if (!all && narrows) {
    const said = '--hook, --channel, --heartbeats, --since and --status narrow what --all finds.';
    throw new CliError(said, 'Say --all, or leave them out.', EXIT.usage);
  }
  if (heartbeats && hook !== undefined) {
    throw new CliError('Heartbeats are of no hook.', 'Leave one of the two out.', EXIT.usage);
  }
  if (!all) return null;
  const scope = heartbeats ? ({ heartbeats: 'true' } as const) : { hook };
  return { ...scope, channel, status, since: pastTime('--since', since, now) };
}
