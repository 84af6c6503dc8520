import { HookAuthentication, HooksSettings } from '../../src/hooks/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/index.ts';
import { HookTokens, secretName } from '../../src/hooks/http/auth/hook-tokens.ts';
import { writtenDigest } from '../../src/hooks/options/index.ts';
import { GOOD, TOKEN, openIngress, settings } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { byGithub } from '../support/signed.ts';

const CI = 'the-secret-of-the-build-server';
const CI_NEXT = 'the-next-secret-of-the-build-server';
const SHORT = 'sixteen-letters!';

let ingress: Ingress;
beforeAll(async () => {
  ingress = await openIngress();
  // The time of day and the clock that nobody can set are two.
  ingress.clock.jump(86_400_000);
});
beforeEach(() => {
  ingress.intake.requests.splice(0);
  // Remembered failures would lock this address out.
  ingress.clock.advance(3_600_000);
});
afterAll(() => ingress.close());

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const tokens = [{ id: 'ci', tokens: [CI, writtenDigest(CI_NEXT)], hooks: ['deploys', 'wake'] }];

async function status(path: string, headers: Record<string, string>): Promise<number> {
  return (await ingress.post(path, { text: 'x', message: 'x' }, headers)).status;
}

async function statuses(times: number, headers: Record<string, string>): Promise<number[]> {
  const seen: number[] = [];
  for (let time = 0; time < times; time += 1) seen.push(await status('/hooks/wake', headers));
  return seen;
}

function comparisons(): () => number {
  const spy = jest.spyOn(ingress.app.get(HookTokens, { strict: false }), 'find');
  const before = spy.mock.calls.length;
  return () => spy.mock.calls.length - before;
}

function replace(changed: HooksSettingsInput): Promise<void> {
  return ingress.app.get(HooksSettings, { strict: false }).replace(settings(changed));
}

describe('hooks.tokenHeader', () => {
  const own = { 'x-openclaw-token': TOKEN };
  const signed = { scheme: 'github', secrets: ['what-github-signs-with-here'] };
  const mappings = [
    { id: 'plain', messageTemplate: 'x' },
    { id: 'other', tokenHeader: 'x-other', messageTemplate: 'x' },
    { id: 'either', verify: signed, orToken: true, messageTemplate: 'x' },
    { id: 'signed', verify: signed, messageTemplate: 'x' },
    { id: 'any', match: {}, messageTemplate: 'x' },
  ];

  it.each([
    ['wake', own, 200],
    ['agent', own, 200],
    ['plain', own, 200],
    ['unwritten', own, 200],
    ['either', own, 200],
    ['other', { 'x-other': TOKEN }, 200],
    ['other', own, 401],
    ['signed', own, 401],
    ['wake', { 'x-openclaw-token': `${TOKEN}x` }, 401],
    ['wake', { ...own, authorization: 'Bearer wrong' }, 401],
  ])('%s with %j: %s', async (path, headers, expected) => {
    await replace({ tokenHeader: 'X-OpenClaw-Token', mappings });
    expect(await status(`/hooks/${path}`, headers)).toBe(expected);
    expect(ingress.intake.requests).toHaveLength(expected === 200 ? 1 : 0);
  });

  it('is stored of no request, on paths with a header of their own, too', async () => {
    await replace({ tokenHeader: 'X-OpenClaw-Token', mappings });
    expect(await status('/hooks/other', { ...own, 'x-other': TOKEN })).toBe(200);
    expect(JSON.stringify(ingress.intake.requests)).not.toContain('x-openclaw-token');
  });

  it('is shown to nobody, whatever it holds', async () => {
    await replace({ tokenHeader: 'X-OpenClaw-Token', mappings });
    for (const path of ['wake', 'plain', 'unwritten']) {
      const headers = { ...bearer(TOKEN), 'x-openclaw-token': 'something else' };
      expect(await status(`/hooks/${path}`, headers)).toBe(200);
    }
    expect(JSON.stringify(ingress.intake.requests)).not.toContain('something else');
  });

  it('is the place of no proof of a sender that puts its own there', async () => {
    const gitlab = { scheme: 'gitlab-token', secrets: ['what-gitlab-shows-here-every-time'] };
    const both = { id: 'gl', verify: gitlab, orToken: true, messageTemplate: 'x' };
    await replace({ tokenHeader: 'X-Gitlab-Token', mappings: [both] });
    const shown = { 'x-gitlab-token': gitlab.secrets[0]! };
    expect(await status('/hooks/gl', shown)).toBe(200);
    expect(ingress.intake.requests).toMatchObject([{ verifiedBy: 'gitlab-token' }]);
  });
});

describe('several senders (behaviour.md §3)', () => {
  it.each<[string, string, string, number, string | undefined]>([
    ['its first secret', CI, '/hooks/deploys', 200, 'token ci'],
    ['its second, known by the digest', CI_NEXT, '/hooks/deploys', 200, 'token ci'],
    ['slashes around the name', CI, '/hooks/deploys/', 200, 'token ci'],
    ['a built-in hook that it names', CI, '/hooks/wake', 200, 'token ci'],
    ['hooks.token beside it', TOKEN, '/hooks/deploys', 200, 'token'],
    ['another hook', CI, '/hooks/other', 401, undefined],
    ['another built-in hook', CI, '/hooks/agent', 401, undefined],
    ['what only looks like a built-in hook', CI, '/hooks/wake/', 401, undefined],
    ['another case', CI, '/hooks/Deploys', 401, undefined],
    ['no name', CI, '/hooks', 401, undefined],
    ['the digest itself', writtenDigest(CI_NEXT), '/hooks/deploys', 401, undefined],
  ])('%s', async (_title, token, path, expected, verifiedBy) => {
    await replace({ tokens });
    const answer = await ingress.post(path, { text: 'x', message: 'x' }, bearer(token));
    const { code } = JSON.parse(await answer.text());
    expect([answer.status, code]).toEqual([
      expected,
      expected === 401 ? 'unauthorized' : undefined,
    ]);
    expect(ingress.intake.requests.map((request) => request.verifiedBy)).toEqual(
      verifiedBy === undefined ? [] : [verifiedBy],
    );
    expect(JSON.stringify(ingress.log.lines)).not.toContain(token);
  });

  it('works without hooks.token', async () => {
    await replace({ token: undefined, tokens });
    expect(await status('/hooks/deploys', bearer(CI))).toBe(200);
    expect(await status('/hooks/deploys', GOOD)).toBe(401);
    expect(ingress.intake.requests).toHaveLength(1);
  });

  it('a token for another hook counts as a failure, and the operator is told why', async () => {
    await replace({ tokens, authFailures: { limit: 1 } });
    const authentication = ingress.app.get(HookAuthentication, { strict: false });
    const { current } = ingress.app.get(HooksSettings, { strict: false });
    const verify = async (hook?: string): Promise<string> =>
      authentication.verify(bearer(CI), '10.0.0.1', current, hook === undefined ? {} : { hook });
    await expect(verify('other')).rejects.toMatchObject({
      code: 'unauthorized',
      known: { verifiedBy: 'token ci', reason: 'token ci may not speak to this hook' },
    });
    await expect(verify('other')).rejects.toMatchObject({ code: 'too_many_auth_failures' });
    // On a route of the host's own only a token for every hook is right.
    await expect(verify()).rejects.toMatchObject({ code: 'too_many_auth_failures' });
    await expect(verify('deploys')).resolves.toBe('token ci');
  });

  it('notAfter ends it, at its moment and without a restart', async () => {
    const end = ingress.clock.now() + 60_000;
    await replace({ tokens: [{ ...tokens[0]!, notAfter: new Date(end).toISOString() }] });
    ingress.clock.advance(60_000);
    expect(await status('/hooks/deploys', bearer(CI))).toBe(200);
    ingress.clock.advance(1);
    expect(await status('/hooks/deploys', bearer(CI))).toBe(401);
    expect(ingress.intake.requests).toHaveLength(1);
  });

  it('a rotation loses no request: both count, then only the new one', async () => {
    await replace({ tokens: [{ id: 'ci', token: CI, hooks: ['*'] }] });
    expect(await status('/hooks/x', bearer(CI))).toBe(200);
    await replace({ tokens: [{ id: 'ci', tokens: [CI, CI_NEXT], hooks: ['*'] }] });
    expect([
      await status('/hooks/x', bearer(CI)),
      await status('/hooks/x', bearer(CI_NEXT)),
    ]).toEqual([200, 200]);
    await replace({ tokens: [{ id: 'ci', token: CI_NEXT, hooks: ['*'] }] });
    expect([
      await status('/hooks/x', bearer(CI)),
      await status('/hooks/x', bearer(CI_NEXT)),
    ]).toEqual([401, 200]);
    expect(ingress.intake.requests).toHaveLength(4);
  });

  it('remembers when each secret and each sender was last used, and nothing of one that was refused', async () => {
    await replace({ tokens });
    await status('/hooks/deploys', bearer(CI));
    const { lastUses } = ingress.app.get(HookAuthentication, { strict: false });
    const uses = () =>
      [secretName(CI), 'token ci', secretName(CI_NEXT)].map((of) => lastUses.get(of));
    const used = [ingress.clock.now(), ingress.clock.now(), uses()[2]];
    expect(uses()).toEqual(used);
    ingress.clock.advance(1);
    await status('/hooks/other', bearer(CI_NEXT));
    expect(uses()).toEqual(used);
  });
});

describe('hooks.endpoints', () => {
  it('switches a built-in hook off: 404, for a right token only', async () => {
    await replace({ endpoints: { wake: false, agent: false }, mappings: [] });
    expect(await status('/hooks/wake', GOOD)).toBe(404);
    expect(await status('/hooks/agent', GOOD)).toBe(404);
    expect(await status('/hooks/wake', bearer('wrong'))).toBe(401);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('leaves its name to a mapping', async () => {
    const mappings = [{ id: 'mine', match: { path: 'wake' }, messageTemplate: 'told {{ text }}' }];
    await replace({ mappings, endpoints: { wake: false } });
    expect(await status('/hooks/wake', GOOD)).toBe(200);
    expect(ingress.intake.requests).toMatchObject([{ actions: [{ message: 'told x' }] }]);
    expect(await status('/hooks/agent', GOOD)).toBe(200);
  });

  it('leaves its name to a mapping whose sender signs, and then no token opens it', async () => {
    const secret = 'the-secret-that-github-signs-with';
    const verify = { scheme: 'github', secrets: [secret] };
    const mappings = [{ id: 'wake', verify, messageTemplate: 'told' }];
    await replace({ mappings, endpoints: { wake: false } });
    const refused = await ingress.post('/hooks/wake', '{}', GOOD);
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { code: 'invalid_signature' },
    ]);
    expect(ingress.intake.requests).toEqual([]);
    expect((await ingress.post('/hooks/wake', '{}', byGithub(secret, '{}'))).status).toBe(200);
    expect(ingress.intake.requests).toMatchObject([{ verifiedBy: 'github' }]);
  });
});

describe('guessing is slow', () => {
  it('a short token is compared once a second behind a lock, however many come', async () => {
    await replace({ token: SHORT });
    const compared = comparisons();
    expect(await statuses(20, bearer('a-wrong-guess'))).toEqual(Array<number>(20).fill(401));
    expect(compared()).toBe(20);
    expect(await statuses(50, bearer('a-wrong-guess'))).toEqual(Array<number>(50).fill(429));
    expect(compared()).toBe(21);
    expect(await status('/hooks/wake', bearer(SHORT))).toBe(429);
    expect(compared()).toBe(21);
    expect(ingress.intake.requests).toEqual([]);
    ingress.clock.advance(1000);
    expect(await status('/hooks/wake', bearer(SHORT))).toBe(200);
    expect(compared()).toBe(22);
  });

  it('what comes all at once does not outrun the count', async () => {
    await replace({ token: SHORT });
    const compared = comparisons();
    const socket = ingress.socket();
    const guess = `POST /hooks/wake HTTP/1.1\r\nhost: h\r\nauthorization: Bearer a-wrong-guess\r\ncontent-length: 0\r\n\r\n`;
    const answered = new Promise<number>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
        const count = text.split('HTTP/1.1 4').length - 1;
        if (count >= 200) resolve(count);
      });
    });
    socket.write(guess.repeat(200));
    expect(await answered).toBe(200);
    socket.destroy();
    expect(compared()).toBeLessThanOrEqual(21);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('a long token never waits, nor does anybody behind the same address', async () => {
    await replace({ tokens });
    await statuses(30, bearer('wrong'));
    for (let time = 0; time < 5; time += 1) {
      expect(await status('/hooks/deploys', bearer(CI))).toBe(200);
    }
    expect(ingress.intake.requests).toHaveLength(5);
  });

  it('a sender of one hook does not clear the count with which it could guess other tokens', async () => {
    await replace({ tokens });
    await statuses(19, bearer('wrong'));
    expect(await status('/hooks/deploys', bearer(CI))).toBe(200);
    expect(await statuses(2, bearer('wrong'))).toEqual([401, 429]);
  });

  it('a digest of a short token opens nothing', async () => {
    const short = [{ id: 'x', token: writtenDigest('zq'), hooks: ['*'] }];
    await replace({ tokens: short });
    expect(await status('/hooks/wake', bearer('zq'))).toBe(401);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('is told, once an hour, when all failures come from one address', async () => {
    await replace({ trustedProxies: ['127.0.0.1'], authFailures: { limit: 2 } });
    ingress.log.lines.splice(0);
    const from = (client: string) => ({ ...bearer('wrong'), 'x-forwarded-for': client });
    const told = (): unknown[] =>
      ingress.log.lines.filter(([line]) => String(line).includes('name it in trustedProxies'));
    await statuses(5, from('10.0.0.1'));
    expect(told()).toHaveLength(1);
    expect(String(told()[0])).toContain('10.0.0.1');
    ingress.clock.advance(120_000);
    await statuses(5, from('10.0.0.1'));
    expect(told()).toHaveLength(1);
    ingress.clock.advance(3_600_000);
    await statuses(1, from('10.0.0.2'));
    await statuses(5, from('10.0.0.1'));
    expect(told()).toHaveLength(1);
  });
});
