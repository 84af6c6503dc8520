import { defineCommand } from '../command.ts';
import { WAIT_OPTIONS, showOutcome } from '../events/event-outcome.ts';
import { Interruption } from '../terminal.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** Goes on with the same event: what had succeeded is not done again. */
export const eventsRetry = defineCommand({
  name: 'retry',
  description: 'go on with an event whose runs or deliveries are dead',
  arguments: [['<id>', 'id of the event']],
  options: [...WAIT_OPTIONS, ...SERVICE_OPTIONS],
  examples: [
    ['hooks events retry 0198c5c2-…', 'put what is dead back into the queue'],
    ['hooks events retry 0198c5c2-… --wait', 'and tell how it ends; exit code 1 if badly'],
  ],
  async action(context, options, id) {
    using interruption = new Interruption();
    const service = await findService(context, options, interruption.signal);
    const { retried } = await service.retry(id);
    const { wait = false, json = false } = options;
    const known = { eventId: id, retried };
    if (wait) {
      await showOutcome(context, service, id, { ...options, wait }, { interruption, known });
    } else if (json) context.terminal.printJson(known);
    else context.terminal.print(`Put back into the queue: ${retried}`);
  },
});
