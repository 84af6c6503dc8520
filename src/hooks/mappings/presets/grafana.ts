import type { Preset } from './preset.ts';

/**
 * Grafana Alerting, contact point of type Webhook: `title` and `message` are Grafana's own rendering of the group. The key
 * is Alertmanager's: a retry is the same notification, a change of state or of values another.
 */
export const grafana: Preset = {
  id: 'grafana',
  match: { path: 'grafana' },
  name: 'Grafana',
  messageTemplate: ['Grafana: {{ status }}', '{{ title }}', '{{ message }}', '{{ externalURL }}'],
  dedupeKey: '{{ groupKey }} {{ status }} {{ alerts }}',
};
