import { report } from './preset.ts';
import type { Preset } from './preset.ts';

const ISSUE = 'data.issue';
const EVENT = 'data.event';
const METRIC = 'data.metric_alert';
/** Tags that another one says more fully, that are said above, or how the SDK came by the error. */
const SAID_OTHERWISE = [
  'browser.name',
  'os.name',
  'runtime.name',
  'client_os.name',
  'device.family',
  'environment',
  'release',
  'handled',
  'mechanism',
];

/**
 * Sentry, an internal integration: what alert rules send (of an issue, of a number that crossed its threshold), and
 * issues that are new or have come back. Resolved and archived issues, who was assigned, comments and every single error
 * are not taken. Which case takes a request is read from the body, which is signed, and not from `Sentry-Hook-Resource`,
 * which is not. An alert of an issue says nothing of its project but an address with its name in it. The frames of a
 * stack trace begin with the outermost one, so the first of them would tell nothing: the culprit does.
 */
export const sentry: Preset = {
  id: 'sentry',
  match: { path: 'sentry' },
  verify: { scheme: 'sentry' },
  setup: [
    'Settings → Developer Settings → Create New Integration → Internal Integration: Webhook URL {url}, Alert Rule Action on.',
    'Alerts → your alert → add the action Send a notification via your integration; filters such as the environment belong there, too.',
    'Only where no alert tells of the same issues, give the integration the permission Issue & Event: Read and tick issue under Webhooks.',
    'Copy the Client Secret (Credentials, on the page of the saved integration): it is the signing secret.',
  ],
  name: 'Sentry',
  task: report(
    'Error tracking (Sentry) reports an error of a program, or a number that has crossed its threshold.',
    'Tell the person you serve in at most four short sentences what breaks, in which project, environment and release, where in the code as far as it is said, how many are affected, and how bad it is.',
    'If it is resolved, one short sentence is enough: what is well again.',
  ),
  dedupeKey: '{{ headers.request-id }}',
  cases: [
    {
      id: 'sentry-alert',
      when: { 'payload.data.event.event_id': { exists: true }, 'payload.action': 'triggered' },
      messageTemplate: [
        'Sentry: alert {{ data.triggered_rule }}',
        `{{ ${EVENT}.title | max 500 }}`,
        `In: {{ ${EVENT}.culprit }}`,
        `Location: {{ ${EVENT}.location }}`,
        `Environment: {{ ${EVENT}.environment }}`,
        `Release: {{ ${EVENT}.release }}`,
        `At: {{ ${EVENT}.datetime | date }}`,
        `Message: {{ ${EVENT}.logentry.formatted || ${EVENT}.message | max 1000 }}`,
        {
          each: `${EVENT}.tags`,
          line: '- {{ item[0] }}: {{ item[1] | max 200 }}',
          when: { 'item[0]': { not: SAID_OTHERWISE } },
          most: 20,
        },
        `Address in the API, with the name of the project: {{ ${EVENT}.url }}`,
        `{{ ${EVENT}.web_url }}`,
      ],
      sessionKey: `hook:sentry:{{ ${EVENT}.issue_id }}`,
      // Of one event that two rules have in common, the person hears once.
      dedupeKey: `{{ ${EVENT}.event_id }}`,
    },
    {
      id: 'sentry-metric',
      when: {
        'payload.data.metric_alert.id': { exists: true },
        'payload.action': ['critical', 'warning', 'resolved'],
      },
      messageTemplate: [
        'Sentry: metric alert, {{ action }}',
        '{{ data.description_title }}',
        '{{ data.description_text | max 1000 }}',
        `Rule: {{ ${METRIC}.alert_rule.name }}`,
        `Measured: {{ ${METRIC}.alert_rule.aggregate }}, in minutes: {{ ${METRIC}.alert_rule.time_window }}`,
        `Of: {{ ${METRIC}.alert_rule.query }}`,
        `Environment: {{ ${METRIC}.alert_rule.environment }}`,
        { each: `${METRIC}.projects`, line: 'Project: {{ item }}', most: 10 },
        `Began: {{ ${METRIC}.date_started | date }}`,
        `Ended: {{ ${METRIC}.date_closed | date }}`,
        '{{ data.web_url }}',
      ],
      sessionKey: `hook:sentry:alert:{{ ${METRIC}.alert_rule.id }}`,
    },
    {
      id: 'sentry-issue',
      when: {
        'payload.data.issue.id': { exists: true },
        'payload.action': ['created', 'unresolved'],
      },
      messageTemplate: [
        'Sentry: issue {{ action }}',
        `{{ ${ISSUE}.title | max 500 }}`,
        `Issue: {{ ${ISSUE}.shortId }}`,
        `Project: {{ ${ISSUE}.project.name || ${ISSUE}.project.slug }}`,
        `Level: {{ ${ISSUE}.level }}`,
        `Priority: {{ ${ISSUE}.priority }}`,
        `State: {{ ${ISSUE}.substatus || ${ISSUE}.status }}`,
        `In: {{ ${ISSUE}.culprit }}`,
        `File: {{ ${ISSUE}.metadata.filename }}`,
        `Events: {{ ${ISSUE}.count }}`,
        `Users affected: {{ ${ISSUE}.userCount }}`,
        `First seen: {{ ${ISSUE}.firstSeen | date }}`,
        `Last seen: {{ ${ISSUE}.lastSeen | date }}`,
        `Assigned to: {{ ${ISSUE}.assignedTo.name }}`,
        `{{ ${ISSUE}.web_url || ${ISSUE}.permalink }}`,
      ],
      sessionKey: `hook:sentry:{{ ${ISSUE}.id }}`,
    },
  ],
};
