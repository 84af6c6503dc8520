import { modelAddresses } from '../../../standalone/addresses.ts';
import type { Check } from '../check.ts';
import { reachable } from './reachable.ts';

/** Whether the servers of models and other gateways can be reached. No model is asked: nothing is paid for. */
export const models: Check = {
  name: 'models',
  needs: 'network',
  run: (patient) =>
    reachable(
      modelAddresses(patient.resolved.effective),
      patient,
      'no provider is configured: only the demo agent, a local Ollama and programs can run',
    ),
};
