import { option } from '../command.ts';
import type { CommandGroup } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { serviceCommand } from '../service/service-command.ts';
import { channelTable } from '../service/status-lines.ts';

/* A test message is sent at once and once, past the outbox; only whether it was taken is stored. */

const channelsList = serviceCommand({
  name: 'list',
  description: 'list the channels with their state, last message and last error',
  examples: [
    ['hooks channels list', 'a line for each, whichever instance is asked'],
    ['hooks channels list --json', 'for a program'],
  ],
  ask: ({ service }) => service.ask('GET /ops/api/channels', 'channels', {}),
  print({ channels }, { terminal, now }) {
    if (channels.length === 0) terminal.note('There are no channels: docs/channels.md');
    else terminal.printTable(channelTable(channels, now));
  },
});

const channelsTest = serviceCommand({
  name: 'test',
  description: 'send a test message through a channel, at once and once',
  arguments: [['<channel>', 'chan_1 to chan_8']],
  options: [
    option('--to <recipient>', "in the platform's own form (default: the channel's own `to`)"),
  ],
  examples: [
    ['hooks channels test chan_1', 'to channels.chan_1.to'],
    ['hooks channels test chan_1 --to 4711', 'to somebody else'],
  ],
  ask({ service, options: { to } }, id) {
    const given = { path: { id }, body: { to } };
    return service.ask('POST /ops/api/channels/{id}/test', 'messageId', given);
  },
  json: ({ status, messageId }) => ({ status, messageId }),
  print({ status, messageId }, { terminal }) {
    const as = messageId === null ? '' : ` as message ${asLine(messageId)}`;
    terminal.print(
      status === 'accepted'
        ? `The platform accepted the test message${as}; whether it arrived is not known here.`
        : `The test message was delivered${as}.`,
    );
  },
});

export const channels: CommandGroup = {
  name: 'channels',
  description: 'see how the channels are doing, and try one',
  examples: [
    ['hooks channels list', 'the state of each: its last message, its last error'],
    ['hooks channels test chan_1', 'send a test message to its own recipient'],
  ],
  commands: [channelsList, channelsTest],
};
