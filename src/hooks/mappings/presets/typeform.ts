import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Typeform: one finished response is one run, whatever the number of answers. Answers name their question by its id only,
 * and skipped questions have none. Partial responses are not taken.
 */
export const typeform: Preset = {
  id: 'typeform',
  match: { path: 'typeform' },
  verify: { scheme: 'typeform' },
  setup: [
    'Typeform → your form → Connect → Webhooks → Add a webhook: Endpoint {url}.',
    'Edit → Secret: {secret}.',
    'Leave partial submissions off, and switch the webhook on; View deliveries → Send test request shows whether it works.',
  ],
  name: 'Typeform',
  task: report(
    'Somebody filled in a form (Typeform) of the person you serve.',
    'Tell them in at most four short sentences which form, who answered and what they want or say; keep names, addresses, dates and numbers exact, and name how to reach that person if they said so.',
  ),
  messageTemplate: [
    'Typeform: {{ form_response.definition.title || form_response.form_id }}',
    'Submitted: {{ form_response.submitted_at | date }}',
    {
      each: 'form_response.answers',
      line: '{{ item.field.id | in: form_response.definition.fields[id].title | max 300 }} {{ item.text || item.email || item.number || item.boolean || item.choice.label || item.choice.other || item.choices.labels || item.choices.other || item.date || item.phone_number || item.url || item.file_url || item.payment || item.type | max 2000 }}',
      most: 50,
    },
    'Hidden fields: {{ form_response.hidden | max 500 }}',
    'Score: {{ form_response.calculated.score }}',
    'Ending: {{ form_response.ending.title || form_response.outcome.title }}',
    '{{ form_response.response_url }}',
  ],
  sessionKey: 'hook:typeform:{{ form_response.form_id }}',
  dedupeKey: '{{ event_id }}',
  when: { 'payload.event_type': 'form_response' },
};
