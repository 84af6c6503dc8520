import { modelAddresses } from '../../../service/index.ts';
import type { Check } from '../check.ts';
import { checkServers } from '../reach.ts';

/** Whether the servers of models and other gateways can be reached. No model is asked: nothing is paid for. */
export const models: Check = {
  name: 'models',
  needs: 'network',
  run: (context) =>
    checkServers(
      modelAddresses(context.resolved.effective),
      context,
      'no provider is configured: only a local Ollama and programs can run',
    ),
};
