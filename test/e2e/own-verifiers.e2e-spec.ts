import { createHmac } from 'node:crypto';
import type { SenderVerifier } from '../../src/options.ts';
import { TOKEN, openIngress } from '../support/ingress-host.ts';
import type { Host, Ingress } from '../support/ingress-host.ts';

const SECRET = 'a-secret-that-only-the-application-knows';
const tag = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');
/** The body stands between two parts of its tag, as no row can say it. */
const acme: SenderVerifier = async ({ method, url, headers, body }) =>
  headers['x-acme'] === tag(`${method} ${url} ${body.toString('latin1')}!`);

let ingress: Ingress;
afterEach(() => ingress?.close());

const open = (options: Host['options'] = {}) =>
  openIngress({
    options: {
      verifiers: { acme },
      mappings: [{ id: 'acme', verify: { scheme: 'acme' }, messageTemplate: '{{ a }}' }],
      ...options,
    },
  }).then((opened) => (ingress = opened));

const BODY = '{ "a":1 }';
const signed = (text = BODY) => ({ 'x-acme': tag(`POST /hooks/acme ${text}!`) });

async function expectRefusal(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ ok: false, code });
  expect(ingress.intake.requests).toEqual([]);
}

it('is asked with the bytes as they came, and says who sends', async () => {
  await open();
  expect((await ingress.post('/hooks/acme', BODY, signed())).status).toBe(200);
  expect(ingress.intake.requests).toMatchObject([{ verifiedBy: 'acme', payloadText: BODY }]);
});

it('lets others be served between the verification of a large body and its parsing', async () => {
  const order: string[] = [];
  const verifier: SenderVerifier = () => {
    setImmediate(() => order.push('others'));
    return true;
  };
  await open({ verifiers: { acme: verifier }, maxBodyBytes: 2_000_000 });
  ingress.intake.answer = () => {
    order.push('stored');
    return { outcome: 'paused' };
  };
  const send = (size: number) =>
    ingress.post('/hooks/acme', JSON.stringify({ a: 'x'.repeat(size) }));
  await send(10);
  expect(order).toEqual(['stored', 'others']);
  await send(1_048_569);
  expect(order).toEqual(['stored', 'others', 'others', 'stored']);
});

it.each<[string, string, Record<string, string>]>([
  ['another body', '{ "a":2 }', signed()],
  ['no tag', BODY, {}],
  ['the hook token instead', BODY, { authorization: `Bearer ${TOKEN}` }],
])('lets nothing in with %s', async (_what, body, headers) => {
  await open();
  await expectRefusal(await ingress.post('/hooks/acme', body, headers), 401, 'invalid_signature');
});

it('lets nothing in where it answers anything but true', async () => {
  await open({ verifiers: { acme: (() => 'yes') as never } });
  await expectRefusal(await ingress.post('/hooks/acme', BODY, signed()), 401, 'invalid_signature');
});

it('has the sender try again where it breaks, and the log says why', async () => {
  await open({ verifiers: { acme: () => Promise.reject(new Error('the vault is away')) } });
  await expectRefusal(
    await ingress.post('/hooks/acme', BODY, signed()),
    503,
    'verification_unavailable',
  );
  expect(ingress.log.lines.flat().join()).toContain('the verifier acme broke: the vault is away');
});

it('is looked for by its own name alone', async () => {
  const mappings = [{ id: 'acme', verify: { scheme: 'constructor' }, messageTemplate: 'x' }];
  await expect(open({ mappings })).rejects.toThrow(/is missing; list what the sender signs with/);
});

it.each<[string, Host['options'], RegExp]>([
  [
    'secrets beside it',
    {
      mappings: [
        { id: 'acme', verify: { scheme: 'acme', secrets: [SECRET] }, messageTemplate: 'x' },
      ],
    },
    /verify\.secrets has no meaning where the application verifies acme itself/,
  ],
  [
    'one that is no function',
    { verifiers: { acme: true as never } },
    /verifiers\.acme is no function/,
  ],
])('%s: the start is refused with a sentence', async (_what, options, sentence) => {
  await expect(open(options)).rejects.toThrow(sentence);
});
