import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Anybody's JSON: what it is about in a few lines, by the names that most senders use, then the whole payload without
 * what the lines have said. A retry is known by the payload's own `id`.
 */
export const generic: Preset = {
  id: 'generic',
  match: { path: 'generic' },
  setup: [
    'POST JSON to {url} with the headers Authorization: Bearer {token} and Content-Type: application/json.',
  ],
  task: report(
    'Another system, of which nothing more is known, sends the event below.',
    'Tell the person you serve, in at most four short sentences, what happened, to what, how urgent it is and what they should do, if anything; leave out ids and technical fields that say nothing to them.',
    'If you cannot tell what it is about, say so and name the fields that look most telling.',
  ),
  messageTemplate: [
    '{{ title || subject || summary || headline || data.title || data.subject || data.name || payload.payload.name || payload.payload.title }}',
    '{{ event.type || event_type || eventType || event_name || type || event || action || topic || message.type }}',
    '{{ status || state || data.status || payload.payload.status || severity || level }}',
    '{{ message.text || text || event.text || description || message || body || data.description | max 2000 }}',
    '{{ url || html_url || web_url || link || data.url || payload.payload.url }}',
    'Payload: {{ payload.* }}',
  ],
  dedupeKey: '{{ id }}',
};
