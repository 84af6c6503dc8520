import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Datadog, the Webhooks integration: its body is written by the operator, and this is the one to enter. Which monitors
 * send, and whether they remind, is said in Datadog, by naming the webhook in their messages. `$ID` is that of the event;
 * a variable that Datadog does not know stays as it is written, so the time is part of the key.
 */
export const datadog: Preset = {
  id: 'datadog',
  match: { path: 'datadog' },
  setup: [
    'Integrations → Webhooks → Configuration → New: Name agent, URL {url}, Encode as form off.',
    'Custom Headers: {"Authorization": "Bearer {token}"}',
    'Payload: {"id":"$ID","date":"$DATE","transition":"$ALERT_TRANSITION","title":"$EVENT_TITLE","body":"$TEXT_ONLY_MSG","priority":"$ALERT_PRIORITY","scope":"$ALERT_SCOPE","metric":"$ALERT_METRIC","status":"$ALERT_STATUS","cycle":"$ALERT_CYCLE_KEY","link":"$LINK"}',
    'Write @webhook-agent into the message of each monitor that is to be told of.',
  ],
  name: 'Datadog',
  task: report(
    'Monitoring (Datadog) reports a monitor.',
    'Tell the person you serve in at most four short sentences what is wrong and where, with the values that Datadog gives, how urgent it is (P1 is the most urgent), and what to look at first if the message says so.',
    'If it has recovered, or is only a test, one short sentence is enough.',
    'A word that begins with $ is a value that Datadog does not have: leave it out, and so are words that begin with @: they say whom Datadog tells.',
  ),
  messageTemplate: [
    'Datadog: {{ title || transition || event_type }}',
    // Datadog's own titles begin with these.
    ...['State: {{ transition }}', 'Priority: {{ priority }}', 'Where: {{ scope | max 500 }}'].map(
      (line) => ({ line, when: { 'payload.title': { not: { startsWith: '[' } } } }),
    ),
    { line: 'Metric: {{ metric }}', when: { 'payload.status': { exists: false } } },
    '{{ status | max 1000 }}',
    '{{ body | max 4000 }}',
    '{{ link }}',
  ],
  sessionKey: 'hook:datadog:{{ cycle }}',
  dedupeKey: '{{ id }} {{ transition }} {{ date }}',
};
