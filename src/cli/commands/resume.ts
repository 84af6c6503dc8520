import { defineCommand } from '../command.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** The end of a pause. */
export const resume = defineCommand({
  name: 'resume',
  description: 'let a paused service take requests and begin work again',
  options: SERVICE_OPTIONS,
  examples: [['hooks resume', 'what waited is begun; senders are answered again']],
  async action(context, options) {
    const { terminal } = context;
    const service = await findService(context, options);
    const { paused } = await service.resume();
    if (options.json === true) return terminal.printJson({ paused });
    terminal.print('Resumed: hooks take requests, and what waited is begun.');
  },
});
