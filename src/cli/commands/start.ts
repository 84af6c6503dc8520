import { defineCommand } from '../command.ts';

/** The service itself, in this process. */
export const start = defineCommand({
  name: 'start',
  description: 'start the service and leave it running',
  options: [],
  examples: [
    ['hooks start', 'serve what gateway.json5 here says; without one: a demo to try'],
    ['GATEWAY_CONFIG_DIR=/etc/hooks hooks start', 'with the configuration of another directory'],
  ],
  async action({ env, cwd }) {
    // The whole service: no other command waits until it is read.
    const service = await import('../../service/index.ts');
    await service.start({ env, cwd });
  },
});
