import { asLine } from '../foreign-text.ts';
import { INSTANCE, instanceNamed } from './instances.ts';
import { serviceCommand } from '../service/service-command.ts';

/*
 * A pause is kept in the ledger: it holds over restarts and, where several services share a database, for all of them.
 * Deliveries and runs that are under way go on to their end; whatever is left waits for `hooks resume`.
 */

/** Stops intake and work of the running service, also over its restarts. What runs goes on to its end. */
export const pause = serviceCommand({
  name: 'pause',
  description: 'let the service take no requests and begin no work, until resumed',
  examples: [['hooks pause', 'hooks answer 503: senders that retry lose nothing']],
  ask: ({ service }) => service.ask('POST /ops/api/pause', 'paused', {}),
  json: ({ paused }) => ({ paused }),
  print(_, { terminal }) {
    terminal.print('Paused: hooks answer 503, and no work is begun. What runs goes on.');
    terminal.note('It holds over restarts, until: hooks resume');
  },
});

/** The end of a pause, or of the draining of one service. */
export const resume = serviceCommand({
  name: 'resume',
  description: 'let a paused service take requests and begin work again',
  arguments: [['[instance]', `of several, one that is drained: ${INSTANCE}`]],
  examples: [
    ['hooks resume', 'what waited is begun; senders are answered again'],
    ['hooks resume 6f1f0c1e', 'one service that was drained'],
  ],
  async ask({ service }, word?: string) {
    if (word === undefined) {
      const { paused } = await service.ask('POST /ops/api/resume', 'paused', {});
      return { json: { paused }, who: 'hooks take requests, and what waited is begun' };
    }
    const { id, name } = await instanceNamed(service, word);
    const path = { id };
    const call = 'POST /ops/api/instances/{id}/resume';
    const { draining } = await service.ask(call, 'draining', { path });
    return { json: { id, draining }, who: `${asLine(name)} is ready and begins work again` };
  },
  json: ({ json }) => json,
  print({ who }, { terminal }) {
    terminal.print(`Resumed: ${who}.`);
  },
});
