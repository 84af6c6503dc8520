import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Uptime Kuma, notification type Webhook with its own JSON: `{heartbeat, monitor, msg}`. Test messages and certificate
 * warnings have no heartbeat; without a key each of them is a run.
 */
export const uptimeKuma: Preset = {
  id: 'uptime-kuma',
  match: { path: 'uptime-kuma' },
  setup: [
    'Settings → Notifications → Setup Notification: type Webhook, Post URL {url}.',
    'Request Body: Preset - application/json.',
    'Additional Headers on: {"Authorization": "Bearer {token}"}',
  ],
  name: 'Uptime Kuma',
  task: report(
    'A monitor (Uptime Kuma) reports that a service changed its state.',
    'Tell the person you serve in at most three short sentences what is down, since when, and what the check got instead of an answer.',
    'If it is up again, one short sentence is enough; of a certificate say whose it is and how many days are left.',
  ),
  messageTemplate: [
    'Uptime Kuma: {{ msg }}',
    '{{ monitor.url }}',
    '{{ monitor.hostname }}',
    '{{ heartbeat.time }}',
  ],
  sessionKey: 'hook:uptime-kuma:{{ heartbeat.monitorID }}',
  dedupeKey: '{{ heartbeat.monitorID }} {{ heartbeat.status }} {{ heartbeat.time }}',
};
