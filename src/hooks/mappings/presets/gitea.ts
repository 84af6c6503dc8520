import type { Preset } from './preset.ts';

/**
 * Gitea and Forgejo, webhook type Gitea, all events. Every delivery has an id of its own; a repository is a session.
 * The commit message comes last: it ends with a line break.
 */
export const gitea: Preset = {
  id: 'gitea',
  match: { path: 'gitea' },
  name: 'Gitea',
  messageTemplate: [
    'Gitea: {{ headers.x-gitea-event }} in {{ repository.full_name }} by {{ sender.login }}',
    '{{ action }}',
    '{{ ref }}',
    '{{ issue.title }}',
    '{{ pull_request.title }}',
    '{{ release.name }}',
    '{{ comment.body }}{{ review.content }}',
    '{{ compare_url }}',
    '{{ issue.html_url }}',
    '{{ pull_request.html_url }}',
    '{{ release.html_url }}',
    '{{ head_commit.message }}',
  ],
  sessionKey: 'hook:gitea:{{ repository.full_name }}',
  dedupeKey: '{{ headers.x-gitea-delivery }}',
};
