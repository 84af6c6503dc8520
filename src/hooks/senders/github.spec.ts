import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import JSON5 from 'json5';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import { changedSample } from '../../../test/support/changed-samples.ts';
import type { Changes } from '../../../test/support/changed-samples.ts';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { presets } from './index.ts';

type Mappings = NonNullable<HooksSettingsInput['mappings']>;
interface Delivery {
  readonly event: string;
  readonly body: Record<string, unknown>;
}

const examples = createRequire(import.meta.url)(
  '@octokit/webhooks-examples',
) as WebhookDefinition[];

const DELIVERIES: readonly Delivery[] = examples.flatMap(({ name, examples: payloads }) =>
  payloads.map((body) => ({ event: name, body: body as unknown as Delivery['body'] })),
);
const CASES = presets.get('github')?.cases ?? [];

function start(mappings: Mappings = []) {
  const hooks = ingest({ presets: ['github'], mappings, allowedSessionKeyPrefixes: ['hook:'] });
  const requestOf = ({ event, body }: Delivery) =>
    hookRequest('github', body, { headers: { 'x-github-event': event } });
  return {
    match: (delivery: Delivery) => hooks.match(requestOf(delivery)),
    messageOf: async (delivery: Delivery): Promise<string> => {
      const { actions, warnings } = await hooks.apply(requestOf(delivery));
      expect(warnings).toEqual([]);
      expect(actions).toHaveLength(1);
      const [action] = actions;
      if (action?.kind !== 'agent') throw new Error('it makes a run');
      return action.message;
    },
  };
}

function percentile(lengths: readonly number[], share: number): number {
  return lengths.toSorted((a, b) => a - b)[Math.floor(share * (lengths.length - 1))]!;
}

/** Of all kinds of events that the preset knows, every action: no condition but the event itself says no. */
const EVERY_ACTION: Mappings = CASES.map(({ id, when = {} }) => ({
  id,
  when: Object.fromEntries(
    Object.keys(when)
      .filter((place) => place !== 'headers.x-github-event')
      .map((place) =>
        place === 'or'
          ? [place, [{ 'headers.x-github-event': { exists: true } }]]
          : [place, { not: 'no such value' }],
      ),
  ),
}));

describe('the preset github, over 329 payloads of the community (issue 12.5)', () => {
  it('has all of them', () => {
    expect([DELIVERIES.length, examples.length]).toEqual([329, 58]);
  });

  it('takes what somebody may have to answer, and what is out; of the rest, nothing', () => {
    const { match } = start();
    const taken = DELIVERIES.flatMap((delivery) => {
      const id = match(delivery);
      const { action = 'none' } = delivery.body;
      return id === null ? [] : [`${id}: ${delivery.event} ${JSON.stringify(action)}`];
    });
    const counts = Object.entries(Object.groupBy(taken, (text) => text)).map(
      ([text, all = []]) => `${all.length} ${text}`,
    );
    expect(counts.toSorted()).toEqual(
      [
        '2 github-pull-request: pull_request "closed"',
        '2 github-pull-request: pull_request "reopened"',
        '2 github-push: push "none"',
        '3 github-pull-request: pull_request "ready_for_review"',
        '3 github-release: release "published"',
        '5 github-comment: issue_comment "created"',
        '4 github-issue: issues "opened"',
        '4 github-pull-request: pull_request "opened"',
        '1 github-issue: issues "reopened"',
      ].toSorted(),
    );
  });

  it('shows messages of p50 ≤ 700 and p90 ≤ 2,000 characters, none of them empty', async () => {
    const { match, messageOf } = start(EVERY_ACTION);
    const known = new Set(CASES.map(({ when }) => when?.['headers.x-github-event']));
    const all = DELIVERIES.filter(({ event }) => known.has(event));
    expect(all.filter((delivery) => match(delivery) === null)).toEqual([]);
    const messages = await Promise.all(all.map(messageOf));
    const lengths = messages.map((message) => message.length);
    expect(lengths.length).toBeGreaterThan(95);
    expect(percentile(lengths, 0.5)).toBeLessThanOrEqual(700);
    expect(percentile(lengths, 0.9)).toBeLessThanOrEqual(2000);
    for (const message of messages) {
      expect(message).toMatch(/^GitHub: .{20,}\n/u);
      expect(message).not.toMatch(/undefined|null|\[object|\{\{|api\.github\.com|avatars\d*\./u);
      expect(message).toMatch(/https:\/\//u);
    }
  });

  it('shows no more of the longest words than an agent needs', async () => {
    const { messageOf } = start();
    const { body } = changedSample('github', 'issues.opened', {
      'issue.title': 'T'.repeat(256),
      'issue.body': 'x'.repeat(65_536),
    });
    expect((await messageOf({ event: 'issues', body })).length).toBeLessThan(2000);
  });
});

it('a conversation is about one pull request or issue of a repository', async () => {
  const hooks = ingest({ presets: ['github'], allowedSessionKeyPrefixes: ['hook:'] });
  const { body, headers } = changedSample('github', 'pull_request.opened', {});
  const { actions } = await hooks.apply(hookRequest('github', body, { headers }));
  expect(actions).toMatchObject([{ sessionKey: 'hook:github:Codertocat/Hello-World:2' }]);
});

describe('what costs no run', () => {
  const sampleOf = (event: string, changes: Changes = {}): Delivery => {
    const { headers, body } = changedSample('github', event, changes);
    return { event: headers['x-github-event'] ?? '', body };
  };
  const { match } = start();

  it.each([
    ['issues.opened', 'github-issue'],
    ['issue_comment.created', 'github-comment'],
    ['pull_request.opened', 'github-pull-request'],
    ['pull_request_review.submitted', 'github-review'],
    ['pull_request_review_comment.created', 'github-review-comment'],
    ['push', 'github-push'],
    ['workflow_run.completed', 'github-workflow-run'],
    ['release.published', 'github-release'],
  ])('%s is taken', (event, id) => {
    expect(match(sampleOf(event))).toBe(id);
  });

  it.each([
    ['a comment of a bot', 'issue_comment.created', { 'sender.type': 'Bot' }],
    ['a pull request of a bot', 'pull_request.opened', { 'sender.type': 'Bot' }],
    ['a draft', 'pull_request.opened', { 'pull_request.draft': true }],
    ['a push to a pull request', 'pull_request.opened', { action: 'synchronize' }],
    [
      'a review without words',
      'pull_request_review.submitted',
      { 'review.state': 'commented', 'review.body': null },
    ],
    [
      'an inline comment of a review',
      'pull_request_review_comment.created',
      { 'comment.in_reply_to_id': undefined },
    ],
    ['a push to a branch', 'push', { ref: 'refs/heads/rounding' }],
    ['a branch that goes', 'push', { deleted: true }],
    [
      'a merge, which its pull request tells',
      'push',
      { 'head_commit.committer.username': 'web-flow' },
    ],
    [
      'a workflow that succeeds',
      'workflow_run.completed',
      { 'workflow_run.conclusion': 'success' },
    ],
    ['the draft of a release', 'release.published', { action: 'created' }],
  ])('%s is not', (_, event, changes) => {
    expect(match(sampleOf(event, changes))).toBeNull();
  });

  it('a push to a branch is told first what was wrong with it', () => {
    const { body } = sampleOf('push', { ref: 'refs/heads/rounding' });
    const headers = { 'x-github-event': 'push' };
    const { declines } = ingest({ presets: ['github'] });
    expect(declines(hookRequest('github', body, { headers }))).toMatch(
      /^no mapping takes it, because of their conditions: github-push \(payload\.ref\), /u,
    );
  });

  it('a ping is not', () => {
    expect(match({ event: 'ping', body: { zen: 'Keep it logically awesome.' } })).toBeNull();
  });

  describe('with the conditions of the example in docs/presets.md', () => {
    const page = readFileSync(new URL('../../../docs/presets.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('\n## github\n');
    const [, block = ''] = /```json5\n([\s\S]*?)```/u.exec(section) ?? [];
    const { mappings = [] } = JSON5.parse<{ hooks: HooksSettingsInput }>(block).hooks;
    const narrowed = start(
      mappings.map((mapping) =>
        Object.assign({}, mapping, mapping.verify && { verify: { secrets: ['a secret of ours'] } }),
      ),
    );
    const into = (branch: string, login: string, changes: Changes = {}): Delivery =>
      sampleOf('pull_request.opened', {
        'pull_request.base.ref': branch,
        'sender.login': login,
        ...changes,
      });

    it('pull requests into main are taken', () => {
      expect(narrowed.match(into('main', 'ann'))).toBe('github-pull-request');
    });

    it.each([
      ['into another branch', into('master', 'ann')],
      ['of an account that is a robot of ours', into('main', 'acme-robot')],
    ])('those %s are not', (_, delivery) => {
      expect(match(delivery)).toBe('github-pull-request');
      expect(narrowed.match(delivery)).toBeNull();
    });

    it.each(['issue_comment.created', 'issues.opened', 'push', 'release.published'])(
      '%s of the robot is not',
      (event) => {
        expect(narrowed.match(sampleOf(event))).not.toBeNull();
        expect(narrowed.match(sampleOf(event, { 'sender.login': 'acme-robot' }))).toBeNull();
      },
    );

    it('of workflows, the failures of main are taken', () => {
      const failureOf = (branch: string): Delivery =>
        sampleOf('workflow_run.completed', { 'workflow_run.head_branch': branch });
      expect(narrowed.match(failureOf('main'))).toBe('github-workflow-run');
      expect(narrowed.match(failureOf('rounding'))).toBeNull();
    });

    it('drafts and bots are still not, and the other events still are', () => {
      expect(narrowed.match(into('main', 'ann', { 'pull_request.draft': true }))).toBeNull();
      expect(narrowed.match(into('main', 'ann', { 'sender.type': 'Bot' }))).toBeNull();
      expect(narrowed.match(sampleOf('issues.opened'))).toBe('github-issue');
    });
  });
});
