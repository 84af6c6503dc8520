import { answer } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * A Telegram bot's webhook: messages that people write, with their words or the words under a picture. Edits, button
 * presses, inline queries, messages of bots, and pictures and voices without words are not taken. A chat is one
 * conversation. Anybody can write to a bot: the preset names no recipient, so strangers get an answer only where the
 * operator says so. Update ids count per bot, hence the chat in the key.
 */
export const telegram: Preset = {
  id: 'telegram',
  match: { path: 'telegram' },
  verify: { scheme: 'telegram' },
  setup: [
    'Call the Bot API with the token that @BotFather gave you: https://api.telegram.org/bot<token>/setWebhook with the parameters url={url}, secret_token={secret} and allowed_updates=["message"].',
    'https://api.telegram.org/bot<token>/getWebhookInfo shows what Telegram was answered last.',
  ],
  name: 'Telegram',
  task: answer(
    'Somebody writes to the Telegram bot that you speak for.',
    'It need not be the person you serve: tell nobody in such a chat anything that is meant for that person alone.',
  ),
  messageTemplate: [
    'Telegram: {{ message.from.first_name }} (id {{ message.from.id }})',
    'Username: @{{ message.from.username }}',
    'In the group: {{ message.chat.title }}',
    'Answering: {{ message.reply_to_message.text | max 500 }}',
    '{{ message.text || message.caption | max 8000 }}',
  ],
  sessionKey: 'hook:telegram:{{ message.chat.id }}',
  sessionMode: 'persistent',
  dedupeKey: '{{ message.chat.id }} {{ update_id }}',
  when: {
    'payload.message.chat.id': { exists: true },
    'payload.message.from.is_bot': { not: true },
    or: [
      { 'payload.message.text': { exists: true } },
      { 'payload.message.caption': { exists: true } },
    ],
  },
};
