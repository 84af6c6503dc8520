import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  Certificates,
  compileVerifier,
  signRequest,
} from '../../src/hooks/http/auth/signatures/index.ts';
import type {
  SignatureScheme,
  SignatureVerifier,
  SignedRequest,
  ToSign,
  VerifiedSignature,
  VerifierOptions,
} from '../../src/hooks/http/auth/signatures/index.ts';

/** Made once with `openssl req -newkey` and `openssl ca -selfsign`, for 2020 to 2120; nobody trusts it but tests. */
const read = (name: string): string =>
  readFileSync(new URL(`../fixtures/signing/${name}`, import.meta.url), 'utf8');
export const certificatePem = read('certificate.pem');
const rsaKey = createPrivateKey(read('key.pem'));

/** As an issuer of tokens publishes it (RFC 7517). */
const KEY_ID = '7d680d8c70d44e947133cbd499ebc1a61c3d5abc';
export const publishedKeys = JSON.stringify({
  keys: [
    { ...createPublicKey(rsaKey).export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: KEY_ID },
  ],
});
export const published = (url: URL): Promise<string> =>
  Promise.resolve(url.pathname === '/oauth2/v3/certs' ? publishedKeys : certificatePem);

const ed25519 = [1, 2, 3].map(() => generateKeyPairSync('ed25519').privateKey);
const ecdsa = [1, 2, 3].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

/** Within the certificate's dates. */
export const NOW = Date.UTC(2027, 0, 15, 12);
export const PUBLIC_URL = 'https://hooks.example.org/in';
export const TARGET = '/hooks/sender?a=1';
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:builds';

const JSON_BODY = {
  id: 'evt_1',
  state: 'ready',
  event: { id: 'P1' },
  event_id: 'Ev1',
  update_id: 7,
  webhook: { id: 'w1' },
  timestamp: '2027-01-15T12:00:00Z',
  webhookTimestamp: NOW,
  action: { id: 'a1' },
  payload: { uri: 'u1' },
  MessageID: 'm1',
  RecordType: 'Inbound',
  value: [{ id: 'n1' }, { id: 'n2' }],
  Type: 'Notification',
  MessageId: 'sns-1',
  Subject: 'Build',
  Message: 'It is done.',
  message: { messageId: 'ps-1' },
};

export interface Sender {
  readonly toSign: ToSign;
  readonly options: VerifierOptions;
}

/**
 * A sender of that row with a secret of its own kind, and what its receiver has to know.
 * @param which of three, no two of which have the same secret (but all the one certificate there is)
 */
export function senderOf(scheme: SignatureScheme, which: 0 | 1 | 2 = 0): Sender {
  const { secret, privateKey } = credentials(scheme, which);
  const body = Buffer.from(
    scheme.body === 'form'
      ? 'MessageSid=SM1&Body=It+is+done%2C+see+%C3%A4&SmsStatus=received&Body=twice'
      : JSON.stringify(JSON_BODY),
  );
  return {
    toSign: {
      secret,
      privateKey,
      keyId: KEY_ID,
      certificateUrl:
        scheme.id === 'paypal'
          ? 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-df8cd2d5'
          : 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
      body,
      url: PUBLIC_URL + TARGET,
      id: '3f0c6f4e-delivery',
      now: NOW,
    },
    options: { scheme: scheme.id, secrets: [publicSecret(scheme, secret, privateKey)] },
  };
}

function credentials(
  scheme: SignatureScheme,
  which: number,
): { secret: string; privateKey?: KeyObject } {
  const { id, proofs } = scheme;
  const [proof] = proofs;
  const nth = (secret: string): string =>
    Array.from({ length: which }).reduce<string>((last) => otherSecret(scheme, last), secret);
  if (proof?.kind === 'certificate') {
    const name = id === 'aws-sns' ? TOPIC : '1JE4291016473214C';
    return { secret: name + 'x'.repeat(which), privateKey: rsaKey };
  }
  if (proof?.kind === 'jwt' && proof.keys !== undefined) {
    return { secret: nth('push@project.iam.gserviceaccount.com'), privateKey: rsaKey };
  }
  if (proof?.kind === 'basic') return { secret: nth('user:a-password-of-its-own') };
  if (proof?.kind !== 'signature') return { secret: nth('a-secret-of-its-own') };
  if (proof.algorithm === 'ed25519') return { secret: '', privateKey: ed25519[which] };
  if (proof.algorithm === 'ecdsa-sha256') return { secret: '', privateKey: ecdsa[which] };
  // 24 bytes in Base64.
  return { secret: nth('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') };
}

function publicSecret(
  { proofs: [proof] }: SignatureScheme,
  secret: string,
  privateKey?: KeyObject,
): string {
  if (privateKey === undefined || proof?.kind !== 'signature') return secret;
  const publicKey = createPublicKey(privateKey);
  if (proof.algorithm !== 'ed25519') {
    return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
}

/** Another secret of the same kind, which signed nothing here. */
export function otherSecret(scheme: SignatureScheme, secret: string): string {
  const [proof] = scheme.proofs;
  if (proof?.kind === 'signature' && proof.algorithm === 'ecdsa-sha256') {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }
  return secret.replace(/\w(?=\w{3})/, (letter) => (letter === 'a' ? 'b' : 'a'));
}

export function deliver(scheme: SignatureScheme, toSign: ToSign): SignedRequest {
  const { headers, body, url = PUBLIC_URL + TARGET } = signRequest(scheme, toSign);
  return { method: 'POST', url: url.slice(PUBLIC_URL.length), headers, body };
}

/** @throws Error with the problems */
export function verifierFor(
  options: VerifierOptions,
  certificates = new Certificates(published),
): SignatureVerifier {
  const compiled = compileVerifier(options, { publicUrl: PUBLIC_URL, certificates });
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems));
  return compiled;
}

export async function isAccepted(
  verifier: SignatureVerifier,
  request: SignedRequest,
  now = NOW,
): Promise<VerifiedSignature | null> {
  const found = await verifier.verify(request, now);
  if (typeof found === 'string') return null;
  // The cheap half must never refuse what is right.
  if (verifier.checkHead(request, now) !== null)
    throw new Error('the head of a right request is refused');
  return found;
}
