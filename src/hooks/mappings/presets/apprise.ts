import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Apprise, `json://` and `jsons://`: `{version, title, message, attachments, type}`. Nothing in it tells two
 * notifications apart and Apprise does not retry, so every request is a run of its own.
 */
export const apprise: Preset = {
  id: 'apprise',
  match: { path: 'apprise' },
  setup: [
    'Send to jsons:// and the address of {url} without its scheme, with ?+x-gateway-token={token} at its end.',
  ],
  name: 'Apprise',
  task: report(
    'A program sends a notification for the person you serve (by Apprise; its type is info, success, warning or failure).',
    'Pass it on in at most three short sentences: of a warning or failure first what is wrong, where and how urgent it is.',
    'Anything else is one short sentence.',
    'Say which attachments there are: they are not part of the report.',
  ),
  messageTemplate: [
    'Apprise: {{ type }}',
    '{{ title }}',
    '{{ message }}',
    {
      each: 'attachments',
      line: 'Attachment, of which only the name is shown: {{ item.filename }} ({{ item.mimetype }})',
    },
  ],
};
