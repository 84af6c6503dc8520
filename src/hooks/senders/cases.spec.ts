import { changedSample } from '../../../test/support/changed-samples.ts';
import type { Changes } from '../../../test/support/changed-samples.ts';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import { presets } from './index.ts';

const hooks = ingest({ presets: [...presets.keys()], allowedSessionKeyPrefixes: ['hook:'] });

/** The case that takes a sample with other values in some places; null: it costs no run. */
function caseOf(preset: string, event: string, changes?: Changes): string | null {
  const { headers, body } = changedSample(preset, event, changes);
  return hooks.match(hookRequest(preset, body, { headers }));
}

const key = (name: string) => ({ 'headers.x-event-key': name });
const APP = { 'actor.type': 'app_user' };
const DONE = { key: 'done', name: 'Done' };

describe('what costs a run', () => {
  it.each<[string, string, string, Changes, string]>([
    ['bitbucket', 'a pull request', 'pullrequest.created', {}, 'bitbucket-pull-request'],
    [
      'bitbucket',
      'a merge',
      'pullrequest.created',
      { ...key('pullrequest:fulfilled'), 'pullrequest.state': 'MERGED' },
      'bitbucket-pull-request',
    ],
    [
      'bitbucket',
      'an approval',
      'pullrequest.created',
      key('pullrequest:approved'),
      'bitbucket-review',
    ],
    ['bitbucket', 'a comment', 'pullrequest.comment_created', {}, 'bitbucket-comment'],
    [
      'bitbucket',
      'an issue',
      'pullrequest.created',
      { ...key('issue:created'), issue: { id: 1, title: 'x' } },
      'bitbucket-issue',
    ],
    ['bitbucket', 'a push to main', 'repo.push', {}, 'bitbucket-push'],
    ['bitbucket', 'a build that fails', 'repo.commit_status_updated', {}, 'bitbucket-build'],
    ['jira', 'an issue', 'issue_created', {}, 'jira-issue'],
    ['jira', 'another assignee', 'issue_updated', {}, 'jira-change'],
    [
      'jira',
      'an issue that is done',
      'issue_updated',
      { 'changelog.items': [{ field: 'status' }], 'issue.fields.status.statusCategory': DONE },
      'jira-change',
    ],
    ['jira', 'a comment', 'comment_created', {}, 'jira-comment'],
    ['linear', 'an issue', 'Issue.create', {}, 'linear-issue'],
    ['linear', 'an issue that is done', 'Issue.update', {}, 'linear-change'],
    [
      'linear',
      'an issue that is urgent now',
      'Issue.update',
      { updatedFrom: { priority: 2 }, 'data.state.type': 'started' },
      'linear-change',
    ],
    ['linear', 'a comment', 'Comment.create', {}, 'linear-comment'],
    ['linear', 'a status report', 'ProjectUpdate.create', {}, 'linear-project-update'],
    [
      'linear',
      'a deadline that was missed',
      'Issue.create',
      { type: 'IssueSLA', action: 'breached', actor: undefined },
      'linear-sla',
    ],
  ])('%s: %s does', (preset, _, event, changes, expected) => {
    expect(caseOf(preset, event, changes)).toBe(expected);
  });

  it.each<[string, string, string, Changes]>([
    ['bitbucket', 'a draft', 'pullrequest.created', { 'pullrequest.draft': true }],
    ['bitbucket', 'an edit', 'pullrequest.created', key('pullrequest:updated')],
    ['bitbucket', 'a comment of an app', 'pullrequest.comment_created', APP],
    ['bitbucket', 'a push to a branch', 'repo.push', { 'push.changes.0.new.name': 'rounding' }],
    ['bitbucket', 'a branch that goes', 'repo.push', { 'push.changes.0.new': null }],
    [
      'bitbucket',
      'a merge, which its pull request tells',
      'repo.push',
      { 'push.changes.0.new.target.message': 'Merged in rounding (pull request #12)\n' },
    ],
    [
      'bitbucket',
      'a build that succeeds',
      'repo.commit_status_updated',
      { 'commit_status.state': 'SUCCESSFUL' },
    ],
    [
      'jira',
      'an edit of the description',
      'issue_updated',
      { 'changelog.items': [{ field: 'description' }] },
    ],
    ['jira', 'the edit that a comment is besides', 'issue_updated', { changelog: undefined }],
    ['jira', 'a status on the way', 'issue_updated', { 'changelog.items': [{ field: 'status' }] }],
    ['jira', 'a change by an app', 'issue_updated', { 'user.accountType': 'app' }],
    ['jira', 'a comment of an app', 'comment_created', { 'comment.author.accountType': 'app' }],
    ['jira', 'an issue that goes', 'issue_created', { webhookEvent: 'jira:issue_deleted' }],
    ['linear', 'a label', 'Issue.update', { updatedFrom: { labelIds: [] } }],
    ['linear', 'a state on the way', 'Issue.update', { 'data.state.type': 'started' }],
    ['linear', 'an issue that goes', 'Issue.create', { action: 'remove' }],
    ['linear', 'a comment of an integration', 'Comment.create', { 'actor.type': 'integration' }],
    ['linear', 'an edit of a comment', 'Comment.create', { action: 'update' }],
    ['linear', 'a reaction', 'Comment.create', { type: 'Reaction' }],
  ])('%s: %s does not', (preset, _, event, changes) => {
    expect(caseOf(preset, event, changes)).toBeNull();
  });
});

describe('the cases of presets', () => {
  const all = [...presets.values()].flatMap(({ id, cases = [] }) =>
    cases.map((one) => Object.assign({ preset: id }, one)),
  );

  it.each(all)(
    '$id says which events it takes, and begins with its preset',
    ({ preset, id, when }) => {
      expect(id.startsWith(`${preset}-`)).toBe(true);
      expect(Object.keys(when ?? {})).not.toEqual([]);
    },
  );
});
