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
