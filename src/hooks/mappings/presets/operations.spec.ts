import { changedSample } from '../../../../test/support/changed-samples.ts';
import type { Changes } from '../../../../test/support/changed-samples.ts';
import { hookRequest, ingest } from '../../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../../options/index.ts';
import { presets } from './index.ts';

/*
 * Monitoring, hosting and the machines at home: which of their events cost a run, and what the operator's own words in
 * docs/presets.md make of that.
 */

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
const arr = (type: string): Changes => ({ eventType: type });

describe('what costs a run', () => {
  it.each<[string, string, string, Changes, string]>([
    ['sentry', 'an alert of an issue', 'event_alert', {}, 'sentry-alert'],
    ['sentry', 'a number', 'metric_alert.resolved', { action: 'critical' }, 'sentry-metric'],
    ['sentry', 'a number that is well again', 'metric_alert.resolved', {}, 'sentry-metric'],
    ['sentry', 'a new issue', 'issue.created', {}, 'sentry-issue'],
    ['sentry', 'an issue come back', 'issue.created', { action: 'unresolved' }, 'sentry-issue'],
    ['pagerduty', 'an incident', 'incident.triggered', {}, 'pagerduty'],
    [
      'pagerduty',
      'its end',
      'incident.triggered',
      pagerdutyEvent('incident.resolved'),
      'pagerduty',
    ],
    ['pagerduty', 'a note', 'incident.annotated', {}, 'pagerduty'],
    ['pagerduty', 'the test', 'pagey.ping', {}, 'pagerduty'],
    ['datadog', 'an alert', 'triggered', {}, 'datadog'],
    ['datadog', 'a recovery', 'recovered', {}, 'datadog'],
    ['vercel', 'a failure of production', 'deployment.error', {}, 'vercel'],
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
    ['notion', 'a comment', 'comment.created', {}, 'notion'],
    ['notion', 'a page', 'page.created', {}, 'notion'],
    ['proxmox', 'a failure', 'vzdump.error', {}, 'proxmox'],
    ['proxmox', 'mail to root', 'vzdump.error', { severity: 'unknown' }, 'proxmox'],
    ['proxmox', 'the test', 'test', {}, 'proxmox'],
    ['sonarr', 'episodes', 'import_complete', {}, 'sonarr'],
    ['sonarr', 'a download that waits', 'manual_interaction', {}, 'sonarr'],
    ['sonarr', 'the test', 'test', {}, 'sonarr'],
    ['gitlab', 'a pipeline that failed', 'pipeline.failed', {}, 'gitlab'],
    [
      'gitlab',
      'one that succeeded',
      'pipeline.failed',
      { 'object_attributes.status': 'success' },
      'gitlab',
    ],
    [
      'gitlab',
      'a job that failed',
      'pipeline.failed',
      { object_kind: 'build', build_status: 'failed' },
      'gitlab',
    ],
    ['gitlab', 'all else', 'merge_request', {}, 'gitlab'],
    ['radarr', 'a film', 'download', {}, 'radarr'],
    ['radarr', 'a problem', 'health', {}, 'radarr'],
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
    [
      'gitlab',
      'a pipeline on its way',
      'pipeline.failed',
      { 'object_attributes.status': 'running' },
    ],
    [
      'gitlab',
      'a job that succeeds',
      'pipeline.failed',
      { object_kind: 'build', build_status: 'success' },
    ],
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
      { id: 'proxmox', when: { or: [{ 'payload.severity': { exists: true } }] } },
      'vzdump.error',
      { severity: 'info' },
      true,
    ],
  ])('%j, %s with %j: %j', (mapping, event, changes, expected) => {
    const own = ingest({ presets: [mapping.id], mappings: [mapping] });
    expect(own.match(requestOf(mapping.id, event, changes)) !== null).toBe(expected);
  });
});

describe('what the agent is shown', () => {
  it('says how many alerts Alertmanager left out, and nothing where there are none', async () => {
    expect(await messageOf('alertmanager', 'firing.truncated')).toContain('left out: 200');
    expect(await messageOf('alertmanager', 'firing')).not.toContain('left out');
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
