import type { Conditions } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** Gitea says of no account that it is a robot's: these are how they are called. */
const BY_PEOPLE: Conditions = {
  'payload.sender.login': {
    not: { endsWith: ['-bot', '_bot', '[bot]', '-actions', 'renovate', 'dependabot'] },
  },
};

/** Conditions of one kind of event. */
function on(events: readonly string[], actions: readonly string[], also: Conditions = {}) {
  return {
    'headers.x-gitea-event': events,
    'payload.action': actions,
    ...also,
    ...BY_PEOPLE,
  } satisfies Conditions;
}

const BRANCHES =
  'From {{ pull_request.head.label || pull_request.head.ref }} into {{ pull_request.base.ref || pull_request.base.label }}, author {{ pull_request.user.login }}';

/**
 * Gitea and Forgejo, webhook type Gitea. What somebody may have to answer, and what is out or broken, as of GitHub: no
 * labels, edits or pushes to branches, nothing that a bot wrote, and a merge is told as its pull request, not as its
 * push, too. Every delivery has an id of its own; a repository is a session.
 */
export const gitea: Preset = {
  id: 'gitea',
  match: { path: 'gitea' },
  setup: [
    'Repository, organization or site: Settings → Webhooks → Add Webhook → Gitea.',
    'Target URL {url}, HTTP Method POST, POST Content Type application/json.',
    'Authorization Header: Bearer {token}.',
    'Trigger On: Custom Events, then Push, Issues, Issue Comment, Pull Request, Pull Request Comment, Pull Request Reviewed, Release, and Workflow Run where there is one.',
  ],
  name: 'Gitea',
  task: report(
    'A Git server (Gitea or Forgejo) reports what happened in a repository.',
    'Tell the person you serve in at most four short sentences who did what, in which repository, what it is about in the words of whoever wrote it, and whether somebody waits for them: a review, an answer.',
    'Of a pull request that is closed, say whether it was merged; of a workflow that failed, which one and on which branch.',
    'A push or a release is one short sentence: who changed what.',
  ),
  sessionKey: 'hook:gitea:{{ repository.full_name }}',
  dedupeKey: '{{ headers.x-gitea-delivery }}',
  cases: [
    {
      id: 'gitea-pull-request',
      when: on(['pull_request'], ['opened', 'reopened', 'closed'], {
        'payload.pull_request.draft': { not: true },
        'payload.pull_request.title': { not: { startsWith: ['WIP:', '[WIP]'] } },
      }),
      messageTemplate: [
        'Gitea: pull request #{{ pull_request.number }} in {{ repository.full_name }}: {{ action }} by {{ sender.login }}',
        {
          line: 'It was merged into {{ pull_request.base.ref || pull_request.base.label }}',
          when: { 'payload.pull_request.merged': true },
        },
        {
          line: 'It was closed without being merged',
          when: { 'payload.action': 'closed', 'payload.pull_request.merged': { not: true } },
        },
        'Title: {{ pull_request.title | max 300 }}',
        BRANCHES,
        { each: 'pull_request.labels', line: 'Label: {{ item.name }}', most: 10 },
        {
          each: 'pull_request.requested_reviewers',
          line: 'Review asked of {{ item.login }}',
          most: 10,
        },
        '{{ pull_request.html_url }}',
        'Description: {{ pull_request.body | max 1200 }}',
      ],
    },
    {
      id: 'gitea-review',
      when: {
        or: [
          { 'headers.x-gitea-event': ['pull_request_approved', 'pull_request_rejected'] },
          // A comment without words of its own stands for those on lines.
          {
            'headers.x-gitea-event': 'pull_request_comment',
            'payload.review.content': { exists: true, not: '' },
          },
        ],
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'Gitea: review of pull request #{{ pull_request.number }} in {{ repository.full_name }} by {{ sender.login }}: {{ headers.x-gitea-event }}',
        'Title: {{ pull_request.title | max 300 }}',
        BRANCHES,
        '{{ pull_request.html_url }}',
        'Review: {{ review.content | max 1200 }}',
      ],
    },
    {
      id: 'gitea-issue',
      when: on(['issues'], ['opened', 'reopened']),
      messageTemplate: [
        'Gitea: issue #{{ issue.number }} in {{ repository.full_name }}: {{ action }} by {{ sender.login }}',
        'Title: {{ issue.title | max 300 }}',
        { each: 'issue.labels', line: 'Label: {{ item.name }}', most: 10 },
        { each: 'issue.assignees', line: 'Assigned to {{ item.login }}', most: 10 },
        'Milestone: {{ issue.milestone.title }}',
        '{{ issue.html_url }}',
        'Description: {{ issue.body | max 1200 }}',
      ],
    },
    {
      id: 'gitea-comment',
      when: on(['issue_comment'], ['created']),
      messageTemplate: [
        'Gitea: comment on #{{ issue.number || pull_request.number }} in {{ repository.full_name }} by {{ sender.login }}',
        'Title: {{ issue.title || pull_request.title | max 300 }}',
        'Author {{ issue.user.login || pull_request.user.login }}, state {{ issue.state || pull_request.state }}',
        '{{ comment.html_url || issue.html_url || pull_request.html_url }}',
        'Comment: {{ comment.body | max 1200 }}',
      ],
    },
    {
      id: 'gitea-push',
      when: {
        'headers.x-gitea-event': 'push',
        'payload.ref': ['refs/heads/main', 'refs/heads/master'],
        'payload.head_commit.message': { not: { startsWith: 'Merge pull request ' } },
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'Gitea: push to {{ ref }} of {{ repository.full_name }} by {{ sender.login }}',
        '{{ compare_url }}',
        {
          each: 'commits',
          line: '- {{ item.author.name }}: {{ item.message | max 160 }}',
          most: 8,
        },
      ],
    },
    {
      id: 'gitea-workflow-run',
      when: {
        'headers.x-gitea-event': 'workflow_run',
        'payload.action': 'completed',
        'payload.workflow_run.conclusion': 'failure',
      },
      messageTemplate: [
        'Gitea: workflow {{ workflow.name || workflow_run.path }} #{{ workflow_run.run_number }} in {{ repository.full_name }}: {{ workflow_run.conclusion }}',
        'Branch {{ workflow_run.head_branch }}, after {{ workflow_run.event }} by {{ workflow_run.actor.login || sender.login }}',
        'Of: {{ workflow_run.display_title | max 300 }}',
        '{{ workflow_run.html_url }}',
      ],
    },
    {
      id: 'gitea-release',
      // Many are published by a workflow, so by a bot.
      when: { 'headers.x-gitea-event': 'release', 'payload.action': 'published' },
      messageTemplate: [
        'Gitea: release {{ release.tag_name }} of {{ repository.full_name }}: {{ action }} by {{ sender.login }}',
        'Name: {{ release.name | max 300 }}',
        { line: 'It is a prerelease', when: { 'payload.release.prerelease': true } },
        '{{ release.html_url }}',
        'Notes: {{ release.body | max 1200 }}',
      ],
    },
  ],
};
