import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Grafana Alerting, contact point of type Webhook: `title` and `message` are Grafana's own rendering of the group. The key
 * is Alertmanager's: a retry is the same notification, a change of state or of values another.
 */
export const grafana: Preset = {
  id: 'grafana',
  match: { path: 'grafana' },
  setup: [
    'Alerting → Contact points → Add contact point: integration Webhook, URL {url}.',
    'Optional Webhook settings: HTTP Method POST, Authorization Header Scheme Bearer, Authorization Header Credentials {token}.',
    'Save it, and choose it in a notification policy.',
  ],
  name: 'Grafana',
  task: report(
    'Monitoring (Grafana) reports a group of alerts.',
    'Tell the person you serve in at most four short sentences what is wrong and where, with the values that Grafana gives, since when and how bad it is, the worst first.',
    'If all of them are resolved, one short sentence is enough: what is well again and how long it lasted.',
  ),
  messageTemplate: [
    'Grafana: {{ status }}',
    '{{ title }}',
    '{{ message }}',
    {
      each: 'alerts',
      line: '- {{ item.labels.alertname }}: {{ item.status }} since {{ item.startsAt | date }}',
      when: { 'item.status': { not: 'resolved' } },
      most: 30,
    },
    {
      each: 'alerts',
      line: '- {{ item.labels.alertname }}: resolved, began {{ item.startsAt | date }}, ended {{ item.endsAt | date }}',
      when: { 'item.status': 'resolved' },
      most: 30,
    },
    '{{ externalURL }}',
  ],
  dedupeKey: '{{ groupKey }} {{ status }} {{ alerts }}',
  // The peers of a cluster notify alike but for their own addresses; the key says all that counts.
  dedupeOn: 'key',
};
