import { channelAddresses } from '../../../service/index.ts';
import type { Check } from '../check.ts';
import { checkServers } from '../reach.ts';

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
