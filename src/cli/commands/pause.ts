import { defineCommand } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { INSTANCE, instanceNamed } from './instances.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/*
 * A pause is kept in the ledger: it holds over restarts and, where several services share a database, for all of them.
 * Deliveries and runs that are under way go on to their end; whatever is left waits for `hooks resume`.
 */

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

/** The end of a pause, or of the draining of one service. */
export const resume = defineCommand({
  name: 'resume',
  description: 'let a paused service take requests and begin work again',
  arguments: [['[instance]', `of several, one that is drained: ${INSTANCE}`]],
  options: SERVICE_OPTIONS,
  examples: [
    ['hooks resume', 'what waited is begun; senders are answered again'],
    ['hooks resume 6f1f0c1e', 'one service that was drained'],
  ],
  async action(context, options, word?: string) {
    const { terminal } = context;
    const service = await findService(context, options);
    if (word !== undefined) {
      const { id, name } = await instanceNamed(service, word);
      const { draining } = await service.resumeInstance(id);
      if (options.json === true) return terminal.printJson({ id, draining });
      terminal.print(`Resumed: ${asLine(name)} is ready and begins work again.`);
      return;
    }
    const { paused } = await service.resume();
    if (options.json === true) return terminal.printJson({ paused });
    terminal.print('Resumed: hooks take requests, and what waited is begun.');
  },
});
