import type { Preset } from './preset.ts';

/**
 * Uptime Kuma, notification type Webhook with its own JSON: `{heartbeat, monitor, msg}`. Test messages and certificate
 * warnings have no heartbeat; without a key each of them is a run.
 */
export const uptimeKuma: Preset = {
  id: 'uptime-kuma',
  match: { path: 'uptime-kuma' },
  name: 'Uptime Kuma',
  messageTemplate: [
    'Uptime Kuma: {{ msg }}',
    '{{ monitor.url }}',
    '{{ monitor.hostname }}',
    '{{ heartbeat.time }}',
  ],
  sessionKey: 'hook:uptime-kuma:{{ heartbeat.monitorID }}',
  dedupeKey: '{{ heartbeat.monitorID }} {{ heartbeat.status }} {{ heartbeat.time }}',
};
