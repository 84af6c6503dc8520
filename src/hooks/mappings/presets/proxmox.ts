import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Proxmox VE 8.3 and newer and Proxmox Backup Server 3.3 and newer, a webhook target: its body is written by the
 * operator, and this is the one to enter. What went well (severity info: backups, updates that are there) is not taken,
 * nor is the test of a target. Reports of backups end in long logs, so they are cut.
 */
export const proxmox: Preset = {
  id: 'proxmox',
  match: { path: 'proxmox' },
  setup: [
    'Datacenter → Notifications (Backup Server: Configuration → Notifications) → Notification Targets → Add → Webhook: Method POST, URL {url}.',
    'Headers: Content-Type with application/json, and Authorization with Bearer {{ secrets.token }}.',
    'Body: {"title":"{{escape title}}","message":"{{escape message}}","severity":"{{severity}}","timestamp":{{timestamp}},"fields":{{json fields}}}',
    'Secrets: Key token, Value {token}.',
    'Notification Matchers: add the target to the one that is to use it; Test on the target sends a test message, which is answered 200 and skipped.',
  ],
  name: 'Proxmox',
  task: report(
    'A virtualisation or backup server (Proxmox) reports something.',
    'Tell the person you serve in at most three short sentences what failed, on which host, for which machines or datastore, and what its log gives as the cause; what endangers data comes first and plainly.',
  ),
  when: {
    'payload.severity': { not: 'info' },
    'payload.title': { not: { startsWith: 'Test notification' } },
  },
  messageTemplate: [
    'Proxmox: {{ severity }}',
    '{{ title }}',
    'Host: {{ fields.hostname }}',
    'Kind: {{ fields.type }}',
    'Job: {{ fields.job-id }}',
    'Datastore: {{ fields.datastore }}',
    '{{ message | max 6000 }}',
  ],
  sessionKey: 'hook:proxmox:{{ fields.hostname }}',
  dedupeKey: '{{ title }} {{ timestamp }}',
};
