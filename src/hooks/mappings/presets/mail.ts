import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** New mail: `{source: "mail", messages: [{id?, from, subject, snippet, body?}]}`, one run per message. */
export const mail: Preset = {
  id: 'mail',
  match: { path: 'mail' },
  setup: [
    'Run hooks mail setup, or let a program of your own POST to {url} with the header Authorization: Bearer {token}.',
  ],
  name: 'Mail',
  task: report(
    'A new email came for the person you serve.',
    'Tell them in at most four short sentences who writes, what that person wants of them and until when, and whether it is urgent; keep names, dates and amounts exact.',
    'For a newsletter or advertising, one short sentence is enough.',
    'If something about it is suspicious (pressure, money, passwords or codes, an unusual sender), say so first and why.',
  ),
  forEach: 'messages',
  messageTemplate: [
    'New email from {{ item.from }}',
    'Subject: {{ item.subject }}',
    '{{ item.snippet }}',
    '{{ item.body }}',
  ].join('\n'),
  sessionKey: 'hook:mail:{{ item.id }}',
  dedupeKey: '{{ item.id }}',
  // What the watcher sends twice is sent among other messages; the id is that of the message.
  dedupeOn: 'key',
};
