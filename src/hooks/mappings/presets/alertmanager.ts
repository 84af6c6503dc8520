import type { ListLine } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

const WHAT =
  '{{ item.annotations.summary || item.annotations.description || item.labels.alertname | max 300 }} {{ item.labels | max 600 }}';

/** Once where all alerts share it, else that of each alert. */
function linksTo(name: string, annotation: string): (string | ListLine)[] {
  return [
    `${name}: {{ commonAnnotations.${annotation} }}`,
    {
      each: 'alerts',
      line: `${name} of {{ item.labels.alertname }}: {{ item.annotations.${annotation} }}`,
      when: {
        [`payload.commonAnnotations.${annotation}`]: { exists: false },
        [`item.annotations.${annotation}`]: { exists: true },
      },
      most: 10,
    },
  ];
}

/**
 * Prometheus Alertmanager, `webhook_config` version 4: one notification is one group of alerts and makes one run. Each
 * alert says all of itself, so what they share is not said again above them, but for long words.
 * `groupKey` alone stays the same for as long as the group exists; with the state of every alert in the key, a retry is
 * the same notification and any change of state another.
 */
export const alertmanager: Preset = {
  id: 'alertmanager',
  match: { path: 'alertmanager' },
  setup: [
    'In alertmanager.yml, add a receiver with webhook_configs: url {url}, send_resolved true, max_alerts 100.',
    'Under its http_config, set authorization with type Bearer and credentials {token} (or credentials_file).',
    'Name the receiver in the route, and reload Alertmanager.',
  ],
  name: 'Alertmanager',
  task: report(
    'Monitoring (Prometheus Alertmanager) reports a group of alerts.',
    'Tell the person you serve in at most four short sentences what is broken and where, since when and how bad it is, the worst first, and what to look at first if the alerts name a runbook or dashboard.',
    'If all of them are resolved, one short sentence is enough: what is well again and how long it lasted.',
  ),
  messageTemplate: [
    'Alertmanager: {{ status }}',
    {
      each: 'alerts',
      line: `- {{ item.status }} since {{ item.startsAt | date }}: ${WHAT}`,
      when: { 'item.status': { not: 'resolved' } },
      most: 30,
    },
    {
      each: 'alerts',
      // What is over has an end; of what fires Alertmanager says the year 1, or when it will ask again.
      line: `- resolved, began {{ item.startsAt | date }}, ended {{ item.endsAt | date }}: ${WHAT}`,
      when: { 'item.status': 'resolved' },
      most: 30,
    },
    {
      line: 'Description: {{ commonAnnotations.description | max 1000 }}',
      when: { 'payload.commonAnnotations.summary': { exists: true } },
    },
    {
      each: 'alerts',
      line: 'Description of {{ item.labels.alertname }}: {{ item.annotations.description | max 500 }}',
      when: {
        'payload.commonAnnotations.description': { exists: false },
        'item.annotations.description': { exists: true },
        'item.annotations.summary': { exists: true },
      },
      most: 10,
    },
    ...linksTo('Runbook', 'runbook_url'),
    ...linksTo('Dashboard', 'dashboard_url'),
    {
      line: 'Alerts that Alertmanager left out: {{ truncatedAlerts }}',
      when: { 'payload.truncatedAlerts': { gt: 0 } },
    },
    '{{ externalURL }}',
  ],
  dedupeKey: '{{ groupKey }} {{ status }} {{ alerts }}',
  // The peers of a cluster notify alike but for their own externalURL; the key says all that counts.
  dedupeOn: 'key',
};
