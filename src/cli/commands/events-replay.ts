import { defineCommand } from '../command.ts';
import { WAIT_OPTIONS, showReceipt } from '../events/event-outcome.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { Interruption } from '../terminal.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

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
