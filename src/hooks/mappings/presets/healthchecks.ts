import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Healthchecks.io and self-hosted Healthchecks, integration Webhook. The body is written by its user; docs/presets.md has
 * the one that fits. `$NOW` is when the check changed its state, so `id` is one per change.
 */
export const healthchecks: Preset = {
  id: 'healthchecks',
  match: { path: 'healthchecks' },
  setup: [
    'Integrations → Webhook → Add Integration, the same for down and up: URL POST {url}.',
    'Request Body: {"id":"$CODE-$STATUS-$NOW","code":"$CODE","name":$NAME_JSON,"status":"$STATUS","tags":"$TAGS","time":"$NOW","body":$BODY_JSON,"url":"https://healthchecks.io/checks/$CODE/details/"}',
    'Request Headers, a line each: Authorization: Bearer {token} and Content-Type: application/json.',
  ],
  name: 'Healthchecks',
  task: report(
    'A watch over scheduled jobs (Healthchecks) reports one of them.',
    'If it is down, tell the person you serve in at most three short sentences which job is late or failed, since when, and what its last output says.',
    'If it is up again, one short sentence is enough.',
  ),
  messageTemplate: [
    'Healthchecks: {{ name }} is {{ status }}',
    'Tags: {{ tags }}',
    'Since: {{ time | date }}',
    'Last output: {{ body | max 4000 }}',
    '{{ url }}',
  ],
  sessionKey: 'hook:healthchecks:{{ code }}',
  dedupeKey: '{{ id }}',
};
