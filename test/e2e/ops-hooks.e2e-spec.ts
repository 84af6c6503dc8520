import type { HookReport, Hooks } from '../../src/service/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const CANARIES = {
  hookToken: 'canary-hook-token-of-good-length',
  senderToken: 'canary-sender-token-of-good-length',
  ended: 'canary-ended-token-of-good-length',
  github: 'canary-github-secret-of-good-length',
  verifyToken: 'canary-verify-token',
};
const CONFIGURATION = {
  hooks: {
    enabled: true,
    token: CANARIES.hookToken,
    tokens: [
      { id: 'builds', token: CANARIES.senderToken, hooks: ['ci', 'grafana'] },
      { id: 'old', token: CANARIES.ended, hooks: ['*'], notAfter: '2020-01-01' },
    ],
    publicUrl: 'https://hooks.example.org/in',
    defaultSessionKey: 'hook:test',
    endpoints: { agent: false },
    presets: ['github', 'grafana'],
    mappings: [
      { id: 'ci', tokenHeader: 'X-CI', textTemplate: 'Build {{ number }}', action: 'wake' },
      { id: 'ci-2', match: { path: 'ci' }, when: { 'payload.a': 1 } },
      { id: 'late', match: { path: 'deploy/late' }, action: 'ignore' },
      {
        id: 'github',
        verify: { secrets: [CANARIES.github], verifyToken: CANARIES.verifyToken },
      },
      { id: 'rest', match: { source: 'anything' }, action: 'ignore' },
    ],
  },
  agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
};

let dir: ConfigDirectory;
let service: ServedGateway;
beforeAll(async () => {
  dir = new ConfigDirectory();
  dir.write('gateway.json5', CONFIGURATION);
  service = await ServedGateway.start(dir.path);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  dir[Symbol.dispose]();
});

async function listed(): Promise<Hooks> {
  const { status, body } = await service.get('/ops/api/hooks');
  expect(status).toBe(200);
  return body as unknown as Hooks;
}

async function hook(name: string | null): Promise<HookReport> {
  const { hooks } = await listed();
  return hooks.find((one) => one.name === name)!;
}

describe('GET /ops/api/hooks', () => {
  it('has every way in that there is, once', async () => {
    const { isEnabled, hooks } = await listed();
    expect(isEnabled).toBe(true);
    expect(hooks.map(({ name, path }) => [name, path])).toEqual([
      ['wake', '/hooks/wake'],
      ['ci', '/hooks/ci'],
      ['deploy/late', '/hooks/deploy/late'],
      [null, null],
      ['github', '/hooks/github'],
      ['grafana', '/hooks/grafana'],
    ]);
  });

  it('says what verifies each of them, tokens by their names', async () => {
    const { hooks } = await listed();
    const proofs = hooks.map(({ name, verification }) => [name, verification]);
    const none = { scheme: null, signer: null, tokenHeader: null, secretHeader: null };
    const byToken = { ...none, tokens: ['token'], sendable: 'token' };
    expect(Object.fromEntries(proofs)).toEqual({
      wake: byToken,
      ci: { ...byToken, tokens: ['token', 'token builds'], tokenHeader: 'x-ci' },
      'deploy/late': byToken,
      null: { ...byToken, sendable: null },
      github: { ...none, scheme: 'github', signer: 'GitHub', tokens: [], sendable: 'signed' },
      grafana: { ...byToken, tokens: ['token', 'token builds'] },
    });
  });

  it('has the address and the steps for the sender of a preset, and no secret', async () => {
    const github = await hook('github');
    expect(github).toMatchObject({
      preset: 'github',
      sender: 'GitHub',
      url: 'https://hooks.example.org/in/hooks/github',
    });
    expect(github.mappings.length).toBeGreaterThan(3);
    expect(github.steps.join(' ')).toContain('https://hooks.example.org/in/hooks/github');
    expect(github.steps.join(' ')).toContain('<its secret>');
    expect((await hook('grafana')).steps.join(' ')).toContain('<its token>');
    expect(await hook('ci')).toMatchObject({ preset: null, sender: null, steps: [] });
    const { text } = await service.get('/ops/api/hooks');
    for (const canary of Object.values(CANARIES)) expect(text).not.toContain(canary);
  });

  it('counts what was accepted and refused, and says when it was last used', async () => {
    expect(await hook('ci')).toMatchObject({ lastUsedAt: null, accepted: 0, refused: 0 });
    const before = Date.now();
    await service.post('/hooks/ci', { number: 1 });
    await service.post('/hooks/ci/', { number: 2 });
    await service.post('/hooks/deploy/late', {});
    await service.post('/hooks/github', {});
    await service.post('/hooks/ci', {}, { token: 'a-wrong-token-of-good-length' });
    const ci = await eventually('the refusal is kept', async () => {
      const now = await hook('ci');
      return now.refused > 0 && (await hook('github')).refused > 0 && now;
    });
    expect(ci).toMatchObject({ accepted: 2, refused: 1, statuses: { done: 2 } });
    expect(Date.parse(ci.lastUsedAt ?? '')).toBeGreaterThanOrEqual(before);
    expect(await hook('deploy/late')).toMatchObject({ accepted: 1, refused: 0 });
    expect(await hook('github')).toMatchObject({ accepted: 0, refused: 1, lastUsedAt: null });
    expect(await hook(null)).toMatchObject({ accepted: null, lastUsedAt: null });
  });
});
