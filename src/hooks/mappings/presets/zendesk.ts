import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Zendesk, a webhook that is connected to Zendesk events: new tickets, and public comments of customers. What the own
 * staff writes and every change of a field is not taken. A new ticket is two events, itself and its first comment, in any
 * order: they share the id of the sequence, so the second one is a repeat. Zendesk sends ids of people, hardly a name.
 */
export const zendesk: Preset = {
  id: 'zendesk',
  match: { path: 'zendesk' },
  verify: { scheme: 'zendesk' },
  setup: [
    'Admin Center → Apps and integrations → Webhooks → Create webhook → Zendesk events: Ticket created, Ticket comment added.',
    'Endpoint URL {url}, Request method POST, Request format JSON, Authentication None.',
    'Copy the Signing secret (after saving: Reveal secret). Before saving, Test webhook signs with a secret that everybody knows and is refused: write a ticket instead.',
  ],
  name: 'Zendesk',
  task: report(
    'A customer wrote to the support of the person you serve (Zendesk).',
    'Tell them in at most three short sentences the number and the subject of the ticket, what the customer wants, and how urgent it is.',
    'Say who wrote where a name is given: of a new ticket Zendesk sends none.',
  ),
  when: {
    or: [
      { 'payload.type': 'zen:event-type:ticket.created' },
      {
        'payload.type': 'zen:event-type:ticket.comment_added',
        'payload.event.comment.author.is_staff': false,
        'payload.event.comment.is_public': true,
      },
    ],
  },
  messageTemplate: [
    'Zendesk: {{ type }}',
    'Ticket {{ detail.id }}: {{ detail.subject | max 300 }}',
    'Status: {{ detail.status }}',
    'Priority: {{ detail.priority }}',
    'Kind: {{ detail.type }}',
    'Tags: {{ detail.tags }}',
    'Came by: {{ detail.via.channel }}',
    'From: {{ event.comment.author.name }}',
    '{{ event.comment.body || detail.description | max 4000 }}',
  ],
  sessionKey: 'hook:zendesk:{{ detail.id }}',
  dedupeKey: '{{ event.meta.sequence.id || id }}',
  // The events of one change of a ticket have one sequence, and bodies of their own.
  dedupeOn: 'key',
};
