import { modelAddresses, channelAddresses } from '../../../service/index.ts';
import type { Check } from '../check.ts';
import { checkServers } from '../reach.ts';

/** Whether the servers of models and other gateways can be reached. No model is asked: nothing is paid for. */
export const models: Check = {
  name: 'models',
  needs: 'network',
  run: (context) =>
    checkServers(
      // Without a configuration the demo agent answers where there is no Ollama.
      context.inspection.isDemo ? [] : modelAddresses(context.resolved.effective),
      context,
      'no provider is configured: only a local Ollama and programs can run',
    ),
};

/** Whether the platforms of the channels can be reached. Nothing is sent to anybody; `POST /ops/api/channels/:id/test` does. */
export const channels: Check = {
  name: 'channels',
  needs: 'network',
  run: (context) =>
    checkServers(
      channelAddresses(context.inspection.sections['channels']),
      context,
      'none is configured: replies stay in their sessions',
    ),
};
