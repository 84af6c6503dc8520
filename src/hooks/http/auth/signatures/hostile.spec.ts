import { createHmac, hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  deliver,
  isAccepted,
  NOW,
  senderOf,
  TARGET,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { schemes } from './index.ts';
import type { SignatureFault, SignedRequest } from './index.ts';

const HEX = 'a'.repeat(64);
const BASE64 = `${'A'.repeat(43)}=`;
const SECONDS = String(NOW / 1000);
const LONG = 'a'.repeat(1_000_000);

function changed(id: string, headers: IncomingHttpHeaders, body?: Buffer): SignedRequest {
  const scheme = schemes.get(id)!;
  const request = deliver(scheme, senderOf(scheme).toSign);
  return { ...request, headers: { ...request.headers, ...headers }, body: body ?? request.body };
}

const verifierOf = (id: string): ReturnType<typeof verifierFor> =>
  verifierFor(senderOf(schemes.get(id)!).options);

describe('a head that no sender makes', () => {
  it.each<[string, string, IncomingHttpHeaders, SignatureFault]>([
    ['nothing', 'github', { 'x-hub-signature-256': undefined }, 'missing'],
    ['a blank header', 'github', { 'x-hub-signature-256': '  ' }, 'missing'],
    ['no prefix', 'github', { 'x-hub-signature-256': HEX }, 'malformed'],
    ['another prefix', 'github', { 'x-hub-signature-256': `sha1=${HEX}` }, 'malformed'],
    [
      'a prefix in other letters',
      'github',
      { 'x-hub-signature-256': `SHA256=${HEX}` },
      'malformed',
    ],
    ['no hex', 'github', { 'x-hub-signature-256': `sha256=${'g'.repeat(64)}` }, 'malformed'],
    ['half a byte', 'github', { 'x-hub-signature-256': `sha256=${HEX}a` }, 'malformed'],
    ['too short', 'github', { 'x-hub-signature-256': `sha256=${HEX.slice(2)}` }, 'malformed'],
    ['too long', 'github', { 'x-hub-signature-256': `sha256=${HEX}aa` }, 'malformed'],
    ['an empty signature', 'github', { 'x-hub-signature-256': 'sha256=' }, 'malformed'],
    [
      'two headers',
      'github',
      { 'x-hub-signature-256': `sha256=${HEX}, sha256=${HEX}` },
      'malformed',
    ],
    ['a megabyte', 'github', { 'x-hub-signature-256': `sha256=${LONG}` }, 'malformed'],
    ['a blank inside', 'shopify', { 'x-shopify-hmac-sha256': `${BASE64} ${BASE64}` }, 'malformed'],
    ['no padding', 'shopify', { 'x-shopify-hmac-sha256': BASE64.slice(0, -1) }, 'malformed'],
    [
      'bits behind the last byte',
      'shopify',
      { 'x-shopify-hmac-sha256': `${'A'.repeat(42)}B=` },
      'malformed',
    ],
    [
      'Base64 for URLs',
      'shopify',
      { 'x-shopify-hmac-sha256': BASE64.replaceAll('A', '-') },
      'malformed',
    ],
    ['an empty list', 'stripe', { 'stripe-signature': ',' }, 'malformed'],
    ['a list without a signature', 'stripe', { 'stripe-signature': `t=${SECONDS}` }, 'malformed'],
    [
      'a list of older ones',
      'stripe',
      { 'stripe-signature': `t=${SECONDS},v0=${HEX}` },
      'malformed',
    ],
    ['a list without a time', 'stripe', { 'stripe-signature': `v1=${HEX}` }, 'missing'],
    [
      'two times in a list',
      'stripe',
      { 'stripe-signature': `t=${SECONDS},t=1,v1=${HEX}` },
      'malformed',
    ],
    [
      '10,000 items',
      'stripe',
      { 'stripe-signature': `t=${SECONDS}${',v1=aa'.repeat(10_000)}` },
      'malformed',
    ],
    [
      '40 short items',
      'stripe',
      { 'stripe-signature': `t=${SECONDS}${`,v1=${HEX}`.repeat(40)}` },
      'malformed',
    ],
    ['no time', 'slack', { 'x-slack-request-timestamp': undefined }, 'missing'],
    ['two times', 'slack', { 'x-slack-request-timestamp': `${SECONDS}, 1` }, 'malformed'],
    ['a time with a sign', 'slack', { 'x-slack-request-timestamp': `+${SECONDS}` }, 'malformed'],
    ['a time in hex', 'slack', { 'x-slack-request-timestamp': '0x659A' }, 'malformed'],
    ['a time of a float', 'slack', { 'x-slack-request-timestamp': `${SECONDS}.5` }, 'malformed'],
    ['an endless time', 'slack', { 'x-slack-request-timestamp': '9'.repeat(400) }, 'malformed'],
    ['a time of the year 5138', 'slack', { 'x-slack-request-timestamp': '99999999999' }, 'stale'],
    ['milliseconds of 1973', 'slack', { 'x-slack-request-timestamp': '100000000000' }, 'stale'],
    ['20 digits', 'slack', { 'x-slack-request-timestamp': `${NOW}0000000` }, 'malformed'],
    [
      'half a date',
      'zendesk',
      { 'x-zendesk-webhook-signature-timestamp': '2027-01-15' },
      'malformed',
    ],
    [
      'a day that is none',
      'zendesk',
      { 'x-zendesk-webhook-signature-timestamp': '2027-13-45T12:00:00Z' },
      'malformed',
    ],
    ['no id', 'svix', { 'svix-id': undefined }, 'missing'],
    ['an id with a blank', 'svix', { 'svix-id': 'msg 1' }, 'malformed'],
    ['a long id', 'svix', { 'svix-id': 'm'.repeat(257) }, 'malformed'],
    [
      'a token of no algorithm',
      'netlify',
      { 'x-webhook-signature': webToken('none') },
      'malformed',
    ],
    [
      'a token of a public key',
      'netlify',
      { 'x-webhook-signature': webToken('RS256') },
      'malformed',
    ],
    ['a token in two parts', 'netlify', { 'x-webhook-signature': 'e30.e30' }, 'malformed'],
    [
      'a token that is over',
      'netlify',
      { 'x-webhook-signature': webToken('HS256', { exp: 1 }) },
      'stale',
    ],
    ['a scheme that is not Basic', 'postmark', { authorization: 'Bearer x' }, 'malformed'],
    ['Basic without Base64', 'postmark', { authorization: 'Basic user:word' }, 'malformed'],
    ['another password', 'postmark', { authorization: 'Basic dXNlcjpwYXNz' }, 'mismatch'],
    ['another secret', 'telegram', { 'x-telegram-bot-api-secret-token': 'x' }, 'mismatch'],
    [
      'a secret of a megabyte',
      'telegram',
      { 'x-telegram-bot-api-secret-token': LONG },
      'malformed',
    ],
    [
      'a certificate of another host',
      'paypal',
      { 'paypal-cert-url': 'https://api.paypal.com.example.org/v1/notifications/certs/CERT-1' },
      'malformed',
    ],
    [
      'an algorithm that nobody lists',
      'paypal',
      { 'paypal-auth-algo': 'constructor' },
      'malformed',
    ],
  ])('%s (%s)', async (_title, id, headers, fault) => {
    const request = changed(id, headers);
    const verifier = verifierOf(id);
    expect(verifier.checkHead(request, NOW)).toBe(fault);
    expect(await verifier.verify(request, NOW)).toBe(fault);
  });

  it('does not let an answer to a later proof mend a wrong one to an earlier', async () => {
    // x-gitea-signature is right; x-forgejo-signature decides, since it is there.
    const gitea = verifierOf('gitea');
    const { options } = senderOf(schemes.get('gitea')!);
    const body = Buffer.from('{}');
    const right = createHmac('sha256', options.secrets.join()).update(body).digest('hex');
    const request = { method: 'POST', url: TARGET, body, headers: { 'x-gitea-signature': right } };
    expect(await isAccepted(gitea, request)).not.toBeNull();
    const headers = { ...request.headers, 'x-forgejo-signature': HEX };
    expect(await gitea.verify({ ...request, headers }, NOW)).toBe('mismatch');
  });
});

function webToken(alg: string, claims: object = {}): string {
  const { toSign } = senderOf(schemes.get('netlify')!);
  const signed = [{ alg }, { iss: 'netlify', sha256: hash('sha256', toSign.body), ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', toSign.secret).update(signed).digest('base64url')}`;
}

describe('a body that no sender makes', () => {
  const deep = Buffer.from('['.repeat(100_000));
  const graph = (items: unknown): Buffer => Buffer.from(JSON.stringify({ value: items }));
  const mine = { clientState: 'a-secret-of-its-own' };

  it.each<[string, string, Buffer, SignatureFault]>([
    ['no JSON', 'mailgun', Buffer.from('{'), 'missing'],
    ['JSON without end', 'mailgun', deep, 'missing'],
    ['no signature', 'mailgun', Buffer.from('{"signature":{}}'), 'missing'],
    [
      'a signature that is no text',
      'mailgun',
      Buffer.from('{"signature":{"signature":[]}}'),
      'missing',
    ],
    [
      'a signature of a prototype',
      'mailgun',
      Buffer.from('{"__proto__":{"signature":{"signature":"aa"}}}'),
      'missing',
    ],
    ['an empty list', 'ms-graph', graph([]), 'missing'],
    ['no list', 'ms-graph', graph({ 0: mine }), 'missing'],
    ['one of two', 'ms-graph', graph([mine, { clientState: 'other' }]), 'mismatch'],
    ['one without', 'ms-graph', graph([mine, {}]), 'missing'],
    ['a list of 1,001', 'ms-graph', graph(Array.from({ length: 1001 }, () => mine)), 'malformed'],
    ['no signature at all', 'aws-sns', Buffer.from('{"Type":"Notification"}'), 'missing'],
    ['another body for the same claim', 'netlify', Buffer.from('{}'), 'mismatch'],
    ['a form without end', 'twilio', Buffer.from('&a'.repeat(100_000)), 'malformed'],
  ])('%s (%s)', async (_title, id, body, fault) => {
    expect(await verifierOf(id).verify(changed(id, {}, body), NOW)).toBe(fault);
  });

  it('takes items of two senders for those of neither', async () => {
    const verifier = verifierFor({
      scheme: 'ms-graph',
      secrets: ['a-secret-of-its-own'],
      senders: [{ id: 'acme', secrets: ['the-secret-of-acme', 'another-one-of-acme'] }],
    });
    const ask = (...secrets: string[]): unknown => {
      const body = graph(secrets.map((clientState) => ({ clientState })));
      return verifier.verify(changed('ms-graph', {}, body), NOW);
    };
    expect(ask('the-secret-of-acme', 'another-one-of-acme')).toMatchObject({ sender: 'acme' });
    expect(ask('a-secret-of-its-own', 'a-secret-of-its-own')).not.toHaveProperty('sender');
    expect(ask('a-secret-of-its-own', 'the-secret-of-acme')).toBe('mismatch');
    expect(ask('the-secret-of-acme', 'a-secret-of-its-own')).toBe('mismatch');
  });

  it('binds a body of Twilio that is no form by the digest in the signed URL, and only by that', async () => {
    const scheme = schemes.get('twilio')!;
    const { toSign, options } = senderOf(scheme);
    const request = deliver(scheme, { ...toSign, body: Buffer.from('{"a":1}') });
    expect(request.url).toMatch(/bodySHA256=[0-9a-f]{64}$/);
    const verifier = verifierFor(options);
    expect(await isAccepted(verifier, request)).not.toBeNull();
    for (const other of [
      { ...request, body: Buffer.from('{"a":2}') },
      { ...request, url: `${request.url}&bodySHA256=${hash('sha256', '{"a":2}')}` },
      { ...request, url: request.url.replace(/&bodySHA256=.*/, '') },
    ]) {
      expect(await isAccepted(verifier, other)).toBeNull();
    }
    // A form whose content type says otherwise might be read otherwise.
    const form = deliver(scheme, toSign);
    const headers = { ...form.headers, 'content-type': 'application/json' };
    expect(await verifier.verify({ ...form, headers }, NOW)).toBe('malformed');
  });

  it('has an id only where it is one', async () => {
    const scheme = schemes.get('github')!;
    const request = deliver(scheme, senderOf(scheme).toSign);
    const headers = { ...request.headers, 'x-github-delivery': 'a'.repeat(300) };
    const found = await isAccepted(verifierOf('github'), { ...request, headers });
    expect(found).not.toBeNull();
    expect(found?.deliveryId).toBeUndefined();
  });
});
