import { defineCommand } from '../command.ts';
import { DEAD_WORK_OPTIONS, allAsked, forAll } from '../events/dead-work.ts';
import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

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
