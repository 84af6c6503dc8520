import { defineCommand } from '../command.ts';
import { detailLines } from '../events/event-lines.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { paintFor } from '../text-layout.ts';

/** One event with its payload, prompts, tool calls, replies and deliveries, all of which are foreign text. */
export const eventsShow = defineCommand({
  name: 'show',
  description: 'tell the whole story of an event',
  arguments: [['<id>', EVENT_ID]],
  options: SERVICE_OPTIONS,
  examples: [
    ['hooks events show 0198c5c2-…', 'what came, what was made of it, what became of that'],
    ['hooks events show last', 'the newest'],
    ['hooks events show 0198c5c2-… --json', 'the same as the operator API tells it'],
  ],
  async action(context, options, id) {
    const { terminal } = context;
    const service = await findService(context, options);
    const event = await service.event(await findEventId(service, id));
    if (options.json === true) return terminal.printJson(event);
    for (const line of detailLines(event, paintFor(terminal))) terminal.print(line);
  },
});
