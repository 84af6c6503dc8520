import { createHash } from 'node:crypto';
import type { TokenReport } from '../../src/service/index.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const TOKENS = '/ops/api/tokens';
const SHORT = 'canary-token-short';
const LONG = 'canary-of-a-sender-with-a-long-token';
const ENDED = 'canary-of-a-sender-whose-token-ended';

let dir: ConfigDirectory;
beforeEach(() => {
  dir = new ConfigDirectory();
  const digest = createHash('sha256').update(LONG).digest('hex');
  const tokens = [
    { id: 'ci', tokens: [`sha256:${digest}`, ENDED], hooks: ['wake'] },
    { id: 'old', token: `${ENDED}-2`, hooks: ['*'], notAfter: '2020-01-01' },
  ];
  dir.write('gateway.json5', {
    hooks: { enabled: true, token: SHORT, tokens, defaultSessionKey: 'hook:x' },
    agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
  });
});
afterEach(() => dir[Symbol.dispose]());

async function listed(service: ServedGateway): Promise<readonly TokenReport[]> {
  const { status, text, body } = await service.get(TOKENS);
  expect(status).toBe(200);
  expect(text).not.toContain('canary');
  expect(text).not.toMatch(/[0-9a-f]{12}/);
  return (body as unknown as { tokens: TokenReport[] }).tokens;
}

describe('GET /ops/api/tokens', () => {
  it('has every token by its place, and what should be done about it', async () => {
    await using service = await ServedGateway.start(dir.path);
    const never = { notAfter: null, isEnded: false, lastUsedAt: null, canRetire: false };
    expect(await listed(service)).toEqual([
      {
        ...never,
        key: 'hooks.token',
        id: null,
        hooks: ['*'],
        warning: expect.stringContaining('is shorter than'),
      },
      { ...never, key: 'hooks.tokens[0].tokens[0]', id: 'ci', hooks: ['wake'], warning: null },
      { ...never, key: 'hooks.tokens[0].tokens[1]', id: 'ci', hooks: ['wake'], warning: null },
      {
        key: 'hooks.tokens[1].token',
        id: 'old',
        hooks: ['*'],
        notAfter: '2020-01-01T23:59:59.999Z',
        isEnded: true,
        lastUsedAt: null,
        canRetire: false,
        warning: expect.stringContaining('ended at'),
      },
    ]);
  });

  it('says when each was last used, over a restart', async () => {
    const before = Date.now();
    const lastUse = async (service: ServedGateway): Promise<string | null | undefined> =>
      (await listed(service)).find(({ key }) => key === 'hooks.tokens[0].tokens[0]')?.lastUsedAt;
    const first = await ServedGateway.start(dir.path);
    await first.post('/hooks/wake', { text: 'x' }, { token: LONG });
    const used = await lastUse(first);
    expect(Date.parse(used ?? '')).toBeGreaterThanOrEqual(before);
    await first[Symbol.asyncDispose]();
    await using second = await ServedGateway.start(dir.path);
    expect(await lastUse(second)).toBe(used);
  });
});
