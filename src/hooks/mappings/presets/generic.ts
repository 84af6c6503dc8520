import type { Preset } from './preset.ts';

/**
 * Anybody's JSON: `title`, `status`, `message` and `url` first, where there are such fields, then the whole payload.
 * A retry is known by the payload's own `id`.
 */
export const generic: Preset = {
  id: 'generic',
  match: { path: 'generic' },
  messageTemplate: [
    '{{ title }}',
    '{{ status }}',
    '{{ message }}',
    '{{ url }}',
    'Payload: {{ payload }}',
  ],
  dedupeKey: '{{ id }}',
};
