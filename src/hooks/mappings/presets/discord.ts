import type { ListLine } from '../../options/index.ts';
import { answer } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Discord interactions: slash commands of an application (type 2, of which 1 is the slash command). Pings are answered by
 * the handshake; buttons, forms and auto-completion are not taken. Discord wants the answer in the response, within 3
 * seconds: it shows that the application did not respond, and the answer comes as a message of the bot.
 */
export const discord: Preset = {
  id: 'discord',
  match: { path: 'discord' },
  verify: { scheme: 'discord' },
  setup: [
    'discord.com/developers/applications → your application → General Information → Interactions Endpoint URL: {url}.',
    "Register your slash commands with Discord's API, and install the application on your server.",
    'Copy the Public Key (General Information): it takes the place of a signing secret. Discord verifies the URL once the gateway knows it: then Save Changes.',
  ],
  name: 'Discord',
  task: answer(
    'Somebody on a Discord server uses a slash command of the application that you speak for; its name and its options say what they want.',
    'Begin with what the command was and who used it, in a few words, since others read along.',
  ),
  messageTemplate: [
    'Discord: /{{ data.name }} by {{ member.user.global_name || member.user.username || user.global_name || user.username }} (id {{ member.user.id || user.id }})',
    'In the channel: {{ channel.name || channel_id }}',
    // A subcommand, or a group of them and one of it, is the only option, and has the options itself.
    ...['data.options', 'data.options[0].options', 'data.options[0].options[0].options'].flatMap(
      (options): ListLine[] => [
        { each: options, line: 'Subcommand: {{ item.name }}', when: { 'item.type': [1, 2] } },
        {
          each: options,
          line: '{{ item.name }}: {{ item.value | max 4000 }}',
          most: 25,
          when: { 'item.value': { exists: true } },
        },
      ],
    ),
  ],
  sessionKey: 'hook:discord:{{ channel_id }}',
  dedupeKey: '{{ id }}',
  when: { 'payload.type': 2, 'payload.data.type': 1 },
};
