import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Intercom: what customers write, in HTML. Answers of the own team, assignments, tags, contacts and pings are not taken.
 * A conversation is a session.
 */
export const intercom: Preset = {
  id: 'intercom',
  match: { path: 'intercom' },
  verify: { scheme: 'intercom' },
  setup: [
    'app.intercom.com → Settings → Integrations → Developer Hub → your app → Configure → Webhooks: Your webhook endpoint URL {url}.',
    'Webhook topics: conversation.user.created, conversation.user.replied and conversation.rating.added; save.',
    'Copy the Client secret (Configure → Basic information): it takes the place of a signing secret.',
  ],
  name: 'Intercom',
  task: report(
    'A customer writes to the support of the person you serve (Intercom).',
    'Tell them in at most three short sentences who writes, what the customer wants or how they rated, and how urgent it is; of a further message, how it changes the matter.',
  ),
  when: {
    'payload.topic': [
      'conversation.user.created',
      'conversation.user.replied',
      'conversation.rating.added',
    ],
  },
  messageTemplate: [
    'Intercom: {{ topic }}',
    'Conversation: {{ data.item.id }} ({{ data.item.state }})',
    'Customer: {{ data.item.source.author.name || data.item.source.author.email || data.item.source.author.id }}',
    'Email: {{ data.item.source.author.email }}',
    'Priority: {{ data.item.priority }}',
    { each: 'data.item.tags.tags', line: 'Tag: {{ item.name }}', most: 10 },
    'Subject: {{ data.item.source.subject | text }}',
    'First message: {{ data.item.source.body | text | max 3000 }}',
    {
      each: 'data.item.conversation_parts.conversation_parts',
      line: 'Then {{ item.author.name || item.author.type }} ({{ item.author.type }}): {{ item.body || item.part_type | text | max 3000 }}',
      most: 5,
    },
    'Rating: {{ data.item.conversation_rating.rating }} of 5',
    'Remark: {{ data.item.conversation_rating.remark | max 1000 }}',
  ],
  sessionKey: 'hook:intercom:{{ data.item.id }}',
  dedupeKey: '{{ id }}',
  // A retry counts itself in delivery_attempts; the id is that of the notification.
  dedupeOn: 'key',
};
