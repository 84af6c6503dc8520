import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * GitLab, project and group webhooks, all events. GitLab 17.4 and newer sends `Idempotency-Key` itself, which wins
 * over any `dedupeKey`; its other ids are not unique per event: `X-Gitlab-Event-UUID`, by which retries of older
 * versions are known, is shared by all events that one webhook led to. A project is a session. Of a pipeline GitLab tells
 * each step on its way, and of each of its jobs as well: taken are its end, and jobs that failed.
 */
export const gitlab: Preset = {
  id: 'gitlab',
  match: { path: 'gitlab' },
  setup: [
    'Project or group: Settings → Webhooks → Add new webhook, URL {url}.',
    'Custom headers → Add custom header: name Authorization, value Bearer {token}.',
    'Choose the events under Trigger: every event is a run.',
  ],
  name: 'GitLab',
  task: report(
    'A GitLab project reports what happened in it.',
    'Tell the person you serve in at most three short sentences who did what, in which project and branch, and whether somebody waits for them: a review, an answer.',
    'Of a pipeline or job that failed, say which one, on which branch and after whose change; one that succeeded is one short sentence.',
  ),
  when: {
    or: [
      { 'payload.object_kind': { not: ['pipeline', 'build'] } },
      {
        'payload.object_kind': 'pipeline',
        'payload.object_attributes.status': ['success', 'failed'],
      },
      { 'payload.object_kind': 'build', 'payload.build_status': 'failed' },
    ],
  },
  messageTemplate: [
    'GitLab: {{ event_type || object_kind }} in {{ project.path_with_namespace }} by {{ user_name || user.name || commit.author.name }}',
    '{{ object_attributes.action || action }}',
    '{{ object_attributes.status || build_status }}',
    '{{ ref || object_attributes.ref }}',
    '{{ build_name }}',
    {
      each: 'builds',
      line: 'Job {{ item.name }} ({{ item.stage }}): {{ item.status }}',
      when: { 'payload.object_attributes.status': 'failed' },
    },
    '{{ tag }}',
    '{{ name }}',
    'Number: {{ merge_request.iid || issue.iid || object_attributes.iid }}',
    '{{ object_attributes.title || merge_request.title || issue.title }}',
    'Branches: {{ object_attributes.source_branch || merge_request.source_branch }} into {{ object_attributes.target_branch || merge_request.target_branch }}',
    { each: 'labels', line: 'Label: {{ item.title }}', most: 10 },
    '{{ object_attributes.note || object_attributes.description || description | max 4000 }}',
    '{{ object_attributes.url || url }}',
    '{{ commit.title }}',
    { each: 'commits', line: '{{ item.title || item.message }}' },
    '{{ project.web_url }}',
  ],
  sessionKey: 'hook:gitlab:{{ project.id }}',
};
