import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Anybody's JSON: `title`, `status`, `message` and `url` first, where there are such fields, then the whole payload.
 * A retry is known by the payload's own `id`.
 */
export const generic: Preset = {
  id: 'generic',
  match: { path: 'generic' },
  task: report(
    'Another system, of which nothing more is known, sends the event below.',
    'Tell the person you serve, in at most four short sentences, what happened, to what, how urgent it is and what they should do, if anything; leave out ids and technical fields that say nothing to them.',
    'If you cannot tell what it is about, say so and name the fields that look most telling.',
  ),
  messageTemplate: [
    '{{ title }}',
    '{{ status }}',
    '{{ message }}',
    '{{ url }}',
    'Payload: {{ payload }}',
  ],
  dedupeKey: '{{ id }}',
};
