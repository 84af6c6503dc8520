import { defineCommand } from '../command.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** Stops intake and work of the running service, also over its restarts. What runs goes on to its end. */
export const pause = defineCommand({
  name: 'pause',
  description: 'let the service take no requests and begin no work, until resumed',
  options: SERVICE_OPTIONS,
  examples: [['hooks pause', 'hooks answer 503: senders that retry lose nothing']],
  async action(context, options) {
    const { terminal } = context;
    const service = await findService(context, options);
    const { paused } = await service.pause();
    if (options.json === true) return terminal.printJson({ paused });
    terminal.print('Paused: hooks answer 503, and no work is begun. What runs goes on.');
    terminal.note('It holds over restarts, until: hooks resume');
  },
});
