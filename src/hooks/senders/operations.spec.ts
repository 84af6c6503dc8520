import { changedSample } from '../../../test/support/changed-samples.ts';
import type { Changes } from '../../../test/support/changed-samples.ts';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { presets } from './index.ts';

type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

const hooks = ingest({ presets: [...presets.keys()] });

function requestOf(preset: string, event: string, changes?: Changes) {
  const { headers, body } = changedSample(preset, event, changes);
  return hookRequest(preset, body, { headers });
}

async function messageOf(preset: string, event: string, changes?: Changes) {
  const { actions } = await hooks.apply(requestOf(preset, event, changes));
  return (actions[0] as { message?: string } | undefined)?.message;
}

const pagerdutyEvent = (type: string): Changes => ({ 'event.event_type': type });
const giteaEvent = (event: string, action: string | undefined): Changes => ({
  'headers.x-gitea-event': event,
  action,
});
const mr = (action: string): Changes => ({ 'object_attributes.action': action });
const arr = (type: string): Changes => ({ eventType: type });

describe('what costs a run', () => {
  it.each<[string, string, string, Changes, string]>([
    ['sentry', 'an alert of an issue', 'event_alert', {}, 'sentry-alert'],
    ['sentry', 'a number', 'metric_alert.resolved', { action: 'critical' }, 'sentry-metric'],
    ['sentry', 'a number that is well again', 'metric_alert.resolved', {}, 'sentry-metric'],
    ['sentry', 'a new issue', 'issue.created', {}, 'sentry-issue'],
    ['sentry', 'an issue come back', 'issue.created', { action: 'unresolved' }, 'sentry-issue'],
    [
      'pagerduty',
      'its end',
      'incident.triggered',
      pagerdutyEvent('incident.resolved'),
      'pagerduty',
    ],
    ['vercel', 'a failure of a preview', 'deployment.error', { 'payload.target': null }, 'vercel'],
    ['netlify', 'a failure', 'deploy_failed', {}, 'netlify-deploy'],
    [
      'netlify',
      'a deploy that waits',
      'deploy_failed',
      { state: 'pending_review', error_message: null },
      'netlify-deploy',
    ],
    ['netlify', 'a form', 'submission_created', {}, 'netlify-form'],
    ['proxmox', 'mail to root', 'vzdump.error', { severity: 'unknown' }, 'proxmox'],
    ['gitea', 'a merge', 'pull_request.merged', {}, 'gitea-pull-request'],
    ['gitea', 'a push to main', 'push', {}, 'gitea-push'],
    ['gitea', 'a comment', 'issue_comment', {}, 'gitea-comment'],
    ['gitea', 'an issue', 'issue_comment', giteaEvent('issues', 'opened'), 'gitea-issue'],
    [
      'gitea',
      'an approval',
      'pull_request.merged',
      giteaEvent('pull_request_approved', 'reviewed'),
      'gitea-review',
    ],
    [
      'gitea',
      'a review with words',
      'pull_request.merged',
      { ...giteaEvent('pull_request_comment', 'reviewed'), review: { content: 'Why?' } },
      'gitea-review',
    ],
    ['gitea', 'a workflow that fails', 'workflow_run.failed', {}, 'gitea-workflow-run'],
    ['gitea', 'a release', 'push', giteaEvent('release', 'published'), 'gitea-release'],
    ['gitlab', 'a pipeline that failed', 'pipeline.failed', {}, 'gitlab-pipeline'],
    ['gitlab', 'a merge request', 'merge_request', {}, 'gitlab-merge-request'],
    ['gitlab', 'a merge', 'merge_request.merged', {}, 'gitlab-merge-request'],
    [
      'gitlab',
      'a draft that is ready now',
      'merge_request',
      { ...mr('update'), changes: { draft: { previous: true, current: false } } },
      'gitlab-merge-request',
    ],
    ['gitlab', 'a comment', 'note', {}, 'gitlab-comment'],
    ['gitlab', 'an issue', 'merge_request', { object_kind: 'issue' }, 'gitlab-issue'],
    ['gitlab', 'a push to main', 'push', {}, 'gitlab-push'],
    ['gitlab', 'a branch that goes', 'push.branch_deleted', {}, 'gitlab-branch-deleted'],
    ['gitlab', 'a release', 'push', { object_kind: 'release', action: 'create' }, 'gitlab-release'],
    ['radarr', 'its end', 'health', arr('HealthRestored'), 'radarr'],
  ])('%s: %s does', (preset, _, event, changes, expected) => {
    expect(hooks.match(requestOf(preset, event, changes))).toBe(expected);
  });

  it.each<[string, string, string, Changes]>([
    ['sentry', 'an issue that is resolved', 'issue.created', { action: 'resolved' }],
    ['sentry', 'who has it', 'issue.created', { action: 'assigned' }],
    [
      'sentry',
      'every single error',
      'event_alert',
      { action: 'created', 'data.event': undefined, 'data.error': { event_id: 'e' } },
    ],
    [
      'sentry',
      'an installation',
      'issue.created',
      { 'data.issue': undefined, 'data.installation': {} },
    ],
    [
      'pagerduty',
      'an acknowledgement',
      'incident.triggered',
      pagerdutyEvent('incident.acknowledged'),
    ],
    ['pagerduty', 'a priority', 'incident.triggered', pagerdutyEvent('incident.priority_updated')],
    ['pagerduty', 'a service', 'incident.triggered', pagerdutyEvent('service.updated')],
    ['vercel', 'a deployment that begins', 'deployment.error', { type: 'deployment.created' }],
    ['vercel', 'one that went well', 'deployment.error', { type: 'deployment.succeeded' }],
    ['vercel', 'one that was cancelled', 'deployment.error', { type: 'deployment.canceled' }],
    ['netlify', 'a deploy that went well', 'deploy_failed', { state: 'ready' }],
    ['netlify', 'one that begins', 'deploy_failed', { state: 'building' }],
    [
      'netlify',
      'one that had nothing to do',
      'deploy_failed',
      { error_message: 'Canceled build due to no content change' },
    ],
    ['notion', 'an edit', 'page.created', { type: 'page.content_updated' }],
    ['notion', 'what a bot does', 'comment.created', { 'authors.0.type': 'bot' }],
    ['proxmox', 'a backup that went well', 'vzdump.error', { severity: 'info' }],
    ['sonarr', 'a release that was found', 'import_complete', arr('Grab')],
    ['sonarr', 'other names of files', 'import_complete', arr('Rename')],
    ['proxmox', 'the test', 'vzdump.error', { title: 'Test notification' }],
    ['sonarr', 'the test', 'import_complete', arr('Test')],
    ['uptime-kuma', 'the test', 'certificate', { msg: 'Agents Testing' }],
    ['gitea', 'a label', 'issue_comment', giteaEvent('issues', 'label_updated')],
    ['gitea', 'a push to a pull request', 'pull_request.merged', { action: 'synchronized' }],
    ['gitea', 'a draft', 'pull_request.merged', { 'pull_request.draft': true }],
    ['gitea', 'a draft by its title', 'pull_request.merged', { 'pull_request.title': 'WIP: x' }],
    ['gitea', 'what a bot does', 'pull_request.merged', { 'sender.login': 'renovate-bot' }],
    ['gitea', 'an edit of a comment', 'issue_comment', { action: 'edited' }],
    ['gitea', 'a push to a branch', 'push', { ref: 'refs/heads/rounding' }],
    [
      'gitea',
      'a merge, which its pull request tells',
      'push',
      { 'head_commit.message': "Merge pull request 'Round' (#12) from rounding into main" },
    ],
    ['gitea', 'a fork', 'push', giteaEvent('fork', undefined)],
    [
      'gitea',
      'a review that is its comments on lines',
      'pull_request.merged',
      { ...giteaEvent('pull_request_comment', 'reviewed'), review: { content: '' } },
    ],
    [
      'gitea',
      'a workflow that succeeds',
      'workflow_run.failed',
      { 'workflow_run.conclusion': 'success' },
    ],
    ['gitea', 'the draft of a release', 'push', giteaEvent('release', 'updated')],
    [
      'gitlab',
      'a pipeline on its way',
      'pipeline.failed',
      { 'object_attributes.status': 'running' },
    ],
    [
      'gitlab',
      'a pipeline that succeeded',
      'pipeline.failed',
      { 'object_attributes.status': 'success' },
    ],
    [
      'gitlab',
      'a job, which its pipeline tells',
      'pipeline.failed',
      { object_kind: 'build', build_status: 'failed' },
    ],
    ['gitlab', 'an update', 'merge_request', mr('update')],
    ['gitlab', 'a draft', 'merge_request', { 'object_attributes.draft': true }],
    ['gitlab', 'what a bot does', 'merge_request', { 'user.username': 'project_15_bot_8f3a' }],
    [
      'gitlab',
      'an issue that is closed',
      'merge_request',
      { object_kind: 'issue', ...mr('close') },
    ],
    ['gitlab', 'an edit of a comment', 'note', { 'object_attributes.action': 'update' }],
    ['gitlab', 'a note of GitLab itself', 'note', { 'object_attributes.system': true }],
    ['gitlab', 'a push to a branch', 'push', { ref: 'refs/heads/rounding' }],
    ['gitlab', 'another branch that goes', 'push.branch_deleted', { ref: 'refs/heads/rounding' }],
    [
      'gitlab',
      'a merge, which its merge request tells',
      'push',
      { 'commits.0.message': "Merge branch 'rounding' into 'main'" },
    ],
    ['gitlab', 'what a bot pushes', 'push', { user_username: 'group_3_bot_11' }],
    ['gitlab', 'a tag', 'push', { object_kind: 'tag_push' }],
    ['radarr', 'an upgrade', 'download', { isUpgrade: true }],
    ['radarr', 'an update of itself', 'health', arr('ApplicationUpdate')],
  ])('%s: %s does not', (preset, _, event, changes) => {
    const request = requestOf(preset, event, changes);
    expect(hooks.match(request)).toBeNull();
    expect(hooks.declines(request)).toContain(preset);
  });
});

describe('what docs/presets.md says of narrower and wider presets', () => {
  it.each<[Mapping & { id: string }, string, Changes, boolean]>([
    [
      { id: 'vercel', when: { 'payload.payload.target': 'production' } },
      'deployment.error',
      {},
      true,
    ],
    [
      { id: 'vercel', when: { 'payload.payload.target': 'production' } },
      'deployment.error',
      { 'payload.target': null },
      false,
    ],
    [
      { id: 'pagerduty', when: { 'payload.event.event_type': ['incident.triggered'] } },
      'incident.annotated',
      {},
      false,
    ],
    [
      { id: 'proxmox', when: { 'payload.severity': { exists: true } } },
      'vzdump.error',
      { severity: 'info' },
      true,
    ],
    [
      { id: 'gitea-push', when: { 'payload.ref': ['refs/heads/develop'] } },
      'push',
      { ref: 'refs/heads/develop' },
      true,
    ],
    [
      {
        id: 'gitlab-pipeline',
        when: { 'payload.object_attributes.status': ['success', 'failed'] },
      },
      'pipeline.failed',
      { 'object_attributes.status': 'success' },
      true,
    ],
  ])('%j, %s with %j: %j', (mapping, event, changes, expected) => {
    const [preset = ''] = [...presets.keys()].filter((id) => mapping.id.startsWith(id));
    const own = ingest({ presets: [preset], mappings: [mapping] });
    expect(own.match(requestOf(preset, event, changes)) !== null).toBe(expected);
  });
});

describe('what the agent is shown', () => {
  it('says how many alerts Alertmanager left out, and nothing where there are none', async () => {
    expect(await messageOf('alertmanager', 'firing.truncated')).toContain('left out: 200');
    expect(await messageOf('alertmanager', 'firing')).not.toContain('left out');
  });

  it('says of Alertmanager what fires, what is over and how long it was, and nothing twice', async () => {
    const message = await messageOf('alertmanager', 'firing', {
      'alerts.0.annotations.description': 'It fills by 1 % an hour.',
      commonAnnotations: {},
    });
    expect(message?.split('\n')).toEqual([
      'Alertmanager: firing',
      '- firing since Sunday 2026-03-01 08:12:30 UTC: Less than 5 % disk space left {"alertname":"DiskAlmostFull","instance":"db1:9100","severity":"critical"}',
      'Description of DiskAlmostFull: It fills by 1 % an hour.',
      'Runbook of DiskAlmostFull: https://runbooks.example.org/disk',
      'https://alertmanager.example.org',
    ]);
  });

  it('says of a pull request in Gitea that was closed that it was not merged', async () => {
    const changes = { 'pull_request.merged': false };
    const message = await messageOf('gitea', 'pull_request.merged', changes);
    expect(message).toContain('\nIt was closed without being merged\n');
    expect(message).not.toContain('was merged into');
  });

  it('says of a branch in GitLab that it was deleted, and nothing of a push', async () => {
    const message = await messageOf('gitlab', 'push.branch_deleted');
    expect(message).toMatch(/^GitLab: deleted branch refs\/heads\/master of acme\/shop, by Ann/u);
    expect(message).not.toContain('push');
  });

  it('names no address that a monitor has not', async () => {
    expect(await messageOf('uptime-kuma', 'down.ping')).not.toContain('https://');
  });

  it.each([
    ['isk', '12500 isk (in hundredths)'],
    ['ugx', '12500 ugx (in hundredths)'],
    ['mga', '12500 mga'],
    ['jpy', '12500 JPY'],
    ['huf', '125.00 HUF'],
  ])('shows an amount of Stripe in %s as Stripe means it', async (currency, amount) => {
    const message = await messageOf('stripe', 'charge.dispute.created', {
      'data.object.currency': currency,
    });
    expect(message).toContain(`\nAmount: ${amount}\n`);
  });

  it("shows all of one of Shopify's Events, whose headers are others", async () => {
    const headers = {
      'shopify-topic': 'Product',
      'shopify-action': 'update',
      'shopify-handle': 'price-changes',
      'shopify-shop-domain': 'acme-tea.myshopify.com',
      'shopify-triggered-at': '2026-10-01T12:00:00.5Z',
    };
    const body = {
      topic: 'Product',
      action: 'update',
      handle: 'price-changes',
      fields_changed: { added: [], updated: ['product.variants.price'], removed: [] },
    };
    const { actions } = await hooks.apply(hookRequest('shopify', body, { headers }));
    expect(actions).toMatchObject([
      {
        message: expect.stringMatching(
          /^Shopify: Product update in acme-tea\.myshopify\.com\nSubscription: price-changes\nAt: Thursday 2026-10-01 12:00:00 UTC\nEvent: \{.*product\.variants\.price/u,
        ),
        sessionKey: 'hook:shopify:price-changes',
      },
    ]);
  });

  it('says which attachments Apprise sent', async () => {
    const attachments = [{ filename: 'log.txt', mimetype: 'text/plain', base64: 'aGk=' }];
    const message = await messageOf('apprise', 'failure', { attachments });
    expect(message).toMatch(
      /\nAttachment, of which only the name is shown: log\.txt \(text\/plain\)$/u,
    );
  });

  it('has the words of a form field by field, and not who sent them by address', async () => {
    const message = await messageOf('netlify', 'submission_created');
    expect(message).toContain('Message: Do you ship to Norway?');
    expect(message).not.toContain('192.0.2.11');
  });

  it('never has the token that reads the log of Netlify', async () => {
    expect(await messageOf('netlify', 'deploy_failed')).not.toContain('not-a-token');
  });

  it('names a page of Notion once', async () => {
    const page = '0ef104cd-477e-80e1-8571-cfd10e92339a';
    expect((await messageOf('notion', 'comment.created'))?.split(page)).toHaveLength(2);
  });

  it('cuts the logs of a backup', async () => {
    const message = await messageOf('proxmox', 'vzdump.error', { message: 'x'.repeat(90_000) });
    expect(message?.length).toBeLessThan(6200);
  });
});
