import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Prometheus Alertmanager, `webhook_config` version 4: one notification is one group of alerts and makes one run.
 * `groupKey` alone stays the same for as long as the group exists; with the state of every alert in the key, a retry is
 * the same notification and any change of state another.
 */
export const alertmanager: Preset = {
  id: 'alertmanager',
  match: { path: 'alertmanager' },
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
    '{{ commonAnnotations.description }}',
    '{{ commonAnnotations.runbook_url }}',
    'Labels: {{ commonLabels }}',
    'Alerts: {{ alerts }}',
    '{{ externalURL }}',
  ],
  dedupeKey: '{{ groupKey }} {{ status }} {{ alerts }}',
};
