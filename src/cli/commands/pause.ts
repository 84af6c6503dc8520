import { serviceCommand } from '../service/service-command.ts';

/* A pause holds over restarts and for all that share a database; what is under way goes on to its end. */

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

export const resume = serviceCommand({
  name: 'resume',
  description: 'let a paused service take requests and begin work again',
  examples: [['hooks resume', 'what waited is begun; senders are answered again']],
  ask: ({ service }) => service.ask('POST /ops/api/resume', 'paused', {}),
  json: ({ paused }) => ({ paused }),
  print(_, { terminal }) {
    terminal.print('Resumed: hooks take requests, and what waited is begun.');
  },
});
