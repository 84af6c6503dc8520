import type { MappingOptions } from '../../../options/index.ts';

/** New mail: `{source: "mail", messages: [{id?, from, subject, snippet, body?}]}`, one run per message. */
export const mail: MappingOptions & { id: string } = {
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
