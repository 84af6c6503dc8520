import { HookAuthentication, HooksSettings } from '../../src/hooks/index.ts';
import { GOOD, openIngress, settings } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { Secrets } from '../support/secret-free-log.ts';
import { hmac } from '../support/signed.ts';

/** As long as Asana's and Notion's are. */
const SECRET = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
const NOTION_SECRET = 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl';
const MESSAGE = { messageTemplate: 'an event' };

describe('A secret that arrives by handshake', () => {
  let ingress: Ingress;

  beforeEach(async () => {
    ingress = await openIngress({
      options: {
        mappings: [
          { id: 'asana', ...MESSAGE },
          { id: 'notion', ...MESSAGE },
          { id: 'held', verify: { scheme: 'asana', secrets: ['the-secret-there-is'] }, ...MESSAGE },
        ],
      },
    });
  });

  afterEach(async () => {
    await ingress.close();
    const lines = ingress.log.lines.map((line) => JSON.stringify(line));
    new Secrets(SECRET, NOTION_SECRET).assertAbsentFrom(lines);
  });

  const windows = () => ingress.app.get(HookAuthentication).secretWindows;

  const byAsana = (secret = SECRET, path = 'asana', headers = {}): Promise<Response> =>
    ingress.post(`/hooks/${path}`, {}, { 'x-hook-secret': secret, ...headers });

  /** Past `ingress.post`, which holds every long text of a payload for a secret of the test's own. */
  const byNotion = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${ingress.url}/hooks/notion`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  async function expectRefused(answer: Response, code = 'unauthorized'): Promise<void> {
    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-hook-secret')).toBeNull();
    expect(await answer.json()).toMatchObject({ ok: false, code });
    expect(ingress.intake.requests).toEqual([]);
  }

  it('is refused as ever where no window is open, by default', async () => {
    await expectRefused(await byAsana());
    await expectRefused(await byNotion({ verification_token: NOTION_SECRET }));
    expect(windows().get('asana')).toBeUndefined();
    expect(windows().get('notion')).toBeUndefined();
  });

  it('of Asana is sent back, and kept with where it came from and when', async () => {
    const opened = windows().open('/asana/', 'asana');
    expect(opened).toEqual({
      hook: 'asana',
      scheme: 'asana',
      closesAt: '2026-01-01T00:10:00.000Z',
      taken: null,
    });
    ingress.clock.advance(5000);
    const answer = await byAsana();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-hook-secret')).toBe(SECRET);
    expect(await answer.text()).toBe('');
    expect(ingress.intake.requests).toEqual([]);
    expect(windows().get('asana')).toMatchObject({
      taken: { secret: SECRET, client: '127.0.0.1', at: '2026-01-01T00:00:05.000Z' },
    });
    expect(JSON.stringify(ingress.log.lines)).toContain('it is not used until it is accepted');
  });

  it('of Notion is kept, and answered without it', async () => {
    windows().open('notion', 'notion');
    const answer = await byNotion({ verification_token: NOTION_SECRET });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true });
    expect(ingress.intake.requests).toEqual([]);
    expect(windows().get('notion')?.taken).toMatchObject({ secret: NOTION_SECRET });
  });

  it('has no effect: what is signed with it is refused, before and after it came', async () => {
    windows().open('asana', 'asana');
    await byAsana();
    const body = JSON.stringify({ events: [{ action: 'added' }] });
    const headers = { 'x-hook-signature': hmac('sha256', SECRET, body) };
    await expectRefused(await ingress.post('/hooks/asana', body, headers));
  });

  it('is taken once: the second is refused and changes nothing, opened again or not', async () => {
    windows().open('asana', 'asana');
    await byAsana();
    const other = 'c'.repeat(64);
    await expectRefused(await byAsana(other));
    expect(windows().open('asana', 'asana')).toMatchObject({ taken: { secret: SECRET } });
    await expectRefused(await byAsana(other));
    expect(windows().get('asana')?.taken?.secret).toBe(SECRET);
  });

  it('of many at once is that of the first alone', async () => {
    windows().open('notion', 'notion');
    const tokens = Array.from({ length: 10 }, (_, index) => `secret_${index}`.padEnd(40, 'x'));
    const answers = await Promise.all(
      tokens.map((token) => byNotion({ verification_token: token })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(windows().get('notion')?.taken?.secret).toBe(tokens[statuses.indexOf(200)]);
  });

  it('comes too late after ten minutes', async () => {
    windows().open('asana', 'asana');
    ingress.clock.advance(600_000);
    await expectRefused(await byAsana());
    expect(windows().get('asana')).toBeUndefined();
    expect(windows().isEmpty).toBe(true);
  });

  it.each([-86_400_000, 86_400_000])(
    'is waited for and kept as long as ever, though somebody sets the clock by %i ms',
    async (step) => {
      windows().open('asana', 'asana');
      ingress.clock.jump(step);
      ingress.clock.advance(599_999);
      expect((await byAsana()).status).toBe(200);
      ingress.clock.jump(-step);
      ingress.clock.advance(3_599_999);
      expect(windows().get('asana')?.taken?.secret).toBe(SECRET);
      ingress.clock.advance(1);
      expect(windows().get('asana')).toBeUndefined();
      windows().open('asana', 'asana');
      ingress.clock.jump(step);
      ingress.clock.advance(600_000);
      await expectRefused(await byAsana());
    },
  );

  it('is forgotten an hour after it came, and when the operator discards it', async () => {
    windows().open('asana', 'asana');
    await byAsana();
    ingress.clock.advance(3_599_999);
    expect(windows().get('asana')?.taken?.secret).toBe(SECRET);
    ingress.clock.advance(1);
    expect(windows().get('asana')).toBeUndefined();
    windows().open('asana', 'asana');
    expect(windows().discard('asana')).toBe(true);
    expect(windows().discard('asana')).toBe(false);
    await expectRefused(await byAsana());
  });

  it('is never taken where there is a secret, opened before or not', async () => {
    expect(windows().open('held', 'asana')).toBe('has-secrets');
    await expectRefused(await byAsana(SECRET, 'held'), 'invalid_signature');
    windows().open('asana', 'asana');
    const verify = { scheme: 'asana', secrets: ['the-secret-of-the-operator'] };
    await ingress.app
      .get(HooksSettings)
      .replace(settings({ mappings: [{ id: 'asana', verify, ...MESSAGE }] }));
    await expectRefused(await byAsana(), 'invalid_signature');
    expect(windows().get('asana')?.taken).toBeNull();
  });

  it('is taken for the path of the window only, and by the handshake of its sender only', async () => {
    windows().open('asana', 'asana');
    await expectRefused(await byNotion({ verification_token: NOTION_SECRET }));
    await expectRefused(await byAsana(SECRET, 'asana/x'));
    await expectRefused(await byAsana(SECRET, '%61sana'));
    const answer = await ingress.post('/hooks/asana', { verification_token: NOTION_SECRET }, {});
    await expectRefused(answer);
    expect((await fetch(`${ingress.url}/hooks/asana`)).status).toBe(405);
    expect(windows().get('asana')?.taken).toBeNull();
  });

  it.each(['wake', '/agent/'])('opens no window for %s', (hook) => {
    expect(windows().open(hook, 'asana')).toBe('built-in');
  });

  it.each(['github', 'slack', 'nobody', '__proto__'])('opens no window for a %s', (scheme) => {
    expect(windows().open('asana', scheme)).toBe('no-such-handshake');
    expect(windows().isEmpty).toBe(true);
  });

  it.each([
    'short-secret-15',
    'x'.repeat(257),
    'with a blank in its middle',
    'two-values-of-it, two-values-of-it',
    '<script>alert(1)</script>',
  ])('of Asana is none that is odd, and nothing of it is sent back: %j', async (secret) => {
    windows().open('asana', 'asana');
    await expectRefused(await byAsana(secret));
    expect(windows().get('asana')?.taken).toBeNull();
  });

  it('cannot bring a line of its own into the answer', async () => {
    windows().open('asana', 'asana');
    const socket = ingress.socket();
    const raw = ['POST /hooks/asana HTTP/1.1', 'host: x', 'content-length: 0', 'connection: close'];
    const secret = `x-hook-secret: ${SECRET}\rset-cookie: a=b`;
    socket.end(`${[...raw, secret].join('\r\n')}\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const answer = Buffer.concat(chunks).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 4/);
    expect(answer).not.toContain('a=b');
    expect(windows().get('asana')?.taken).toBeNull();
  });

  it.each([
    ['no JSON', `{"verification_token": "${NOTION_SECRET}"`],
    ['another field', { token: NOTION_SECRET }],
    ['a list', [{ verification_token: NOTION_SECRET }]],
    ['no text', { verification_token: [NOTION_SECRET] }],
    ['too short', { verification_token: 'secret_x' }],
    ['too long', { verification_token: 'x'.repeat(257) }],
    ['with a line break', { verification_token: `${NOTION_SECRET}\nx: y` }],
    ['of a prototype', '{"__proto__": {"verification_token": "secret_of-a-prototype"}}'],
    ['a large body', { verification_token: NOTION_SECRET, more: 'x'.repeat(4096) }],
    ['nothing', ''],
  ])('of Notion is none that is odd: %s', async (_, body) => {
    windows().open('notion', 'notion');
    await expectRefused(await byNotion(body));
    expect(windows().get('notion')?.taken).toBeNull();
  });

  it('opens the hook to nobody: wrong tokens are counted, right ones pass, guesses lock', async () => {
    windows().open('notion', 'notion');
    for (let failures = 0; failures < 20; failures += 1) {
      await expectRefused(await byNotion({ verification_token: 'x' }));
    }
    expect((await byNotion({ verification_token: 'x' })).status).toBe(429);
    const wrong = { authorization: 'Bearer a-wrong-token-of-the-same-length' };
    expect((await byNotion({ verification_token: NOTION_SECRET }, wrong)).status).toBe(429);
    expect(windows().get('notion')?.taken).toBeNull();
    const answer = await byNotion({ verification_token: 'a-field-like-any-other' }, GOOD);
    expect(answer.status).toBe(200);
    expect(ingress.intake.requests.splice(0)).toHaveLength(1);
    expect(windows().get('notion')?.taken).toBeNull();
  });
});
