import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AttentionItem, ConfigurationReport } from '../../src/service/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { OperatedService } from '../support/operated-service.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const CONFIGURATION = '/ops/api/configuration';
const CANARY = 'canary-of-the-tests';
const secret = (name: string): string => `${CANARY}-${name}-0123456789abcdef`;
const SIGNING = `whsec_${Buffer.from(secret('signing')).toString('base64')}`;
const HOOK_TOKEN = 'the-hook-token-of-the-tests';

const FULL_OF_SECRETS = {
  gateway: { port: 4711, auth: { token: secret('operator') } },
  hooks: {
    enabled: true,
    token: '${HOOK_TOKEN}',
    tokens: [
      { id: 'ci', token: secret('sender'), hooks: ['ci'] },
      { id: 'two', tokens: [secret('first'), secret('second')], hooks: ['ci'] },
    ],
    defaultSessionKey: 'hook:x',
    presets: ['mail'],
    mappings: [
      {
        id: 'github',
        verify: {
          scheme: 'github',
          secrets: [secret('shared'), '${SHARED}'],
          verifyToken: secret('verify'),
        },
        when: {
          'payload.clientState': secret('state'),
          'headers.x-api-key': { startsWith: secret('key') },
          and: [{ 'query.code': [secret('code')] }],
        },
        messageTemplate: `Say ${secret('shared')} and {{ text }}`,
      },
    ],
    mail: {
      account: 'me@host.test',
      host: 'imap.host.test',
      auth: {
        oauth2: {
          clientId: 'client',
          clientSecret: secret('client'),
          refreshToken: secret('refresh'),
          tokenUrl: `https://host.test/token?key=${secret('query')}`,
        },
      },
    },
  },
  models: {
    providers: {
      literal: { type: 'anthropic', apiKey: secret('provider') },
      variable: { baseUrl: '${BASE_URL}', apiKey: 'sk-${KEY_PART}' },
    },
  },
  agents: {
    defaults: { model: 'literal/x' },
    list: [
      {
        id: 'main',
        instructions: `Never say ${secret('provider')}.`,
        tools: {
          mcp: {
            a: {
              url: `https://u:${secret('pass')}@host.test/mcp/${secret('path')}/?key=${secret('query')}`,
              headers: { authorization: secret('header'), 'x-plain': secret('other-header') },
            },
            b: { command: 'b', args: ['--api-key', secret('arg'), `--token=${secret('flag')}`] },
          },
        },
      },
      {
        id: 'gate',
        runner: {
          type: 'http',
          baseUrl: 'http://127.0.0.1:9',
          apiKey: secret('gate'),
          headers: { 'x-any': secret('gate-header') },
        },
      },
      {
        id: 'program',
        runner: {
          type: 'command',
          command: 'true',
          args: ['-H', `Authorization: Bearer ${secret('program')}`],
          resumeArgs: ['--resume', '{session}', '--token', secret('resume')],
          sessionIdPath: 'id',
          output: 'json',
        },
      },
    ],
  },
  channels: {
    chan_2: { token: secret('telegram') },
    chan_7: { apiRoot: 'http://mac.test', password: secret('mac') },
    chan_8: {
      provider: 'webhook',
      url: `https://host.test/in/${secret('channel')}`,
      secrets: [SIGNING],
    },
  },
  ops: { metricsToken: secret('metrics') },
};

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function report(service: ServedGateway): Promise<ConfigurationReport> {
  const { status, body } = await service.get(CONFIGURATION);
  expect(status).toBe(200);
  return body as unknown as ConfigurationReport;
}

const configured = (more: object = {}): object => ({
  hooks: { enabled: true, token: HOOK_TOKEN, defaultSessionKey: 'hook:test', ...more },
  agents: { defaults: { runner: { type: 'demo' } } },
});

describe('GET /ops/api/configuration', () => {
  it('shows no secret of any kind, whatever is asked', async () => {
    const variables = {
      HOOK_TOKEN: secret('variable-hook'),
      SHARED: secret('variable-shared'),
      BASE_URL: `http://${secret('variable-base')}.test`,
      KEY_PART: secret('variable-part'),
    };
    const dotenv = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    dir.write('gateway.json5', FULL_OF_SECRETS).write('.env', dotenv.join('\n'));
    await using service = await ServedGateway.start(dir.path);
    const { status, text, body } = await service.get(CONFIGURATION);
    expect(status).toBe(200);
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(SIGNING);
    expect(text).not.toContain('sk-');
    expect(text).not.toContain('sha256:');
    expect(body).toMatchObject({
      configuration: { hooks: { token: '${HOOK_TOKEN}', mail: { host: 'imap.host.test' } } },
      variables: { HOOK_TOKEN: '.env', SHARED: '.env', BASE_URL: '.env', KEY_PART: '.env' },
    });
    const files = { ...FULL_OF_SECRETS, hooks: { ...FULL_OF_SECRETS.hooks, colour: 'red' } };
    dir.replace('gateway.json5', files);
    const broken = await service.get(CONFIGURATION);
    expect((broken.body as unknown as ConfigurationReport).problems).toHaveLength(1);
    expect(broken.text).not.toContain(CANARY);
  });

  it('says which files speak of a section', async () => {
    dir.write('gateway.json5', configured({ token: '${TOKEN}' }));
    mkdirSync(join(dir.path, 'gateway.d'));
    const mappings = [{ id: 'ci', messageTemplate: 'x' }];
    dir.write('gateway.d/ci.json5', { hooks: { mappings, presets: ['gitea'] } });
    const env = { TOKEN: HOOK_TOKEN, GATEWAY_PORT: '4711' };
    await using service = await ServedGateway.start(dir.path, env);
    const { sources, variables, configuration, isDemo } = await report(service);
    expect(isDemo).toBe(false);
    expect(sources['gateway']).toEqual(['defaults', 'GATEWAY_PORT (environment)']);
    expect(sources['hooks']).toEqual(['defaults', 'gateway.json5', 'gateway.d/ci.json5']);
    expect(variables).toEqual({ TOKEN: 'environment' });
    expect(configuration).toMatchObject({
      gateway: { host: '127.0.0.1', port: 4711 },
      hooks: { token: '${TOKEN}', bodyTimeoutSeconds: 30, presets: ['gitea'] },
    });
  });

  it('keeps to what is in force while changed files are refused, and says what is wrong', async () => {
    dir.write('gateway.json5', configured());
    await using service = await ServedGateway.start(dir.path);
    dir.replace('gateway.json5', configured({ maxBodyBytes: 'many', publicUrl: 'https://x.test' }));
    const refused = await report(service);
    expect(refused.problems).toEqual([
      { key: 'hooks.maxBodyBytes', message: expect.stringContaining('must be') },
    ]);
    expect(refused.configuration['hooks']).not.toHaveProperty('maxBodyBytes');
    expect(refused.configuration['hooks']).not.toHaveProperty('publicUrl');
    dir.replace('gateway.json5', '{ hooks: ');
    const [problem] = (await report(service)).problems;
    expect(problem).toEqual({
      key: 'gateway.json5',
      message: expect.stringContaining('is not valid JSON5 (line 1'),
    });
  });

  it('is said in the same words by what needs a person', async () => {
    dir.write('gateway.json5', configured({ token: 'short-but-enough-1' }));
    await using service = await ServedGateway.start(dir.path);
    const { warnings } = await report(service);
    const said = async () =>
      (await service.ask('GET', '/ops/api/attention')).body['items'] as AttentionItem[];
    expect(warnings).toHaveLength(1);
    expect(await said()).toMatchObject(
      warnings.map(({ key, message }) => ({
        kind: 'configuration-warning',
        severity: 'info',
        what: `${key} ${message}`,
      })),
    );
    dir.replace('gateway.json5', configured({ allowedAgentIds: secret('operator') }));
    const [refused] = await eventually('the change is refused', async () => {
      const items = await said();
      return items[0]?.kind === 'configuration-refused' && items;
    });
    const [{ key, message } = { key: '', message: '' }] = (await report(service)).problems;
    expect(refused?.what).toContain(`${key} ${message}`);
    expect(refused?.what).not.toContain(CANARY);
  });

  it('is no longer complained of once a file that others can read is mended, without a reload', async () => {
    const path = join(dir.path, 'gateway.json5');
    dir.write('gateway.json5', configured());
    chmodSync(path, 0o622);
    await using service = await ServedGateway.start(dir.path);
    const said = async () => (await service.ask('GET', '/ops/api/attention')).body['items'];
    expect(await said()).toMatchObject([
      {
        kind: 'configuration-warning',
        what: expect.stringContaining('by other users; run: chmod'),
      },
    ]);
    chmodSync(path, 0o600);
    expect(await said()).toEqual([]);
  });

  it('has what a reload put in force, and what waits for a restart', async () => {
    dir.write('gateway.json5', configured());
    await using service = await ServedGateway.start(dir.path);
    expect(await report(service)).toMatchObject({ restartFor: [], problems: [] });
    const next = { ...configured({ token: 'short-but-enough-1' }), ops: { exposed: true } };
    dir.replace('gateway.json5', next);
    const changed = await eventually('the change is in force', async () => {
      const now = await report(service);
      return now.restartFor.length > 0 && now;
    });
    expect(changed).toMatchObject({
      restartFor: ['ops.exposed'],
      configuration: { ops: { exposed: true } },
      warnings: [{ key: 'hooks.token', message: expect.stringContaining('is shorter than') }],
    });
  });

  it('shows the demo without its tokens', async () => {
    await using service = await ServedGateway.start(dir.path);
    const { isDemo, configuration, sources } = await report(service);
    expect(isDemo).toBe(true);
    expect(configuration['hooks']).toMatchObject({ token: '***' });
    expect(sources['hooks']).toEqual(['defaults', 'demo']);
  });

  it('is 501 where an application configures the hooks', async () => {
    await using service = await OperatedService.start();
    expect(await service.get(CONFIGURATION)).toMatchObject({
      status: 501,
      body: { code: 'no_configuration_files' },
    });
  });
});
