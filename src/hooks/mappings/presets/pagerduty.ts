import { report } from './preset.ts';
import type { Preset } from './preset.ts';

const DATA = 'event.data';

/**
 * PagerDuty, a V3 webhook subscription: what somebody on call acts upon. Who acknowledged, delegated or reassigned an
 * incident, changed priorities, conferences and services are not taken: of one incident they would make half a dozen runs.
 * The test event has no incident and shows its own words.
 */
export const pagerduty: Preset = {
  id: 'pagerduty',
  match: { path: 'pagerduty' },
  verify: { scheme: 'pagerduty' },
  setup: [
    'Integrations → Generic Webhooks (v3) → New Webhook: Webhook URL {url}, Scope Type and Scope as you like.',
    'Event Subscription: incident.triggered, incident.escalated, incident.unacknowledged, incident.reopened, incident.responder.added, incident.annotated, incident.status_update_published and incident.resolved.',
    'Add Webhook. Copy the signing secret, which is shown this once; Send Test Event then shows whether it works.',
  ],
  name: 'PagerDuty',
  task: report(
    'On-call alerting (PagerDuty) reports an incident.',
    'Tell the person you serve in at most four short sentences what is wrong, with which service and how urgent, what has just happened to the incident, who is on it, and what is asked of whom; give the link or the number of a conference if there is one.',
    'A resolved incident is one short sentence, and so is a test event (pagey.ping), which says that it is only a test.',
  ),
  when: {
    'payload.event.event_type': [
      'incident.triggered',
      'incident.escalated',
      'incident.unacknowledged',
      'incident.reopened',
      'incident.responder.added',
      'incident.annotated',
      'incident.status_update_published',
      'incident.resolved',
      'pagey.ping',
    ],
  },
  messageTemplate: [
    'PagerDuty: {{ event.event_type }}',
    `Incident: {{ ${DATA}.title || ${DATA}.incident.summary | max 500 }}`,
    `Number: {{ ${DATA}.number }}`,
    `Status: {{ ${DATA}.status }}`,
    `Urgency: {{ ${DATA}.urgency }}`,
    `Priority: {{ ${DATA}.priority.summary }}`,
    `Service: {{ ${DATA}.service.summary }}`,
    'By: {{ event.agent.summary }}',
    `Asked to help: {{ ${DATA}.user.summary }}`,
    `{{ ${DATA}.content || ${DATA}.message | max 4000 }}`,
    { each: `${DATA}.assignees`, line: 'Assigned to: {{ item.summary }}', most: 10 },
    `Escalation policy: {{ ${DATA}.escalation_policy.summary }}`,
    `Conference: {{ ${DATA}.conference_bridge.conference_url }}`,
    `Conference by phone: {{ ${DATA}.conference_bridge.conference_number }}`,
    'At: {{ event.occurred_at | date }}',
    `{{ ${DATA}.html_url || ${DATA}.incident.html_url }}`,
  ],
  sessionKey: `hook:pagerduty:{{ ${DATA}.incident.id || ${DATA}.id }}`,
  dedupeKey: '{{ event.id }}',
};
