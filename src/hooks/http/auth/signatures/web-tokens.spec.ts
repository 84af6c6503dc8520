import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignJWT, createLocalJWKSet, jwtVerify } from 'jose';
import {
  NOW,
  deliver,
  publishedKeys,
  senderOf,
  PUBLIC_URL,
  TARGET,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { schemes } from '../../../senders/index.ts';
import { Certificates } from './certificates.ts';
import type { FetchCertificate } from './certificates.ts';
import type { SignedRequest } from './signed-request.ts';

const ACCOUNT = 'push@project.iam.gserviceaccount.com';
const MINUTE = 60_000;
const HOUR = 3_600_000;
const SECONDS = NOW / 1000;

const CLAIMS = {
  aud: PUBLIC_URL + TARGET,
  azp: '113774264463038321964',
  email: ACCOUNT,
  sub: '113774264463038321964',
  email_verified: true,
  exp: SECONDS + 3600,
  iat: SECONDS,
  iss: 'https://accounts.google.com',
};
const first = generateKeyPairSync('rsa', { modulusLength: 2048 });
const second = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const toKeys = (keys: Record<string, KeyObject>, more: object = {}) =>
  JSON.stringify({
    keys: Object.entries(keys).map(([kid, key]) => ({
      ...key.export({ format: 'jwk' }),
      kid,
      ...more,
    })),
  });

function token(
  claims: object = {},
  head: object = {},
  tag: (signed: string) => Buffer = (text) => sign('sha256', Buffer.from(text), first.privateKey),
): string {
  const signed = `${encode({ alg: 'RS256', kid: 'one', ...head })}.${encode({ ...CLAIMS, ...claims })}`;
  return `${signed}.${tag(signed).toString('base64url')}`;
}

const request = (authorization: string): SignedRequest => ({
  method: 'POST',
  url: TARGET,
  headers: { authorization },
  body: Buffer.from('{}'),
});

describe('A token by a key that its issuer publishes', () => {
  let asked: string[];
  let answer: FetchCertificate;
  let verify: (authorization: string, now?: number) => Promise<unknown>;

  beforeEach(() => {
    asked = [];
    answer = async () => toKeys({ one: first.publicKey });
    const certificates = new Certificates((url) => {
      asked.push(url.href);
      return answer(url);
    });
    const options = { scheme: 'google-pubsub', secrets: [ACCOUNT] };
    const verifier = verifierFor(options, certificates);
    verify = async (text, now = NOW) => verifier.verify(request(text), now);
  });

  const RIGHT = { scheme: 'google-pubsub', coversBody: false };

  it('opens, as Bearer, for as long as it lasts', async () => {
    expect(await verify(`Bearer ${token()}`)).toEqual(RIGHT);
    expect(await verify(`bearer ${token({ aud: ['x', CLAIMS.aud] })}`)).toEqual(RIGHT);
    expect(await verify(`Bearer ${token()}`, NOW + HOUR - 1)).toEqual(RIGHT);
    expect(await verify(`Bearer ${token()}`, NOW + HOUR)).toBe('stale');
    expect(await verify(`Bearer ${token({ nbf: SECONDS + 1 })}`)).toBe('stale');
  });

  it.each([
    ['another account', { email: 'stranger@other.iam.gserviceaccount.com' }],
    ['an address that is not verified', { email_verified: false }],
    ['an address that is said to be verified', { email_verified: 'true' }],
    ['another audience', { aud: 'https://other.example/hooks' }],
    ['a longer audience', { aud: `${CLAIMS.aud}x` }],
    ['another issuer', { iss: 'https://accounts.example' }],
    ['no account', { email: undefined }],
  ])('of %s opens nothing', async (_what, claims) => {
    expect(await verify(`Bearer ${token(claims)}`)).toBe('mismatch');
  });

  it.each<[string, string]>([
    ['without an end', token({ exp: undefined })],
    ['without a key', token({}, { kid: undefined })],
    ['of no algorithm', token({}, { alg: 'none' })],
    ['of no algorithm and no signature', `${token({}, { alg: 'none' }).split('.', 2).join('.')}.`],
    ['with what must be understood', token({}, { crit: ['exp'] })],
    [
      'of HS256 by the public key',
      token({}, { alg: 'HS256' }, (text) =>
        createHmac('sha256', first.publicKey.export({ format: 'pem', type: 'spki' }))
          .update(text)
          .digest(),
      ),
    ],
    ['that is none', 'x'],
  ])('%s is malformed', async (_what, text) => {
    expect(await verify(`Bearer ${text}`)).toBe('malformed');
    expect(asked).toEqual([]);
  });

  it('that another key signed, or that was changed, opens nothing', async () => {
    const by = (key: KeyObject) => (text: string) => sign('sha256', Buffer.from(text), key);
    expect(await verify(`Bearer ${token({}, {}, by(second.privateKey))}`)).toBe('mismatch');
    const [head, , tag] = token().split('.');
    const longer = encode({ ...CLAIMS, exp: SECONDS + 7200 });
    expect(await verify(`Bearer ${head}.${longer}.${tag}`)).toBe('mismatch');
    expect(await verify(`Bearer ${token({}, { alg: 'ES256' })}`)).toBe('mismatch');
  });

  it('of P-256 opens, too', async () => {
    answer = async () => toKeys({ one: curve.publicKey });
    const tag = (text: string) =>
      sign('sha256', Buffer.from(text), { key: curve.privateKey, dsaEncoding: 'ieee-p1363' });
    expect(await verify(token({}, { alg: 'ES256' }, tag))).toEqual(RIGHT);
    expect(await verify(token({}, { alg: 'RS256' }, tag))).toBe('mismatch');
  });

  it('is asked for once an hour, and for new keys at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => verify(token())));
    expect(all).toEqual([RIGHT, RIGHT, RIGHT]);
    expect(await verify(token({ exp: SECONDS + 7200 }), NOW + HOUR - 1)).toEqual(RIGHT);
    expect(asked).toEqual(['https://www.googleapis.com/oauth2/v3/certs']);
    answer = async () => toKeys({ one: first.publicKey, two: second.publicKey });
    const tag = (text: string) => sign('sha256', Buffer.from(text), second.privateKey);
    const renewed = token({ exp: SECONDS + 7200 }, { kid: 'two' }, tag);
    expect(await verify(renewed, NOW + HOUR - 1)).toEqual(RIGHT);
    expect(asked).toHaveLength(2);
  });

  it('of a key that is gone from the set opens nothing any more', async () => {
    expect(await verify(token())).toEqual(RIGHT);
    answer = async () => toKeys({ two: second.publicKey });
    expect(await verify(token({ exp: SECONDS + 7200 }), NOW + HOUR)).toBe('mismatch');
  });

  it('of keys that strangers name asks once a minute', async () => {
    for (let n = 0; n < 100; n += 1) {
      expect(await verify(token({}, { kid: `stranger ${n}` }), NOW + n * 10)).toBe('mismatch');
    }
    expect(asked).toHaveLength(1);
    await verify(token({}, { kid: 'stranger' }), NOW + MINUTE);
    expect(asked).toHaveLength(2);
  });

  it.each<[string, FetchCertificate]>([
    ['cannot be reached', () => Promise.reject(new Error('away'))],
    ['answers with something else', async () => '<html>'],
    ['has none', async () => null],
  ])('waits while its issuer %s, and goes by what it said last', async (_what, away) => {
    answer = away;
    expect(await verify(token())).toBe('unavailable');
    expect(await verify(token(), NOW + 4999)).toBe('unavailable');
    expect(asked).toHaveLength(1);
    answer = async () => toKeys({ one: first.publicKey });
    expect(await verify(token(), NOW + 5000)).toEqual(RIGHT);
    answer = away;
    expect(await verify(token({ exp: SECONDS + 9000 }), NOW + 2 * HOUR)).toEqual(RIGHT);
    expect(asked).toHaveLength(3);
  });

  it('is not taken by keys for encryption, or that are none', async () => {
    answer = async () => toKeys({ one: first.publicKey }, { use: 'enc' });
    expect(await verify(token())).toBe('mismatch');
    answer = async () => JSON.stringify({ keys: [{ kid: 'one', kty: 'RSA' }, null, 7] });
    expect(await verify(token(), NOW + MINUTE)).toBe('mismatch');
  });

  it.each([
    ['RS256', first],
    ['ES256', curve],
  ] as const)('that jose signs with %s opens', async (alg, { publicKey, privateKey }) => {
    answer = async () => toKeys({ one: publicKey });
    const signed = new SignJWT(CLAIMS).setProtectedHeader({ alg, kid: 'one', typ: 'JWT' });
    expect(await verify(`Bearer ${await signed.sign(privateKey)}`)).toEqual(RIGHT);
  });

  it('as we make it is right for jose', async () => {
    const { toSign } = senderOf(schemes.get('google-pubsub')!);
    const { headers } = deliver(schemes.get('google-pubsub')!, toSign);
    const [, made = ''] = String(headers['authorization']).split(' ');
    const keys = createLocalJWKSet(JSON.parse(publishedKeys));
    const expected = { audience: CLAIMS.aud, issuer: CLAIMS.iss, currentDate: new Date(NOW) };
    const { payload } = await jwtVerify(made, keys, expected);
    expect(payload).toMatchObject({ email: ACCOUNT, email_verified: true });
  });
});

describe('A token of monday.com', () => {
  const SECRET = 'the-signing-secret-of-an-app';
  const claims = { accountId: 1825529, userId: 4012689, aud: PUBLIC_URL + TARGET, iat: SECONDS };
  const key = Buffer.from(SECRET);
  const made = (more: object = {}, secret = key) =>
    new SignJWT({ ...claims, exp: SECONDS + 300, ...more })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(secret);
  const verifier = verifierFor({ scheme: 'monday', secrets: ['another-secret-of-one', SECRET] });
  const verify = async (text: Promise<string>) => verifier.verify(request(await text), NOW);

  it('that jose signs opens, and no other', async () => {
    expect(await verify(made())).toEqual({ scheme: 'monday', coversBody: false });
    expect(await verify(made({ aud: 'https://other.example/hooks' }))).toBe('mismatch');
    expect(await verify(made({}, Buffer.from('not-the-secret-of-the-app')))).toBe('mismatch');
    expect(await verify(made({ exp: SECONDS }))).toBe('stale');
  });
});
