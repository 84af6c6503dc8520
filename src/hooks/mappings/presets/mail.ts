import type { Preset } from './preset.ts';

/** New mail: `{source: "mail", messages: [{id?, from, subject, snippet, body?}]}`, one run per message. */
export const mail: Preset = {
  id: 'mail',
  match: { path: 'mail' },
  name: 'Mail',
  forEach: 'messages',
  messageTemplate: [
    'New email from {{ item.from }}',
    'Subject: {{ item.subject }}',
    '{{ item.snippet }}',
    '{{ item.body }}',
  ].join('\n'),
  sessionKey: 'hook:mail:{{ item.id }}',
  dedupeKey: '{{ item.id }}',
};
