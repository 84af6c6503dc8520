import type { Preset } from './preset.ts';

/**
 * GitLab, project and group webhooks, all events. GitLab 17.4 and newer sends `Idempotency-Key` itself, which wins
 * over any `dedupeKey`; its other ids are not unique per event. A project is a session.
 */
export const gitlab: Preset = {
  id: 'gitlab',
  match: { path: 'gitlab' },
  name: 'GitLab',
  messageTemplate: [
    'GitLab: {{ object_kind }} in {{ project.path_with_namespace }} by {{ user_name }}{{ user.name }}',
    '{{ object_attributes.action }}',
    '{{ object_attributes.status }}{{ build_status }}',
    '{{ ref }}{{ object_attributes.ref }}',
    '{{ build_name }}',
    '{{ object_attributes.title }}',
    '{{ merge_request.title }}',
    '{{ issue.title }}',
    '{{ object_attributes.note }}',
    '{{ commit.title }}',
    '{{ commits[0].title }}',
    '{{ commits[1].title }}',
    '{{ commits[2].title }}',
    '{{ object_attributes.url }}',
    '{{ project.web_url }}',
  ],
  sessionKey: 'hook:gitlab:{{ project.id }}',
};
