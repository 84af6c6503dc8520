import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Prometheus Alertmanager, `webhook_config` version 4: one notification is one group of alerts and makes one run. What
 * all alerts share stands above them; a group whose alerts differ has it in their lines.
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
    '{{ commonLabels.alertname }}',
    '{{ commonAnnotations.summary }}',
    '{{ commonAnnotations.description | max 1000 }}',
    '{{ commonAnnotations.runbook_url }}',
    'Labels: {{ commonLabels }}',
    {
      each: 'alerts',
      line: '- {{ item.status }}, began {{ item.startsAt }}: {{ item.annotations.summary || item.annotations.description || item.labels.alertname | max 300 }} {{ item.labels | max 600 }}',
      most: 30,
    },
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
