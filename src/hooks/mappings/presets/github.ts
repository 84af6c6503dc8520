import type { Conditions } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/*
 * What is worth a run of GitHub's 58 kinds of events: what somebody may have to answer, and what is out or broken. A
 * webhook cannot be told which actions to send, so most of what comes (labels, edits, pushes to branches, runs that
 * succeed, stars) costs nothing but its storage here.
 *
 * - Nothing that a bot wrote: an agent that comments by an app would answer itself for ever.
 * - One event of one cause: a merge is told as its pull request, not as its push, too (those have GitHub itself as
 *   committer, whose name is web-flow); a review is told once, not once for each of its inline comments.
 */

const BY_PEOPLE: Conditions = { 'payload.sender.type': { not: 'Bot' } };

/** Conditions of one kind of event. */
function on(event: string, actions: readonly string[], also: Conditions = {}): Conditions {
  return { 'headers.x-github-event': event, 'payload.action': actions, ...also };
}

/** GitHub, webhooks of a repository or an organization. A retry and a redelivery are known by `X-GitHub-Delivery`. */
export const github: Preset = {
  id: 'github',
  match: { path: 'github' },
  verify: { scheme: 'github' },
  setup: [
    'Repository or organization: Settings → Webhooks → Add webhook.',
    'Payload URL: {url}',
    'Content type: application/json',
    'Secret: {secret}',
    'SSL verification: Enable SSL verification.',
    'Which events: Let me select individual events, then Issues, Issue comments, Pull requests, Pull request reviews, Pull request review comments, Pushes, Releases, Workflow runs.',
    'Active, then Add webhook: GitHub sends a ping, which is answered 200 and skipped.',
  ],
  name: 'GitHub',
  task: report(
    'A repository on GitHub reports what happened in it.',
    'Tell the person you serve in at most four short sentences who did what, in which repository, what it is about in the words of whoever wrote it, and whether somebody waits for them: a review, an answer, a decision.',
    'Of a workflow that failed, say which one, on which branch and after whose change.',
    'A push, a merge or a release is one or two short sentences.',
  ),
  // Issues and pull requests count together, so that comments of both find their conversation.
  sessionKey: 'hook:github:{{ repository.full_name }}:{{ pull_request.number || issue.number }}',
  cases: [
    {
      id: 'github-pull-request',
      when: on('pull_request', ['opened', 'reopened', 'ready_for_review', 'closed'], {
        'payload.pull_request.draft': { not: true },
        ...BY_PEOPLE,
      }),
      messageTemplate: [
        'GitHub: pull request #{{ pull_request.number }} in {{ repository.full_name }}: {{ action }} by {{ sender.login }}',
        'Title: {{ pull_request.title | max 300 }}',
        'From {{ pull_request.head.label }} into {{ pull_request.base.ref }}, author {{ pull_request.user.login }} ({{ pull_request.author_association }})',
        'State: {{ pull_request.state }}, merged: {{ pull_request.merged }}',
        '{{ pull_request.commits }} commits, {{ pull_request.changed_files }} files, +{{ pull_request.additions }} -{{ pull_request.deletions }}',
        { each: 'pull_request.labels', line: 'Label: {{ item.name }}', most: 10 },
        {
          each: 'pull_request.requested_reviewers',
          line: 'Review asked of {{ item.login }}',
          most: 10,
        },
        {
          each: 'pull_request.requested_teams',
          line: 'Review asked of team {{ item.name }}',
          most: 10,
        },
        '{{ pull_request.html_url }}',
        'Description: {{ pull_request.body | max 1200 }}',
      ],
    },
    {
      id: 'github-review',
      // A review without words of its own is announced by its inline comments, or is an answer to one.
      when: on('pull_request_review', ['submitted'], {
        or: [
          { 'payload.review.state': ['approved', 'changes_requested'] },
          { 'payload.review.body': { exists: true } },
        ],
        ...BY_PEOPLE,
      }),
      messageTemplate: [
        'GitHub: review of pull request #{{ pull_request.number }} in {{ repository.full_name }}: {{ review.state }} by {{ review.user.login }}',
        'Title: {{ pull_request.title | max 300 }}',
        'From {{ pull_request.head.label }} into {{ pull_request.base.ref }}, author {{ pull_request.user.login }}',
        '{{ review.html_url }}',
        'Review: {{ review.body | max 1200 }}',
      ],
    },
    {
      id: 'github-review-comment',
      // Answers alone: the first comments belong to a review, and a review may have fifty.
      when: on('pull_request_review_comment', ['created'], {
        'payload.comment.in_reply_to_id': { exists: true },
        ...BY_PEOPLE,
      }),
      messageTemplate: [
        'GitHub: answer in a review of pull request #{{ pull_request.number }} in {{ repository.full_name }} by {{ comment.user.login }}',
        'Title: {{ pull_request.title | max 300 }}',
        'Author of the pull request: {{ pull_request.user.login }}',
        'At {{ comment.path }}, line {{ comment.line || comment.original_line }}',
        '{{ comment.html_url }}',
        'Comment: {{ comment.body | max 1200 }}',
      ],
    },
    {
      id: 'github-issue',
      when: on('issues', ['opened', 'reopened'], BY_PEOPLE),
      messageTemplate: [
        'GitHub: issue #{{ issue.number }} in {{ repository.full_name }}: {{ action }} by {{ sender.login }}',
        'Title: {{ issue.title | max 300 }}',
        'Author {{ issue.user.login }} ({{ issue.author_association }}), {{ issue.comments }} comments',
        { each: 'issue.labels', line: 'Label: {{ item.name }}', most: 10 },
        { each: 'issue.assignees', line: 'Assigned to {{ item.login }}', most: 10 },
        'Milestone: {{ issue.milestone.title }}',
        '{{ issue.html_url }}',
        'Description: {{ issue.body | max 1200 }}',
      ],
    },
    {
      id: 'github-comment',
      when: on('issue_comment', ['created'], BY_PEOPLE),
      messageTemplate: [
        'GitHub: comment on #{{ issue.number }} in {{ repository.full_name }} by {{ comment.user.login }} ({{ comment.author_association }})',
        'Title: {{ issue.title | max 300 }}',
        'Author {{ issue.user.login }}, state {{ issue.state }}',
        'It is a pull request: {{ issue.pull_request.html_url }}',
        { each: 'issue.assignees', line: 'Assigned to {{ item.login }}', most: 10 },
        '{{ comment.html_url }}',
        'Comment: {{ comment.body | max 1200 }}',
      ],
    },
    {
      id: 'github-push',
      when: {
        'headers.x-github-event': 'push',
        'payload.ref': ['refs/heads/main', 'refs/heads/master'],
        'payload.deleted': { not: true },
        'payload.head_commit.committer.username': { not: 'web-flow' },
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'GitHub: push to {{ ref }} of {{ repository.full_name }} by {{ sender.login }}',
        {
          line: 'It was forced, and replaced earlier commits',
          when: { 'payload.forced': true },
        },
        '{{ compare }}',
        {
          each: 'commits',
          line: '- {{ item.author.name }}: {{ item.message | max 160 }}',
          most: 8,
        },
      ],
      // Names of branches may be too long for a key.
      sessionKey: 'hook:github:{{ repository.full_name }}',
    },
    {
      id: 'github-workflow-run',
      when: on('workflow_run', ['completed'], {
        'payload.workflow_run.conclusion': ['failure', 'timed_out', 'startup_failure'],
      }),
      messageTemplate: [
        'GitHub: workflow {{ workflow_run.name || workflow.name }} #{{ workflow_run.run_number }} in {{ repository.full_name }}: {{ workflow_run.conclusion }}',
        'Branch {{ workflow_run.head_branch }}, attempt {{ workflow_run.run_attempt }}, after {{ workflow_run.event }} by {{ workflow_run.actor.login }}',
        'Commit {{ workflow_run.head_sha }} by {{ workflow_run.head_commit.author.name }}: {{ workflow_run.head_commit.message | max 300 }}',
        {
          each: 'workflow_run.pull_requests',
          line: 'Pull request #{{ item.number }} into {{ item.base.ref }}',
          most: 5,
        },
        'Default branch: {{ repository.default_branch }}',
        '{{ workflow_run.html_url }}',
      ],
      sessionKey: 'hook:github:{{ repository.full_name }}:workflow-{{ workflow_run.workflow_id }}',
    },
    {
      id: 'github-release',
      // Most are published by a workflow, so by a bot.
      when: on('release', ['published']),
      messageTemplate: [
        'GitHub: release {{ release.tag_name }} of {{ repository.full_name }}: {{ action }} by {{ release.author.login }}',
        'Name: {{ release.name | max 300 }}',
        { line: 'It is a prerelease', when: { 'payload.release.prerelease': true } },
        '{{ release.html_url }}',
        'Notes: {{ release.body | max 1200 }}',
      ],
      sessionKey: 'hook:github:{{ repository.full_name }}',
    },
  ],
};
