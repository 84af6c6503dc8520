import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand } from '../command.ts';
import { DEAD_WORK_OPTIONS, allAsked, forAll } from '../events/dead-work.ts';
import { WAIT_OPTIONS, showOutcome } from '../events/event-outcome.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { Interruption } from '../terminal.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** Goes on with the same events: what had succeeded is not done again. */
export const eventsRetry = defineCommand({
  name: 'retry',
  description: 'go on with an event whose runs or deliveries are dead, or with all of them',
  arguments: [['[id]', EVENT_ID]],
  options: [...DEAD_WORK_OPTIONS, ...WAIT_OPTIONS, ...SERVICE_OPTIONS],
  examples: [
    ['hooks events retry 0198c5c2-…', 'put what is dead back into the queue'],
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
