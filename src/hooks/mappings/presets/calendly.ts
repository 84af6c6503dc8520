import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Calendly: bookings and cancellations. Its JSON has a field `payload`, which is a root of templates, hence
 * `payload.payload`. Whoever moves a meeting makes a cancellation and a booking, of which only the booking is taken. The
 * links with which anybody can cancel or move a meeting are left out.
 */
export const calendly: Preset = {
  id: 'calendly',
  match: { path: 'calendly' },
  verify: { scheme: 'calendly' },
  setup: [
    'Calendly has no page for webhooks, only an API: Integrations & apps → API & webhooks → Personal access tokens → Generate new token (Standard plan and above).',
    'GET https://api.calendly.com/users/me with Authorization: Bearer <access token> names your user and your organization.',
    'POST https://api.calendly.com/webhook_subscriptions with {"url": "{url}", "events": ["invitee.created", "invitee.canceled"], "organization": "…", "user": "…", "scope": "user", "signing_key": "{secret}"}.',
  ],
  name: 'Calendly',
  task: report(
    'Somebody booked, moved or cancelled a meeting with the person you serve (Calendly).',
    'Tell them in at most three short sentences who, which kind of meeting and when, with the day of the week and the time, and say which zone a time is in.',
    'Of a cancellation give the reason; of a booking what the guest wrote in advance.',
  ),
  messageTemplate: [
    'Calendly: {{ event }}',
    '{{ payload.payload.scheduled_event.name }}',
    'Guest: {{ payload.payload.name }} <{{ payload.payload.email }}>',
    'Begins: {{ payload.payload.scheduled_event.start_time | date }}',
    'Ends: {{ payload.payload.scheduled_event.end_time | date }}',
    'Begins for the guest: {{ payload.payload.scheduled_event.start_time | date: payload.payload.timezone }}',
    'Where: {{ payload.payload.scheduled_event.location.join_url || payload.payload.scheduled_event.location.location || payload.payload.scheduled_event.location.type }}',
    { each: 'payload.payload.scheduled_event.event_guests', line: 'Also: {{ item.email }}' },
    {
      each: 'payload.payload.questions_and_answers',
      line: '{{ item.question | max 300 }} {{ item.answer | max 1000 }}',
      most: 20,
    },
    'Cancelled by: {{ payload.payload.cancellation.canceled_by }} ({{ payload.payload.cancellation.canceler_type }})',
    'Reason: {{ payload.payload.cancellation.reason | max 1000 }}',
    'In place of: {{ payload.payload.old_invitee }}',
  ],
  sessionKey: 'hook:calendly:{{ payload.payload.email }}',
  dedupeKey: '{{ event }} {{ payload.payload.uri }}',
  when: {
    or: [
      { 'payload.event': 'invitee.created' },
      { 'payload.event': 'invitee.canceled', 'payload.payload.rescheduled': { not: true } },
    ],
  },
};
