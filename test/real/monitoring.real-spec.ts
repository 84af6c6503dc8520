import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../support/config-directory.ts';
import { atLast } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { ModelServer } from './model-server.ts';

// The rules and the dashboard of deploy/ on a real Prometheus that scrapes the built service as docs/monitoring.md says;
// what fires goes through a real Alertmanager and comes back in by our preset. Times are shorter, nothing else is changed.

const HOOK_TOKEN = 'the-hook-token-of-the-monitoring';
const OPERATOR_TOKEN = 'the-operator-token-of-the-monitoring';
const METRICS_TOKEN = 'the-metrics-token-of-the-monitoring';
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const RULES = read('deploy/prometheus-rules.yaml');
/** At once, and whatever lasts longer than a few seconds lasts too long. */
const HASTY_RULES = RULES.replaceAll(/for: \d+m/g, 'for: 0s').replaceAll(/> \d{3,}$/gm, '> 0');

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
const DASHBOARD = JSON.parse(read('deploy/grafana-dashboard.json')) as {
  readonly panels: readonly Panel[];
};
const QUERIES = DASHBOARD.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m')] as const),
);

const mapping = (path: string, model: string, channel: string) => ({
  match: { path },
  model,
  channel,
  messageTemplate: '{{question}}',
  wakeMode: 'next-heartbeat',
});

/** @param away nobody listens there */
const configured = (model: string, away: number, receiver: string) => ({
  gateway: { auth: { token: OPERATOR_TOKEN } },
  ops: { metricsToken: METRICS_TOKEN },
  hooks: {
    enabled: true,
    token: HOOK_TOKEN,
    presets: ['alertmanager'],
    budgets: [{ of: 'runs', most: 1000, per: '1h' }],
    mappings: [
      mapping('fine', 'local/test-model', 'chan_1'),
      mapping('refused', 'local/test-model', 'chan_2'),
      mapping('waits', 'away/test-model', 'chan_1'),
    ],
  },
  agents: { defaults: { model: 'local/test-model' } },
  models: {
    providers: {
      local: { baseUrl: `${model}/v1` },
      away: { baseUrl: `http://127.0.0.1:${away}/v1` },
    },
  },
  channels: Object.fromEntries(
    ['chan_1', 'chan_2'].map((channel) => [
      channel,
      {
        provider: 'webhook',
        url: `${receiver}/${channel}`,
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
        allowPrivate: true,
        to: 'on-call',
      },
    ]),
  ),
});

describe('deploy/prometheus-rules.yaml and deploy/grafana-dashboard.json', () => {
  const dir = new ConfigDirectory();
  const programs: ChildProcess[] = [];
  let service: ServiceProcess;
  let model: ModelServer;
  let receiver: ScriptedServer;
  let prometheus: string;

  const run = (file: string, ...args: string[]) => {
    programs.push(spawn(file, args, { stdio: 'ignore' }));
  };
  const answers = (url: string) => () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  const post = (path: string, body: object) =>
    service.ask(`/hooks/${path}`, { token: HOOK_TOKEN, body });
  const operate = (path: string, body?: object) =>
    service.ask(`/ops/api/${path}`, { token: OPERATOR_TOKEN, ...(body && { body }) });
  /** What Prometheus answers; @throws its error. */
  const asked = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${prometheus}/api/v1/${path}`);
    const { error, data } = (await answer.json()) as { error?: string; data: T };
    if (error !== undefined) throw new Error(`${path}: ${error}`);
    return data;
  };
  const series = async (query: string): Promise<number> => {
    const path = `query?query=${encodeURIComponent(query)}`;
    const { result } = await asked<{ result: { value: [number, string] }[] }>(path);
    return result.filter(({ value: [, value] }) => value !== 'NaN').length;
  };
  const firing = async (): Promise<string[]> => {
    const { alerts } = await asked<{ alerts: { labels: { alertname: string } }[] }>('alerts');
    return alerts.map(({ labels }) => labels.alertname);
  };

  beforeAll(async () => {
    model = await ModelServer.start();
    receiver = new ScriptedServer(({ path }) => ({
      status: path === '/chan_2' ? 401 : 200,
      headers: {},
      chunks: [],
    }));
    await receiver.listen();
    dir.write('gateway.json5', configured(model.origin, await freePort(), receiver.origin));
    service = await ServiceProcess.listening(dir.path);
    const alertmanager = `127.0.0.1:${await freePort()}`;
    prometheus = `http://127.0.0.1:${await freePort()}`;
    dir.write('alertmanager.yml', {
      route: { receiver: 'hooks', group_by: ['alertname'], group_wait: '1s', group_interval: '2s' },
      receivers: [
        {
          name: 'hooks',
          webhook_configs: [
            {
              url: `${service.url}/hooks/alertmanager`,
              max_alerts: 100,
              http_config: { authorization: { type: 'Bearer', credentials: HOOK_TOKEN } },
            },
          ],
        },
      ],
    });
    dir.write('rules.yaml', HASTY_RULES);
    dir.write('hooks-token', METRICS_TOKEN);
    dir.write('prometheus.yml', {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
      scrape_configs: [
        {
          job_name: 'hooks',
          metrics_path: '/ops/metrics',
          authorization: { credentials_file: 'hooks-token' },
          static_configs: [{ targets: [new URL(service.url).host] }],
        },
      ],
    });
    const inDir = (name: string) => join(dir.path, name);
    for (const name of ['tsdb', 'silences']) mkdirSync(inDir(name));
    run(
      '/usr/bin/prometheus-alertmanager',
      `--config.file=${inDir('alertmanager.yml')}`,
      `--storage.path=${inDir('silences')}`,
      `--web.listen-address=${alertmanager}`,
      '--cluster.listen-address=',
    );
    run(
      '/usr/bin/prometheus',
      `--config.file=${inDir('prometheus.yml')}`,
      `--storage.tsdb.path=${inDir('tsdb')}`,
      `--web.listen-address=${new URL(prometheus).host}`,
    );
    await atLast('Alertmanager is ready', answers(`http://${alertmanager}/-/ready`));
    await atLast('Prometheus is ready', answers(`${prometheus}/-/ready`));
  });
  afterAll(async () => {
    for (const program of programs) {
      program.kill('SIGKILL');
      await once(program, 'close');
    }
    await service?.[Symbol.asyncDispose]();
    await model?.close();
    await receiver?.close();
    dir[Symbol.dispose]();
  });

  it('are taken by promtool', () => {
    const { status, stdout, stderr } = spawnSync(
      '/usr/bin/promtool',
      ['check', 'rules', 'deploy/prometheus-rules.yaml'],
      { encoding: 'utf8' },
    );
    expect({ status, said: stdout + stderr }).toEqual({
      status: 0,
      said: expect.stringContaining('13 rules found'),
    });
  });

  it('have series for every query and for every metric of the rules', async () => {
    for (const path of ['fine', 'refused', 'waits']) {
      expect((await post(path, { question: `Question 1` })).status).toBe(200);
    }
    expect((await service.ask('/hooks/fine', { token: 'wrong', body: {} })).status).toBe(401);
    const names = new Set(RULES.match(/\b(?:hooks_\w+|up)(?=\{|\)|\[)/g));
    expect(names.size).toBeGreaterThan(8);
    const all = [...QUERIES, ...[...names].map((name) => ['a rule', name] as const)];
    expect(QUERIES.length).toBeGreaterThan(20);
    for (const [title, query] of all) {
      await atLast(`${title}: ${query} has series`, async () => {
        if ((await series(query)) > 0) return true;
        // A rate needs two scrapes with a request between them, whenever Prometheus began to scrape.
        await post('fine', { question: 'Once more?' });
        return false;
      });
    }
  });

  it('fire, and come back in by the preset as a run whose reply is delivered', async () => {
    await atLast('what waits and what was given up is told', async () => {
      const now = await firing();
      return [
        'HooksBackendUnavailable',
        'HooksWorkWaits',
        'HooksDeadWork',
        'HooksChannelFailing',
      ].every((name) => now.includes(name));
    });
    dir.replace('gateway.json5', '{ hooks: { path: 7 } }');
    const event = await atLast('the alert comes back in', async () => {
      const { body } = await operate('events?hook=alertmanager&limit=50');
      const found = body['events'] as { id: string; status: string; headline: string }[];
      return found.find(({ headline, status }) => /refused/.test(headline) && status === 'done');
    });
    const { body } = await operate(`events/${event.id}`);
    expect(JSON.stringify(body)).toContain('HooksConfigurationRefused');
    expect(body).toMatchObject({
      request: { verifiedBy: 'token' },
      runs: [{ status: 'succeeded' }],
    });
  });

  it('tell of a pause, though a paused service cannot be told', async () => {
    await operate('pause', {});
    await atLast('the pause is told', async () => (await firing()).includes('HooksPaused'));
    await operate('resume', {});
    await atLast('the alert ends', async () => !(await firing()).includes('HooksPaused'));
  });
});
