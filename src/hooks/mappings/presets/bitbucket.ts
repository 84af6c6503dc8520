import type { Conditions } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** Apps comment on every pull request, and an agent that comments by one would answer itself for ever. */
const BY_PEOPLE: Conditions = { 'payload.actor.type': { not: 'app_user' } };

/**
 * Bitbucket Cloud, webhooks of a repository or a workspace (Data Center sends other JSON). What waits for an answer, is
 * merged or broken; a merge is told as its pull request, not as its push, too (Bitbucket's own message begins with
 * `Merged in`). A retry is known by `X-Request-UUID`.
 */
export const bitbucket: Preset = {
  id: 'bitbucket',
  match: { path: 'bitbucket' },
  verify: { scheme: 'bitbucket' },
  setup: [
    'Repository settings → Workflow → Webhooks → Add webhook.',
    'Title: any; URL: {url}',
    'Secret: {secret}',
    'Status: Active; leave Skip certificate verification off.',
    'Triggers: Choose from a full list of triggers, then Repository: Push, Build status created, Build status updated; Pull request: Created, Approved, Changes Request created, Merged, Declined, Comment created; Issue: Created, Comment created.',
    'Save.',
  ],
  name: 'Bitbucket',
  task: report(
    'A repository on Bitbucket reports what happened in it.',
    'Tell the person you serve in at most four short sentences who did what, in which repository, what it is about in the words of whoever wrote it, and whether somebody waits for them: a review, an answer, a decision.',
    'Of a build that failed, say which one and what its description says.',
    'A push or a merge is one short sentence.',
  ),
  sessionKey: 'hook:bitbucket:{{ repository.full_name }}:{{ pullrequest.id }}',
  cases: [
    {
      id: 'bitbucket-pull-request',
      when: {
        'headers.x-event-key': [
          'pullrequest:created',
          'pullrequest:fulfilled',
          'pullrequest:rejected',
        ],
        'payload.pullrequest.draft': { not: true },
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'Bitbucket: pull request #{{ pullrequest.id }} in {{ repository.full_name }}: {{ headers.x-event-key }} by {{ actor.display_name }}',
        'Title: {{ pullrequest.title | max 300 }}',
        'From {{ pullrequest.source.branch.name }} into {{ pullrequest.destination.branch.name }}, author {{ pullrequest.author.display_name }}',
        'State: {{ pullrequest.state }}',
        'Reason: {{ pullrequest.reason | max 300 }}',
        {
          each: 'pullrequest.reviewers',
          line: 'Review asked of {{ item.display_name }}',
          most: 10,
        },
        '{{ pullrequest.links.html.href }}',
        'Description: {{ pullrequest.description | max 1200 }}',
      ],
    },
    {
      id: 'bitbucket-review',
      when: {
        'headers.x-event-key': ['pullrequest:approved', 'pullrequest:changes_request_created'],
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'Bitbucket: review of pull request #{{ pullrequest.id }} in {{ repository.full_name }}: {{ headers.x-event-key }} by {{ actor.display_name }}',
        'Title: {{ pullrequest.title | max 300 }}',
        'From {{ pullrequest.source.branch.name }} into {{ pullrequest.destination.branch.name }}, author {{ pullrequest.author.display_name }}',
        'State: {{ pullrequest.state }}',
        '{{ pullrequest.links.html.href }}',
      ],
    },
    {
      id: 'bitbucket-comment',
      when: { 'headers.x-event-key': 'pullrequest:comment_created', ...BY_PEOPLE },
      messageTemplate: [
        'Bitbucket: comment on pull request #{{ pullrequest.id }} in {{ repository.full_name }} by {{ actor.display_name }}',
        'Title: {{ pullrequest.title | max 300 }}',
        'Author of the pull request: {{ pullrequest.author.display_name }}, state {{ pullrequest.state }}',
        'At {{ comment.inline.path }}, line {{ comment.inline.to || comment.inline.from }}',
        '{{ comment.links.html.href }}',
        'Comment: {{ comment.content.raw | max 1200 }}',
      ],
    },
    {
      id: 'bitbucket-issue',
      when: { 'headers.x-event-key': ['issue:created', 'issue:comment_created'], ...BY_PEOPLE },
      messageTemplate: [
        'Bitbucket: issue #{{ issue.id }} in {{ repository.full_name }}: {{ headers.x-event-key }} by {{ actor.display_name }}',
        'Title: {{ issue.title | max 300 }}',
        '{{ issue.type }}, priority {{ issue.priority }}, state {{ issue.state }}',
        'Assigned to {{ issue.assignee.display_name }}',
        '{{ issue.links.html.href }}',
        'Comment: {{ comment.content.raw | max 1200 }}',
        'Description: {{ issue.content.raw | max 1200 }}',
      ],
      sessionKey: 'hook:bitbucket:{{ repository.full_name }}:issue-{{ issue.id }}',
    },
    {
      id: 'bitbucket-push',
      when: {
        'headers.x-event-key': 'repo:push',
        'payload.push.changes[].new.name': { any: ['main', 'master'] },
        'payload.push.changes[].new.target.message': { not: { any: { startsWith: 'Merged in ' } } },
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'Bitbucket: push in {{ repository.full_name }} by {{ actor.display_name }}',
        {
          each: 'push.changes',
          line: 'Branch {{ item.new.name }}',
          most: 5,
        },
        {
          each: 'push.changes',
          line: 'It was forced, and replaced earlier commits of {{ item.new.name }}',
          when: { 'item.forced': true },
          most: 5,
        },
        '{{ push.changes[0].links.html.href }}',
        // Messages of commits end with a line break.
        { each: 'push.changes[0].commits', line: '- {{ item.message | max 160 }}', most: 8 },
      ],
      sessionKey: 'hook:bitbucket:{{ repository.full_name }}',
    },
    {
      id: 'bitbucket-build',
      when: {
        'headers.x-event-key': ['repo:commit_status_created', 'repo:commit_status_updated'],
        'payload.commit_status.state': 'FAILED',
      },
      messageTemplate: [
        'Bitbucket: build {{ commit_status.name }} in {{ repository.full_name }}: {{ commit_status.state }}',
        '{{ commit_status.description | max 600 }}',
        'Branch {{ commit_status.refname }}',
        '{{ commit_status.url }}',
        'Commit {{ commit_status.commit.hash }} by {{ commit_status.commit.author.raw }}: {{ commit_status.commit.message | max 300 }}',
      ],
      sessionKey: 'hook:bitbucket:{{ repository.full_name }}:builds',
    },
  ],
};
