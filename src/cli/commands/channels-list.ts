import { defineCommand } from '../command.ts';
import { channelTable } from '../channels/channel-lines.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** The configured channels with what is known of them since the service started. */
export const channelsList = defineCommand({
  name: 'list',
  description: 'list the channels with their state, last message and last error',
  options: SERVICE_OPTIONS,
  examples: [
    ['hooks channels list', 'a line for each, since the service started'],
    ['hooks channels list --json', 'for a program'],
  ],
  async action(context, options) {
    const { terminal, clock } = context;
    const service = await findService(context, options);
    const channels = await service.channels();
    if (options.json === true) return terminal.printJson({ channels });
    if (channels.length === 0) return terminal.note('There are no channels: docs/channels.md');
    terminal.printTable(channelTable(channels, clock.now()));
  },
});
