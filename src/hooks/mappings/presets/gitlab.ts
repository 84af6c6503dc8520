import type { Conditions } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** Access tokens of projects and groups act as `project_7_bot_…`; the others are how people call their robots. */
const ROBOTS = { not: { contains: ['_bot', '-bot', '[bot]'] } } as const;
const BY_PEOPLE: Conditions = { 'payload.user.username': ROBOTS };
const TO_MAIN: Conditions = {
  'payload.object_kind': 'push',
  'payload.ref': ['refs/heads/main', 'refs/heads/master'],
  'payload.user_username': ROBOTS,
};
/** What stands for no commit: before a branch is there, and after it is gone. */
const NONE = '0'.repeat(40);

/**
 * GitLab, project and group webhooks. What somebody may have to answer, and what is out or broken, as of GitHub: no
 * labels, edits, drafts or pushes to branches, nothing that a bot wrote, and a merge is told as its merge request, not as
 * its push, too; a pipeline that failed names its jobs, which are not told again. GitLab 17.4 and newer sends
 * `Idempotency-Key` itself, which wins over any `dedupeKey`; its other ids are not unique per event:
 * `X-Gitlab-Event-UUID`, by which retries of older versions are known, is shared by all events that one webhook led to. A
 * project is a session.
 */
export const gitlab: Preset = {
  id: 'gitlab',
  match: { path: 'gitlab' },
  setup: [
    'Project or group: Settings → Webhooks → Add new webhook, URL {url}.',
    'Custom headers → Add custom header: name Authorization, value Bearer {token}.',
    'Trigger: Push events, Comments, Issues events, Merge request events, Pipeline events, Releases events.',
  ],
  name: 'GitLab',
  task: report(
    'A GitLab project reports what happened in it.',
    'Tell the person you serve in at most four short sentences who did what, in which project, what it is about in the words of whoever wrote it, and whether somebody waits for them: a review, an answer.',
    'Of a pipeline that failed, say which jobs, on which branch and after which change of whom.',
    'A push, a merge, a release or a branch that was deleted is one short sentence.',
  ),
  sessionKey: 'hook:gitlab:{{ project.id }}',
  cases: [
    {
      id: 'gitlab-merge-request',
      when: {
        'payload.object_kind': 'merge_request',
        or: [
          { 'payload.object_attributes.action': ['open', 'reopen', 'merge', 'close', 'approved'] },
          // A draft that is ready now.
          {
            'payload.object_attributes.action': 'update',
            'payload.changes.draft.previous': true,
            'payload.changes.draft.current': false,
          },
        ],
        'payload.object_attributes.draft': { not: true },
        'payload.object_attributes.work_in_progress': { not: true },
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'GitLab: merge request !{{ object_attributes.iid }} in {{ project.path_with_namespace }}: {{ object_attributes.action }} by {{ user.name }}',
        {
          line: 'It is no draft any more, and ready for review',
          when: { 'payload.object_attributes.action': 'update' },
        },
        {
          line: 'It was closed without being merged',
          when: { 'payload.object_attributes.action': 'close' },
        },
        'Title: {{ object_attributes.title | max 300 }}',
        'State: {{ object_attributes.state }}',
        'From {{ object_attributes.source_branch }} into {{ object_attributes.target_branch }}',
        { each: 'labels', line: 'Label: {{ item.title }}', most: 10 },
        { each: 'assignees', line: 'Assigned to {{ item.name }}', most: 10 },
        { each: 'reviewers', line: 'Review asked of {{ item.name }}', most: 10 },
        '{{ object_attributes.url }}',
        'Description: {{ object_attributes.description | max 1200 }}',
      ],
    },
    {
      id: 'gitlab-issue',
      when: {
        'payload.object_kind': ['issue', 'work_item'],
        'payload.object_attributes.action': ['open', 'reopen'],
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'GitLab: {{ event_type || object_kind }} #{{ object_attributes.iid }} in {{ project.path_with_namespace }}: {{ object_attributes.action }} by {{ user.name }}',
        'Title: {{ object_attributes.title | max 300 }}',
        { each: 'labels', line: 'Label: {{ item.title }}', most: 10 },
        { each: 'assignees', line: 'Assigned to {{ item.name }}', most: 10 },
        'Due {{ object_attributes.due_date }}',
        '{{ object_attributes.url }}',
        'Description: {{ object_attributes.description | max 1200 }}',
      ],
    },
    {
      id: 'gitlab-comment',
      when: {
        'payload.object_kind': 'note',
        'payload.object_attributes.action': { not: 'update' },
        'payload.object_attributes.system': { not: true },
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'GitLab: comment on {{ object_attributes.noteable_type }} {{ merge_request.iid || issue.iid || snippet.title || commit.id }} in {{ project.path_with_namespace }} by {{ user.name }}',
        'Title: {{ merge_request.title || issue.title || commit.title || commit.message | max 300 }}',
        'State: {{ merge_request.state || issue.state }}',
        'At {{ object_attributes.position.new_path }}, line {{ object_attributes.position.new_line }}',
        '{{ object_attributes.url }}',
        'Comment: {{ object_attributes.note | max 1200 }}',
      ],
    },
    {
      id: 'gitlab-branch-deleted',
      when: { ...TO_MAIN, 'payload.after': NONE },
      messageTemplate: [
        'GitLab: deleted branch {{ ref }} of {{ project.path_with_namespace }}, by {{ user_name }}',
        '{{ project.web_url }}',
      ],
    },
    {
      id: 'gitlab-push',
      when: {
        ...TO_MAIN,
        'payload.after': { not: NONE },
        'payload.commits[].message': { not: { any: { startsWith: "Merge branch '" } } },
      },
      messageTemplate: [
        'GitLab: push to {{ ref }} of {{ project.path_with_namespace }} by {{ user_name }}',
        {
          each: 'commits',
          line: '- {{ item.author.name || user_name }}: {{ item.title || item.message | max 160 }}',
          most: 8,
        },
        'Commits in all: {{ total_commits_count }}',
        '{{ project.web_url }}',
      ],
    },
    {
      id: 'gitlab-pipeline',
      when: { 'payload.object_kind': 'pipeline', 'payload.object_attributes.status': 'failed' },
      messageTemplate: [
        'GitLab: pipeline {{ object_attributes.iid || object_attributes.id }} in {{ project.path_with_namespace }}: {{ object_attributes.status }}',
        'Branch {{ object_attributes.ref }}, started by {{ user.name }}',
        {
          each: 'builds',
          line: 'Job {{ item.name }} ({{ item.stage }}): {{ item.status }}',
          when: { 'item.status': 'failed' },
        },
        'Merge request !{{ merge_request.iid }}: {{ merge_request.title | max 300 }}',
        'Commit {{ commit.id }} by {{ commit.author.name || user.name }}: {{ commit.title || commit.message | max 300 }}',
        '{{ object_attributes.url }}',
      ],
    },
    {
      id: 'gitlab-release',
      when: { 'payload.object_kind': 'release', 'payload.action': 'create' },
      messageTemplate: [
        'GitLab: release {{ tag }} of {{ project.path_with_namespace }}, its commit by {{ commit.author.name }}',
        'Name: {{ name | max 300 }}',
        '{{ url }}',
        'Notes: {{ description | max 1200 }}',
      ],
    },
  ],
};
