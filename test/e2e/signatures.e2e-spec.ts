import { GOOD, TOKEN, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { byGithub, bySlack } from '../support/signed.ts';

const SECRET = 'the-secret-that-github-signs-with';
const OLD_SECRET = 'the-secret-before-it-was-replaced';
const BODY = '{"action":"opened"}';

const basic = (pair: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});

describe('A hook whose sender signs', () => {
  let ingress: Ingress;

  beforeAll(async () => {
    ingress = await openIngress({
      options: {
        mappings: [
          {
            id: 'github',
            verify: { scheme: 'github', secrets: [SECRET, OLD_SECRET] },
            messageTemplate: '{{ action }}',
          },
          { id: 'slack', verify: { scheme: 'slack', secrets: [SECRET] }, messageTemplate: 'x' },
          {
            id: 'either',
            verify: { scheme: 'github', secrets: [SECRET] },
            orToken: true,
            tokenHeader: 'X-Own-Token',
            messageTemplate: '{{ headers.x-own-token }}hello',
          },
          {
            id: 'basic',
            verify: { scheme: 'postmark', secrets: ['postmark:its-own-password'] },
            orToken: true,
            messageTemplate: 'x',
          },
          { id: 'plain', tokenHeader: 'x-own-token', messageTemplate: 'hello' },
          { id: 'any', match: {}, messageTemplate: 'any' },
        ],
      },
    });
  });
  afterEach(() => void ingress.intake.requests.splice(0));
  afterAll(() => ingress.close());

  async function expectRefusal(answer: Response, status: number, code: string): Promise<void> {
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ ok: false, error: expect.any(String), code });
    expect(ingress.intake.requests).toEqual([]);
  }

  it.each([SECRET, OLD_SECRET])('200 for a body signed with any of its secrets', async (secret) => {
    const answer = await ingress.post('/hooks/github', BODY, {
      ...byGithub(secret, BODY),
      'x-github-delivery': 'd-1',
    });
    expect(answer.status).toBe(200);
    expect(ingress.intake.requests).toEqual([
      expect.objectContaining({ verifiedBy: 'github', payloadText: BODY, name: 'github' }),
    ]);
    expect(JSON.stringify(ingress.intake.requests)).not.toContain('sha256=');
  });

  it.each<[string, Record<string, string>]>([
    ['another secret', byGithub('somebody-elses-secret', BODY)],
    ['other bytes', byGithub(SECRET, `${BODY} `)],
    ['nothing', {}],
    ['nonsense', { 'x-hub-signature-256': 'sha256=zz' }],
    ['the hook token alone', GOOD],
  ])('401 invalid_signature for %s, and nothing is stored', async (_name, headers) => {
    const answer = await ingress.post('/hooks/github', BODY, headers);
    expect(answer.headers.get('www-authenticate')).toBe('Signature');
    await expectRefusal(answer, 401, 'invalid_signature');
  });

  it.each(['/hooks/github/', '/hooks//github', '/hooks///github//'])(
    'no spelling leads around it: %s',
    async (path) => {
      await expectRefusal(await ingress.post(path, BODY, GOOD), 401, 'invalid_signature');
    },
  );

  it('verifies the bytes as they came, before anybody parses them', async () => {
    const odd = Buffer.from('\ufeff{ "action" : 1.0, "action":"\\u0041" }\n').toString();
    const answer = await ingress.post('/hooks/github', odd, byGithub(SECRET, odd));
    expect(answer.status).toBe(200);
    const wrong = await ingress.post('/hooks/github', '{', byGithub('not-the-secret', '{'));
    ingress.intake.requests.splice(0);
    await expectRefusal(wrong, 401, 'invalid_signature');
    await expectRefusal(
      await ingress.post('/hooks/github', '{', byGithub(SECRET, '{')),
      400,
      'invalid_json',
    );
  });

  it('401 for a right signature that is too old', async () => {
    const now = ingress.clock.now();
    const fresh = bySlack(SECRET, BODY, now - 299_000);
    expect((await ingress.post('/hooks/slack', BODY, fresh)).status).toBe(200);
    ingress.intake.requests.splice(0);
    const stale = bySlack(SECRET, BODY, now - 301_000);
    await expectRefusal(await ingress.post('/hooks/slack', BODY, stale), 401, 'invalid_signature');
  });

  it('takes a token, too, where it says so, and never shows the header it came in', async () => {
    const own = { 'x-own-token': GOOD.authorization.slice('Bearer '.length) };
    for (const headers of [GOOD, own, byGithub(SECRET, BODY)]) {
      expect((await ingress.post('/hooks/either', BODY, headers)).status).toBe(200);
    }
    expect(ingress.intake.requests.map(({ verifiedBy }) => verifiedBy)).toEqual([
      'token',
      'token',
      'github',
    ]);
    expect(JSON.stringify(ingress.intake.requests)).not.toContain(own['x-own-token']);
    expect((await ingress.post('/hooks/plain', BODY, own)).status).toBe(200);
    ingress.intake.requests.splice(0);
    await expectRefusal(await ingress.post('/hooks/any', BODY, own), 401, 'unauthorized');
    await expectRefusal(
      await ingress.post('/hooks/either', BODY, { authorization: 'Bearer wrong' }),
      401,
      'unauthorized',
    );
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['what its sender proves itself by', basic('postmark:its-own-password'), 200, 'postmark'],
    ['another password', basic('postmark:wrong'), 401, 'invalid_signature'],
    ['the token', GOOD, 200, 'token'],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401, 'unauthorized'],
    ['the token as a password', basic(`x:${TOKEN}`), 401, 'invalid_signature'],
  ])('Basic belongs to the sender that is known by it: %s', async (_name, headers, status, is) => {
    const answer = await ingress.post('/hooks/basic', BODY, headers);
    if (status !== 200) return expectRefusal(answer, status, is);
    expect(answer.status).toBe(200);
    expect(ingress.intake.requests).toEqual([expect.objectContaining({ verifiedBy: is })]);
  });

  it('locks nobody out: a thousand wrong signatures, and ten right ones from the same address', async () => {
    const wrong = byGithub('not-the-secret', BODY);
    const right = byGithub(SECRET, BODY);
    const statuses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all([
        ...Array.from({ length: 100 }, () => ingress.post('/hooks/github', BODY, wrong)),
        ingress.post('/hooks/github', BODY, right),
      ]);
      statuses.push(...answers.map(({ status }) => status));
      await Promise.all(answers.map((answer) => answer.text()));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(1000);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(ingress.intake.requests).toHaveLength(10);
    expect((await ingress.post('/hooks/any', BODY)).status).toBe(200);
  });
});
