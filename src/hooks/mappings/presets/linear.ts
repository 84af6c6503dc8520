import type { Conditions } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** Integrations and OAuth apps: an agent that comments by one would answer itself for ever. */
const BY_PEOPLE: Conditions = { 'payload.actor.type': ['user'] };

/**
 * Linear, data change webhooks. Every edit of every field is an event; worth a run are a new issue, a comment, a status
 * report of a project, a deadline that is missed, and of the edits of issues those that end it or make it urgent. (That
 * it was given to somebody cannot be seen where nobody had it before: the earlier value is null then.) Retries come
 * until six hours later and are known by `Linear-Delivery`.
 */
export const linear: Preset = {
  id: 'linear',
  match: { path: 'linear' },
  verify: { scheme: 'linear' },
  setup: [
    'Settings → Administration → API → Webhooks → New webhook (a workspace admin).',
    'Label: any; URL: {url}',
    'Data change events: Issues, Comments, Project updates, Issue SLA; nothing else.',
    'Team selection: the teams that you want to hear of, then Create webhook.',
    'Copy the signing secret that the page of the webhook shows.',
  ],
  name: 'Linear',
  task: report(
    'The issue tracker (Linear) reports a change.',
    'Tell the person you serve in at most four short sentences who did what with which issue or project (its id and title), what it is about in the words of whoever wrote it, how urgent it is and whose it is now, and whether somebody waits for an answer.',
    'An issue that is done or canceled is one short sentence.',
  ),
  sessionKey: 'hook:linear:{{ data.issueId || data.projectId || data.id }}',
  cases: [
    {
      id: 'linear-issue',
      when: { 'payload.type': 'Issue', 'payload.action': 'create', ...BY_PEOPLE },
      messageTemplate: [
        'Linear: issue {{ data.identifier }} created by {{ actor.name }} in {{ data.team.name }}',
        'Title: {{ data.title | max 300 }}',
        'Priority {{ data.priorityLabel }}, state {{ data.state.name }}',
        'Assigned to {{ data.assignee.name }}',
        'Project: {{ data.project.name }}',
        'Due {{ data.dueDate }}',
        { each: 'data.labels', line: 'Label: {{ item.name }}', most: 10 },
        '{{ url || data.url }}',
        'Description: {{ data.description | max 1200 }}',
      ],
      sessionKey: 'hook:linear:{{ data.id }}',
    },
    {
      id: 'linear-change',
      when: {
        'payload.type': 'Issue',
        'payload.action': 'update',
        or: [
          {
            'payload.updatedFrom.stateId': { exists: true },
            'payload.data.state.type': ['completed', 'canceled'],
          },
          { 'payload.updatedFrom.priority': { exists: true }, 'payload.data.priority': 1 },
        ],
        ...BY_PEOPLE,
      },
      messageTemplate: [
        'Linear: issue {{ data.identifier }} changed by {{ actor.name }} in {{ data.team.name }}',
        'Title: {{ data.title | max 300 }}',
        'Now: priority {{ data.priorityLabel }}, state {{ data.state.name }} ({{ data.state.type }})',
        'Assigned to {{ data.assignee.name }}',
        'Project: {{ data.project.name }}',
        'Due {{ data.dueDate }}',
        '{{ url || data.url }}',
      ],
      sessionKey: 'hook:linear:{{ data.id }}',
    },
    {
      id: 'linear-comment',
      when: { 'payload.type': 'Comment', 'payload.action': 'create', ...BY_PEOPLE },
      messageTemplate: [
        'Linear: comment on {{ data.issue.identifier || data.issue.title || data.projectUpdate.project.name || url }} by {{ actor.name || data.user.name }}',
        'Issue: {{ data.issue.title | max 300 }}',
        'Answers to: {{ data.parent.body | max 300 }}',
        '{{ url }}',
        'Comment: {{ data.body | max 1200 }}',
      ],
    },
    {
      id: 'linear-project-update',
      when: { 'payload.type': 'ProjectUpdate', 'payload.action': 'create', ...BY_PEOPLE },
      messageTemplate: [
        'Linear: status report of project {{ data.project.name }} by {{ actor.name || data.user.name }}: {{ data.health }}',
        '{{ url || data.url }}',
        'Report: {{ data.body | max 1200 }}',
      ],
    },
    {
      id: 'linear-sla',
      when: { 'payload.type': 'IssueSLA', 'payload.action': ['highRisk', 'breached'] },
      messageTemplate: [
        'Linear: deadline (SLA) of issue {{ issueData.identifier }} in {{ issueData.team.name }}: {{ action }}',
        'Title: {{ issueData.title | max 300 }}',
        'Priority {{ issueData.priorityLabel }}, state {{ issueData.state.name }}',
        'Assigned to {{ issueData.assignee.name }}',
        'Breaches at {{ issueData.slaBreachesAt | date }}',
        '{{ url || issueData.url }}',
      ],
      sessionKey: 'hook:linear:{{ issueData.id }}',
    },
  ],
};
