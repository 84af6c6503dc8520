import { report } from './preset.ts';
import type { Preset } from './preset.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Postmark: mail that came in, and mail that did not arrive. Deliveries, opens and clicks are not taken. Attachments come
 * inside the JSON, so bodies are large; the agent is shown their names only. The sender of a mail can be forged.
 */
export const postmark: Preset = {
  id: 'postmark',
  match: { path: 'postmark' },
  verify: { scheme: 'postmark' },
  maxBodyBytes: 16 * MEBIBYTE,
  setup: [
    'For incoming mail: Servers → your server → Inbound Message Stream → Settings → Webhook: {secretUrl}; leave Include raw email content off.',
    'For mail that did not arrive: Transactional Message Stream → Webhooks → Add webhook: {url} with {secret} as Basic auth credentials; Bounce and Spam Complaint.',
    'Check sends an example.',
  ],
  name: 'Postmark',
  task: report(
    'A mail service (Postmark) reports an email that came for the person you serve, or one of theirs that did not arrive.',
    'Of one that came, tell them in at most four short sentences who writes, what that person wants of them and until when, and whether it is urgent; keep names, dates and amounts exact; for a newsletter or advertising, one short sentence is enough.',
    'If something about it is suspicious (pressure, money, passwords or codes, an unusual sender), say so first and why.',
    'Of one that did not arrive, say in at most two whose address refused it and why.',
  ),
  cases: [
    {
      id: 'postmark-inbound',
      when: {
        'payload.RecordType': { exists: false },
        'payload.MessageID': { exists: true },
        'payload.From': { exists: true },
      },
      messageTemplate: [
        'New email from {{ FromFull.Name || FromFull.Email }}',
        'Address: {{ FromFull.Email }}',
        'To: {{ To }}',
        'Cc: {{ Cc }}',
        'Answers go to: {{ ReplyTo }}',
        'Date: {{ Date }}',
        'Subject: {{ Subject | max 300 }}',
        '{{ StrippedTextReply || TextBody || HtmlBody | max 6000 }}',
        {
          each: 'Attachments',
          line: 'Attachment: {{ item.Name }} ({{ item.ContentType }}, {{ item.ContentLength }} bytes)',
        },
      ],
      sessionKey: 'hook:postmark:{{ MessageID }}',
      dedupeKey: '{{ MessageID }}',
    },
    {
      id: 'postmark-not-delivered',
      when: {
        or: [
          // Soft bounces mend themselves.
          { 'payload.RecordType': 'Bounce', 'payload.Inactive': true },
          { 'payload.RecordType': 'SpamComplaint' },
        ],
      },
      messageTemplate: [
        'Postmark: {{ Name || RecordType }}',
        'To: {{ Email }}',
        'From: {{ From }}',
        'Subject: {{ Subject | max 300 }}',
        '{{ Description | max 1000 }}',
        '{{ Details | max 1000 }}',
        'At: {{ BouncedAt | date }}',
        'Nothing is sent to this address any more: {{ Inactive }}',
      ],
      sessionKey: 'hook:postmark:{{ MessageID }}',
      dedupeKey: '{{ RecordType }} {{ ID }}',
    },
  ],
};
