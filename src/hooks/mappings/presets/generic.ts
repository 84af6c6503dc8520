import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** A placeholder with choices. */
function firstOf(...paths: readonly string[]): string {
  return `{{ ${paths.join(' || ')} }}`;
}

/** What it is about by the names that most senders use, then all of it without what the lines have said. */
const LINES = [
  firstOf(
    'title',
    'detail.subject',
    'subject',
    'Subject',
    'summary',
    'headline',
    'data.title',
    'data.subject',
    'data.issue.title',
    'data.event.title',
    'data.description_title',
    'event.data.title',
    'event.data.incident.title',
    'event.title',
    'issue.title',
    'issue.fields.summary',
    'pull_request.title',
    'pullrequest.title',
    'object_attributes.title',
    'discussion.title',
    'alert.title',
    'alert.name',
    'incident.title',
    'incident.name',
    'ticket.subject',
    'commonAnnotations.summary',
    'commonLabels.alertname',
    'form_response.definition.title',
    'series.title',
    'movie.title',
    'payload.payload.title',
    'head_commit.message',
    'commits[0].title',
    'commits[0].message',
    'data.name',
    'payload.payload.name',
    'detail-type',
    'name',
  ),
  'Type: {{ headers.ce-type }}',
  'From: {{ headers.ce-source }}',
  'Subject: {{ headers.ce-subject }}',
  firstOf(
    'event.type',
    'event.event_type',
    'event_type',
    'eventType',
    'event_name',
    'eventName',
    'webhookEvent',
    'topic',
    'type',
    'event',
    'action',
    'object_kind',
    'events[0].action',
    'RecordType',
    'message.type',
  ),
  '{{ status || state || data.status || payload.payload.status || detail.state || detail.status || severity || level }}',
  firstOf(
    'message.text',
    'message.caption',
    'text',
    'event.text',
    'comment.body',
    'description',
    'message',
    'msg',
    'body',
    'Body',
    'data.description',
    'data.body',
  ),
  '{{ url || html_url || web_url || link || data.url || payload.payload.url }}',
  'About: {{ repository.full_name || project.path_with_namespace || project.name || monitor.name || events[0].target.repository || resources[0] }}',
  'Tag: {{ events[0].target.tag }}',
  // What a registry tells of each layer of an image besides.
  {
    line: 'It is a layer of an image: {{ events[0].target.digest }}',
    when: { 'payload.events[].target.mediaType': { all: 'application/octet-stream' } },
  },
  'Payload: {{ payload.* }}',
];

/**
 * Anybody's JSON: what it is about in a few lines, by the names that most senders use, then the whole payload without
 * what the lines have said. Its `id` may be that of a ticket or an order, of which there are many events: a retry is known
 * by it together with the body, but for CloudEvents, which have a name of their own.
 */
export const generic: Preset = {
  id: 'generic',
  match: { path: 'generic' },
  setup: [
    'POST JSON to {url} with the headers Authorization: Bearer {token} and Content-Type: application/json.',
  ],
  task: report(
    'Another system, of which nothing more is known, sends the event below.',
    'Tell the person you serve, in at most four short sentences, what happened, to what, how urgent it is and what they should do, if anything; leave out ids and technical fields that say nothing to them.',
    'If you cannot tell what it is about, say so and name the fields that look most telling.',
  ),
  messageTemplate: LINES,
  dedupeKey: '{{ id }}',
};
