import type { Preset } from './preset.ts';

/**
 * Healthchecks.io and self-hosted Healthchecks, integration Webhook. The body is written by its user; docs/presets.md has
 * the one that fits. `$NOW` is when the check changed its state, so `id` is one per change.
 */
export const healthchecks: Preset = {
  id: 'healthchecks',
  match: { path: 'healthchecks' },
  name: 'Healthchecks',
  messageTemplate: [
    'Healthchecks: {{ name }} is {{ status }}',
    '{{ tags }}',
    '{{ body }}',
    '{{ time }}',
    '{{ url }}',
  ],
  sessionKey: 'hook:healthchecks:{{ code }}',
  dedupeKey: '{{ id }}',
};
