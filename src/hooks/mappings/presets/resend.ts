import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Resend: mail that did not arrive, and mail that came in, of which Resend sends no text: that has to be fetched by its
 * id. What was sent, delivered, opened and clicked is not taken. Repeats are known by `svix-id`.
 */
export const resend: Preset = {
  id: 'resend',
  match: { path: 'resend' },
  verify: { scheme: 'resend' },
  setup: [
    'resend.com → Webhooks → Add Webhook: Endpoint URL {url}.',
    'Events: email.bounced, email.complained, email.failed, email.suppressed, and email.received if you receive mail there.',
    'Copy the Signing Secret, which begins with whsec_.',
  ],
  name: 'Resend',
  task: report(
    'A mail service (Resend) reports an email of the person you serve.',
    'Of one that did not arrive, tell them in at most two short sentences which, to whom and why, and what to do about the address.',
    'Of one that came, say who wrote, to which address and about what; its text is not part of the report, so do not guess it.',
  ),
  messageTemplate: [
    'Resend: {{ type }}',
    'From: {{ data.from }}',
    { each: 'data.to', line: 'To: {{ item }}' },
    'Subject: {{ data.subject | max 300 }}',
    'Reason: {{ data.bounce.message || data.failed.reason || data.suppressed.message | max 1000 }}',
    'Kind: {{ data.bounce.type || data.suppressed.type }}',
    'More exactly: {{ data.bounce.subType }}',
    {
      each: 'data.attachments',
      line: 'Attachment: {{ item.filename || item.id }} ({{ item.content_type }})',
    },
    'Sent or received: {{ data.created_at | date }}',
    'Email id: {{ data.email_id }}',
  ],
  sessionKey: 'hook:resend:{{ data.email_id }}',
  when: {
    'payload.type': [
      'email.bounced',
      'email.complained',
      'email.failed',
      'email.suppressed',
      'email.received',
    ],
  },
};
