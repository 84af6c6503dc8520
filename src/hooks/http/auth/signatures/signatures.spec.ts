import { createHmac } from 'node:crypto';
import { compileVerifier, customize, schemes, signRequest } from './index.ts';
import type { SignatureVerifier, VerifierContext, VerifierOptions } from './index.ts';

const NOW = Date.UTC(2026, 10, 22, 7);
const SECONDS = String(NOW / 1000);
const BODY = Buffer.from('{"id":"evt_1","event_id":"Ev1"}');

function verifier(
  scheme: string,
  secrets: readonly string[],
  context: VerifierContext = {},
): SignatureVerifier {
  const compiled = compileVerifier({ scheme, secrets }, context);
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems));
  return compiled;
}

const hmac = (text: string | Uint8Array, key: string | Uint8Array = 'secret'): string =>
  createHmac('sha256', key).update(text).digest('hex');

describe('compileVerifier', () => {
  it('proves a body by GitHub, with an id that nobody signed', () => {
    const headers = {
      'x-hub-signature-256': `sha256=${hmac(BODY)}`,
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    };
    const request = { method: 'POST', url: '/hooks/github', headers, body: BODY };
    const github = verifier('github', ['other', 'secret']);
    expect(github.checkHead(request, NOW)).toBeNull();
    expect(github.verify(request, NOW)).toEqual({
      scheme: 'github',
      deliveryId: { id: '72d3162e-cc78-11e3-81ab-4c9367dc0958', isSigned: false },
      signedDigest: expect.stringMatching(/^[\w+/]{43}=$/),
      coversBody: true,
    });
    expect(verifier('github', ['other']).verify(request, NOW)).toBe('mismatch');
    expect(github.verify({ ...request, body: Buffer.from('{}') }, NOW)).toBe('mismatch');
    expect(github.checkHead({ ...request, headers: {} }, NOW)).toBe('missing');
    expect(
      github.checkHead({ ...request, headers: { 'x-hub-signature-256': 'sha256=zz' } }, NOW),
    ).toBe('malformed');
  });

  it.each([
    [
      'stripe',
      {
        'stripe-signature': `t=${SECONDS},v1=${'0'.repeat(64)},v1=${hmac(`${SECONDS}.${BODY.toString()}`)}`,
      },
      'evt_1',
    ],
    [
      'slack',
      {
        'x-slack-request-timestamp': SECONDS,
        'x-slack-signature': `v0=${hmac(`v0:${SECONDS}:${BODY.toString()}`)}`,
      },
      'Ev1',
    ],
    [
      'standard-webhooks',
      {
        'webhook-id': 'msg_1',
        'webhook-timestamp': SECONDS,
        'webhook-signature': `v1,${Buffer.from(hmac(`msg_1.${SECONDS}.${BODY.toString()}`, Buffer.from('secrets!')), 'hex').toString('base64')}`,
      },
      'msg_1',
    ],
  ])('proves time, body and id by %s', (scheme, headers, id) => {
    const secret = scheme === 'standard-webhooks' ? 'whsec_c2VjcmV0cyE=' : 'secret';
    const request = { method: 'POST', url: '/hooks/x', headers, body: BODY };
    const one = verifier(scheme, [secret]);
    expect(one.checkHead(request, NOW + 299_000)).toBeNull();
    expect(one.verify(request, NOW)).toMatchObject({
      deliveryId: { id, isSigned: true },
      coversBody: true,
    });
    for (const late of [NOW + 301_000, NOW - 301_000]) {
      expect(one.checkHead(request, late)).toBe('stale');
      expect(one.verify(request, late)).toBe('stale');
    }
  });

  it('says what is wrong with its options, by field', () => {
    expect(compileVerifier({ scheme: 'githup', secrets: ['x'] })).toEqual({
      problems: [{ key: 'scheme', message: 'is no known scheme; did you mean github?' }],
    });
    expect(compileVerifier({ scheme: 'github', secrets: [] })).toEqual({
      problems: [{ key: 'secrets', message: 'must hold at least one secret' }],
    });
    expect(compileVerifier({ scheme: 'standard-webhooks', secrets: ['a', '!'] })).toEqual({
      problems: [
        { key: 'secrets[0]', message: expect.stringContaining('Base64') },
        { key: 'secrets[1]', message: expect.stringContaining('Base64') },
      ],
    });
  });

  it.each<[string, VerifierOptions, string, RegExp]>([
    ['a secret that is blank', { scheme: 'github', secrets: [' '] }, 'secrets[0]', /blank/],
    ['a sender that signs nothing', { scheme: 'datadog', secrets: ['x'] }, 'scheme', /not sign/],
    ['a URL that nobody named', { scheme: 'square', secrets: ['x'] }, 'publicUrl', /Square signs/],
    ['a short shared secret', { scheme: 'telegram', secrets: ['short'] }, 'secrets[0]', /16/],
    [
      'Basic without a user',
      { scheme: 'postmark', secrets: ['x'.repeat(20)] },
      'secrets[0]',
      /user/,
    ],
    ['a key in the wrong form', { scheme: 'discord', secrets: ['x'] }, 'secrets[0]', /64 hexa/],
    ['a key of another curve', { scheme: 'sendgrid', secrets: ['MFkw'] }, 'secrets[0]', /P-256/],
    [
      'an endless tolerance',
      { scheme: 'stripe', secrets: ['x'], toleranceSeconds: 86_401 },
      'toleranceSeconds',
      /86400/,
    ],
    [
      'details of a known scheme',
      { scheme: 'github', secrets: ['x'], header: 'x' },
      'header',
      /hmac alone/,
    ],
    ['a header with blanks', { scheme: 'hmac', secrets: ['x'], header: 'x y' }, 'header', /name/],
  ])('refuses %s', (_title, options, key, message) => {
    expect(compileVerifier(options)).toEqual({
      problems: [{ key, message: expect.stringMatching(message) }],
    });
  });

  it('takes the details of a sender that nobody listed', () => {
    const options = {
      scheme: 'hmac',
      secrets: ['secret'],
      header: 'X-Sender-Tag',
      hash: 'sha512',
      encoding: 'base64',
      prefix: 'v1:',
    } as const;
    const compiled = compileVerifier(options);
    const tag = createHmac('sha512', 'secret').update(BODY).digest('base64');
    const headers = { 'x-sender-tag': `v1:${tag}` };
    const request = { method: 'POST', url: '/hooks/x', headers, body: BODY };
    expect('verify' in compiled && compiled.verify(request, NOW)).toMatchObject({ scheme: 'hmac' });
    const { headers: signed } = signRequest(customize(schemes.get('hmac')!, options), {
      secret: 'secret',
      body: BODY,
      now: NOW,
    });
    expect(signed).toMatchObject(headers);
  });
});
