import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/**
 * Jira Cloud, webhooks of an administrator. Every edit of every field is an event; worth a run are a new issue, a
 * comment, and of the edits those that somebody has to know: who has it now, how urgent it is, and that it is done. A
 * comment is an edit of its issue besides, which names none of these fields. Nothing that an app did: an agent that
 * comments by one would answer itself for ever. A retry has the same time in its body, which is signed; its header is not.
 */
export const jira: Preset = {
  id: 'jira',
  match: { path: 'jira' },
  verify: { scheme: 'jira' },
  setup: [
    'Settings → System → WebHooks → Create a WebHook (a Jira administrator).',
    'Name: any; Status: Enabled; URL: {url}',
    'Secret: {secret}',
    'Issue related events: a JQL query such as project = SHOP keeps away what nobody wants to hear.',
    'Issue: created, updated; Comment: created; nothing else.',
    'Leave Exclude body off, then Create.',
  ],
  name: 'Jira',
  task: report(
    'The issue tracker (Jira) reports a change.',
    'Tell the person you serve in at most four short sentences who did what with which issue (its key and summary), what it is about in the words of whoever wrote it, how urgent it is and whose it is now, and whether somebody waits for an answer.',
    'An issue that is done is one short sentence.',
  ),
  sessionKey: 'hook:jira:{{ issue.key }}',
  dedupeKey:
    '{{ webhookEvent }} {{ issue.key }} {{ comment.id || changelog.id || issue.id }} {{ timestamp }}',
  cases: [
    {
      id: 'jira-issue',
      when: {
        'payload.webhookEvent': 'jira:issue_created',
        'payload.user.accountType': { not: 'app' },
      },
      messageTemplate: [
        'Jira: {{ issue.key }} created by {{ user.displayName }} in {{ issue.fields.project.name }}',
        'Summary: {{ issue.fields.summary | max 300 }}',
        '{{ issue.fields.issuetype.name }}, priority {{ issue.fields.priority.name }}, status {{ issue.fields.status.name }}',
        'Assigned to {{ issue.fields.assignee.displayName }}',
        'Due {{ issue.fields.duedate }}',
        { each: 'issue.fields.labels', line: 'Label: {{ item }}', most: 10 },
        '{{ issue.self | origin }}/browse/{{ issue.key }}',
        'Description: {{ issue.fields.description | max 1200 }}',
      ],
    },
    {
      id: 'jira-change',
      when: {
        'payload.webhookEvent': 'jira:issue_updated',
        or: [
          { 'payload.changelog.items[].field': { any: ['assignee', 'priority'] } },
          {
            'payload.changelog.items[].field': { any: 'status' },
            'payload.issue.fields.status.statusCategory.key': 'done',
          },
        ],
        'payload.user.accountType': { not: 'app' },
      },
      messageTemplate: [
        'Jira: {{ issue.key }} changed by {{ user.displayName }} in {{ issue.fields.project.name }}',
        'Summary: {{ issue.fields.summary | max 300 }}',
        {
          each: 'changelog.items',
          line: 'Changed {{ item.field }}: "{{ item.fromString | max 200 }}" → "{{ item.toString | max 200 }}"',
          most: 10,
        },
        '{{ issue.fields.issuetype.name }}, priority {{ issue.fields.priority.name }}, status {{ issue.fields.status.name }}',
        'Assigned to {{ issue.fields.assignee.displayName }}',
        'Due {{ issue.fields.duedate }}',
        '{{ issue.self | origin }}/browse/{{ issue.key }}',
      ],
    },
    {
      id: 'jira-comment',
      when: {
        'payload.webhookEvent': 'comment_created',
        'payload.comment.author.accountType': { not: 'app' },
      },
      messageTemplate: [
        'Jira: comment on {{ issue.key }} by {{ comment.author.displayName }} in {{ issue.fields.project.name }}',
        'Summary: {{ issue.fields.summary | max 300 }}',
        '{{ issue.fields.issuetype.name }}, priority {{ issue.fields.priority.name }}, status {{ issue.fields.status.name }}',
        'Assigned to {{ issue.fields.assignee.displayName }}',
        'Public: {{ comment.jsdPublic }}',
        '{{ comment.self | origin }}/browse/{{ issue.key }}',
        'Comment: {{ comment.body | max 1200 }}',
      ],
    },
  ],
};
