import { StopRequest } from '../../platform/stop-request.ts';
import { defineCommand, option } from '../command.ts';

export const start = defineCommand({
  name: 'start',
  description: 'start the service and leave it running',
  options: [
    option(
      '--wait-for-lock',
      'wait until no other process uses the data directory, instead of exiting with 1',
    ),
  ],
  examples: [
    ['hooks start', 'serve what gateway.json5 here says; without one: a demo to try'],
    ['GATEWAY_CONFIG_DIR=/etc/hooks hooks start', 'with the configuration of another directory'],
    [
      'hooks start --wait-for-lock',
      'a second one that takes over as soon as the first has stopped',
    ],
  ],
  async action({ env, cwd, stop = new StopRequest(env) }, { waitForLock }) {
    // The whole service: no other command waits until it is read.
    const service = await import('../../service/index.ts');
    await service.start({ env, cwd, stop, ...(waitForLock === true && { waitForLock }) });
  },
});
