import { defineCommand, option } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** A real message to a real recipient, past everything that decides about replies. */
export const channelsTest = defineCommand({
  name: 'test',
  description: 'send a test message through a channel, at once and once',
  arguments: [['<channel>', 'chan_1 to chan_8']],
  options: [
    option('--to <recipient>', "in the platform's own form (default: the channel's own `to`)"),
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks channels test chan_1', 'to channels.chan_1.to'],
    ['hooks channels test chan_1 --to 4711', 'to somebody else'],
  ],
  async action(context, options, id) {
    const { terminal } = context;
    const service = await findService(context, options);
    const { status, messageId } = await service.testChannel(id, options.to);
    if (options.json === true) return terminal.printJson({ status, messageId });
    const as = messageId === null ? '' : ` as message ${asLine(messageId)}`;
    terminal.print(
      status === 'accepted'
        ? `The platform accepted the test message${as}; whether it arrived is not known here.`
        : `The test message was delivered${as}.`,
    );
  },
});
