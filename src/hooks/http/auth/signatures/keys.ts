import {
  createHmac,
  createPublicKey,
  createSecretKey,
  hash,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { SignatureProof } from '../../../senders/index.ts';
import { decode } from './signature-values.ts';

// Secrets become checks once, when the configuration is compiled; all are compared in constant time. Public keys are
// secrets of nobody, and are taken in one spelling only.

export type SignatureCheck = (content: Buffer, candidates: readonly Buffer[]) => boolean;

/** @returns the check, or what is wrong with the secret as the end of a sentence. */
export function compileKey(secret: string, proof: SignatureProof): SignatureCheck | string {
  switch (proof.algorithm) {
    case 'hmac-sha1':
    case 'hmac-sha256':
    case 'hmac-sha512': {
      const key = readSecret(secret, proof.secretForm);
      if (typeof key === 'string') return key;
      const algorithm = proof.algorithm.slice('hmac-'.length);
      return tagCheck((content) => createHmac(algorithm, key).update(content).digest());
    }
    case 'sha256':
      return tagCheck((content) => hash('sha256', content, 'buffer'));
    case 'ed25519': {
      const raw = decode(secret, 'hex');
      if (raw?.length !== 32) return 'must be the public key: 64 hexadecimal digits';
      const x = raw.toString('base64url');
      return keyCheck(
        null,
        createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
      );
    }
    case 'ecdsa-sha256': {
      const key = readPublicKey(secret);
      return key === null
        ? 'must be the public key for P-256, as the sender shows it: Base64 that begins with MF'
        : keyCheck('sha256', key);
    }
  }
}

const STANDARD_PREFIX = 'whsec_';

export function readSecret(
  secret: string,
  form: SignatureProof['secretForm'] = 'utf8',
): KeyObject | string {
  if (form === 'utf8') return createSecretKey(Buffer.from(secret));
  const text =
    form === 'base64' && secret.startsWith(STANDARD_PREFIX)
      ? secret.slice(STANDARD_PREFIX.length)
      : secret;
  const bytes =
    form === 'hex' ? decode(text, 'hex') : decode(text.padEnd(padded(text), '='), 'base64');
  if (bytes !== null) return createSecretKey(bytes);
  return form === 'hex'
    ? 'must be hexadecimal, as the sender shows it'
    : 'must be Base64, as the sender shows it (with or without whsec_ before it)';
}

function padded(text: string): number {
  return Math.ceil(text.length / 4) * 4;
}

function tagCheck(tagOf: (content: Buffer) => Buffer): SignatureCheck {
  return (content, candidates) => {
    const tag = tagOf(content);
    let isRight = false;
    for (const candidate of candidates) {
      // All of them, in any case: how long it takes says nothing about which one was right.
      isRight = timingSafeEqual(tag, candidate) || isRight;
    }
    return isRight;
  };
}

function keyCheck(algorithm: string | null, key: KeyObject): SignatureCheck {
  return (content, candidates) =>
    candidates.some((candidate) => verify(algorithm, content, key, candidate));
}

/** What stands before the two coordinates of any public key for P-256 (RFC 5480), the point in its plain form. */
const P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');

/** In the one way to write it; OpenSSL would take others for the same key. */
function readPublicKey(text: string): KeyObject | null {
  const key = decode(text, 'base64');
  if (key?.length !== P256.length + 64 || !key.subarray(0, P256.length).equals(P256)) return null;
  try {
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

/** Compares a text with a secret without telling by its time how much of it was right. */
export function compileEquality(secret: string): (given: string) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(expected, digest(given));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
