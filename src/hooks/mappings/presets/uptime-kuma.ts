import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Uptime Kuma, notification type Webhook with its own JSON: `{heartbeat, monitor, msg}`. Warnings of certificates
 * have no heartbeat and no key, so each of them is a run; nor have test messages, which are not taken.
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
    // Monitors that ping, or look at a port, have this for an address.
    {
      line: '{{ monitor.url }}',
      when: { 'payload.monitor.url': { not: ['https://', 'http://'] } },
    },
    'Host: {{ monitor.hostname }}',
    'Since: {{ heartbeat.localDateTime }} {{ heartbeat.timezone }} (UTC{{ heartbeat.timezoneOffset }})',
    {
      line: 'Since: {{ heartbeat.time }} UTC',
      when: { 'payload.heartbeat.localDateTime': { exists: false } },
    },
  ],
  when: {
    or: [
      { 'payload.heartbeat': { exists: true } },
      { 'payload.msg': { not: { endsWith: ' Testing' } } },
    ],
  },
  sessionKey: 'hook:uptime-kuma:{{ heartbeat.monitorID }}',
  dedupeKey: '{{ heartbeat.monitorID }} {{ heartbeat.status }} {{ heartbeat.time }}',
};
