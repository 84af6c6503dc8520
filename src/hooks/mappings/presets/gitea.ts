import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Gitea and Forgejo, webhook type Gitea, all events. Every delivery has an id of its own; a repository is a session.
 * The commit message comes last: it ends with a line break.
 */
export const gitea: Preset = {
  id: 'gitea',
  match: { path: 'gitea' },
  setup: [
    'Repository, organization or site: Settings → Webhooks → Add Webhook → Gitea.',
    'Target URL {url}, HTTP Method POST, POST Content Type application/json.',
    'Authorization Header: Bearer {token}.',
    'Choose the events under Trigger On: every event is a run.',
  ],
  name: 'Gitea',
  task: report(
    'A Git server (Gitea or Forgejo) reports what happened in a repository.',
    'Tell the person you serve in at most three short sentences who did what, in which repository and branch, and whether somebody waits for them: a review, an answer, a broken build.',
    'A push without any of that is one short sentence: who changed what.',
  ),
  messageTemplate: [
    'Gitea: {{ headers.x-gitea-event }} in {{ repository.full_name }} by {{ sender.login }}',
    '{{ action }}',
    '{{ ref }}',
    'Number: {{ issue.number || pull_request.number }}',
    '{{ issue.title || pull_request.title }}',
    'Branches: {{ pull_request.head.label || pull_request.head.ref }} into {{ pull_request.base.label || pull_request.base.ref }}',
    '{{ release.tag_name }}',
    '{{ release.name }}',
    '{{ comment.body || review.content || pull_request.body || issue.body || release.body | max 4000 }}',
    '{{ compare_url }}',
    '{{ issue.html_url }}',
    '{{ pull_request.html_url }}',
    '{{ release.html_url }}',
    '{{ head_commit.message }}',
  ],
  sessionKey: 'hook:gitea:{{ repository.full_name }}',
  dedupeKey: '{{ headers.x-gitea-delivery }}',
};
