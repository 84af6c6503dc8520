import { channelAddresses } from '../../../standalone/addresses.ts';
import type { Check } from '../check.ts';
import { reachable } from './reachable.ts';

/** Whether the platforms of the channels can be reached. Nothing is sent to anybody; `POST /ops/api/channels/:id/test` does. */
export const channels: Check = {
  name: 'channels',
  needs: 'network',
  run: (patient) =>
    reachable(
      channelAddresses(patient.inspection.sections['channels']),
      patient,
      'none is configured: replies stay in their sessions',
    ),
};
