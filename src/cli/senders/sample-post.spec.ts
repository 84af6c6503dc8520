import { HooksSettings, presets, readSample } from '../../hooks/index.ts';
import type { MappingOptions, Preset, Sample } from '../../hooks/index.ts';
import { compileVerifier } from '../../hooks/http/auth/signatures/index.ts';
import type { HookPost } from '../../service/index.ts';
import { samplePost } from './sample-post.ts';
import type { SampleSending } from './sample-post.ts';

const NOW = Date.UTC(2026, 10, 22);
const PUBLIC_URL = 'https://hooks.example.org/in';
const SECRET = 'user:password-of-good-length-and-more';
const JSON_SAMPLE: Sample = { source: 'nobody', headers: { 'x-event': 'a' }, body: { a: 1 } };
const FORM: Sample = {
  source: 'nobody',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  text: 'Body=Hi&From=%2B1',
};

const preset: Preset = Object.assign({}, presets.get('generic')!, {
  id: 'sender',
  match: { path: 'sender' },
});

function post(
  mapping: Partial<MappingOptions>,
  { sample = JSON_SAMPLE, ...given }: Partial<SampleSending> & { sample?: Sample } = {},
): HookPost {
  const settings = new HooksSettings({
    enabled: true,
    token: 'a-hook-token-of-good-length',
    publicUrl: PUBLIC_URL,
    mappings: [{ id: 'sender', match: { path: 'sender' }, messageTemplate: 'x', ...mapping }],
  }).current;
  const service = { url: new URL('http://127.0.0.1:18790'), hooksPath: '/hooks', isOwn: true };
  return samplePost(preset, sample, {
    settings,
    service,
    idempotencyKey: undefined,
    now: NOW,
    ...given,
  });
}

async function verified(
  scheme: string,
  { headers, body, name, query }: HookPost,
): Promise<unknown> {
  const verifier = compileVerifier({ scheme, secrets: [SECRET] }, { publicUrl: PUBLIC_URL });
  if ('problems' in verifier) throw new Error(JSON.stringify(verifier.problems));
  const parameters = String(new URLSearchParams(query));
  const url = `/hooks/${name}${parameters === '' ? '' : `?${parameters}`}`;
  return verifier.verify({ method: 'POST', url, headers, body }, NOW);
}

function verify(scheme: string): Pick<MappingOptions, 'verify'> {
  return { verify: { scheme, secrets: [SECRET, 'user:an-older-one-of-good-length'] } };
}

describe('samplePost', () => {
  it.each(['github', 'stripe', 'slack', 'mailgun', 'netlify', 'telegram', 'twilio', 'trello'])(
    'is believed where %s signs',
    async (scheme) => {
      const made = post(verify(scheme));
      expect(made.isSigned).toBe(true);
      expect(made.headers).toMatchObject({ 'x-event': 'a' });
      expect(await verified(scheme, made)).toMatchObject({ scheme });
    },
  );

  it('has the headers of one family of Shopify, the topic of the sample, and one id', () => {
    const sample = readSample('shopify', 'orders.create')!;
    const { headers } = post(verify('shopify'), { sample });
    const own = Object.keys(headers).filter((name) => name.includes('shopify'));
    expect(own.filter((name) => !name.startsWith('x-shopify-'))).toEqual([]);
    expect(headers).toMatchObject({
      'x-shopify-hmac-sha256': expect.any(String),
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'acme-tea.myshopify.com',
      'x-shopify-api-version': '2024-10',
      'x-shopify-webhook-id': expect.not.stringContaining('8a95126f'),
    });
  });

  it('is believed as a form, whose type stays', async () => {
    const made = post({ ...verify('twilio'), body: 'form' }, { sample: FORM });
    expect(made.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(made.query).toEqual({});
    expect(await verified('twilio', made)).toMatchObject({ scheme: 'twilio' });
  });

  it('keeps what the sample says', () => {
    expect(JSON.parse(String(post({}).body))).toEqual(JSON_SAMPLE.body);
    expect(String(post({}, { sample: FORM }).body)).toMatch(/^Body=Hi&From=%2B1&sample=[\w-]+$/);
  });

  it.each([JSON_SAMPLE, FORM])('is another text each time, unless a key is given', (sample) => {
    const [first, second] = [post({}, { sample }), post({}, { sample })];
    expect(first?.body).not.toEqual(second?.body);
    expect(first?.headers['idempotency-key']).not.toBe(second?.headers['idempotency-key']);
    const again = [
      post({}, { sample, idempotencyKey: 'k' }),
      post({}, { sample, idempotencyKey: 'k' }),
    ];
    expect(again[0]).toEqual(again[1]);
  });

  it('takes the hook token where nothing is signed', () => {
    expect(post({}).isSigned).toBeUndefined();
  });

  it('goes to the path that the operator gave it', () => {
    expect(post({ match: { path: '/other/' } }).name).toBe('other');
  });

  const abroad = { url: new URL('https://elsewhere.example'), hooksPath: '/hooks', isOwn: false };

  it.each(['telegram', 'postmark', 'ms-graph'])(
    'never sends the secret of %s to another machine',
    (scheme) => {
      expect(() => post(verify(scheme), { service: abroad })).toThrow(
        /not sent to another machine/,
      );
    },
  );

  it('signs for another machine where only the signature goes there', async () => {
    const made = post(verify('github'), { service: abroad });
    expect(await verified('github', made)).toMatchObject({ scheme: 'github' });
    expect(JSON.stringify(made)).not.toContain(SECRET);
  });

  it('cannot speak as a sender with a private key, unless a token does', () => {
    const discord = { verify: { scheme: 'discord', secrets: ['ab'.repeat(32)] } };
    expect(() => post(discord)).toThrow(/Only Discord/);
    expect(post({ ...discord, orToken: true }).isSigned).toBeUndefined();
  });
});
