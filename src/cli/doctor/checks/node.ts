import { nodeRefusal } from '../../../platform/node-version.ts';
import { error, ok } from '../check.ts';
import type { Check } from '../check.ts';

/** Whether this Node runs the service. */
export const node: Check = {
  name: 'node',
  needs: 'nothing',
  run({ nodeVersion }) {
    const refusal = nodeRefusal(nodeVersion);
    if (refusal === undefined) return [ok(`Node ${nodeVersion}`)];
    return [error(`Node ${nodeVersion} is too old`, refusal)];
  },
};
