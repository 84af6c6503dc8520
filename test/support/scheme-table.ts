import { isIdSigned } from '../../src/hooks/http/auth/signatures/coverage.ts';
import type { Proof, SignatureScheme } from '../../src/hooks/senders/index.ts';

/** A row of the table in docs/security.md, read off a scheme; to write the table anew, print these. */
export function rowOf(scheme: SignatureScheme): string[] {
  return [
    `\`${scheme.id}\``,
    scheme.name,
    describeProof(scheme),
    freshness(scheme),
    deliveryId(scheme),
    scheme.secret ?? (scheme.proofs.length === 0 ? '–' : 'as the sender shows it'),
    scheme.gaps ?? '–',
    scheme.confidence,
  ];
}

export function describeProof({ proofs }: SignatureScheme): string {
  const [proof] = proofs;
  return proof === undefined ? 'nothing: send a token' : describe(proof).replaceAll('|', '\\|');
}

function describe(proof: Proof): string {
  switch (proof.kind) {
    case 'signature': {
      const algorithm = proof.algorithm === 'ed25519' ? 'Ed25519' : proof.algorithm.toUpperCase();
      return `${algorithm} of \`${proof.signed}\``;
    }
    case 'jwt': {
      const { bodyClaim, keys, claims = {} } = proof;
      const how = keys === undefined ? 'HS256' : 'RS256 or ES256, keys of its issuer';
      const what =
        bodyClaim === undefined
          ? Object.keys(claims).map((name) => `\`${name}\``)
          : [`the SHA-256 of the body as \`${bodyClaim}\``];
      return `JWT (${how}) with ${what.join(', ')}`;
    }
    case 'certificate':
      return `RSA by certificate of ${typeof proof.signed === 'string' ? `\`${proof.signed}\`` : 'the fields of the message'}`;
    case 'secret':
      return `the secret itself, in \`${'header' in proof.at ? proof.at.header : proof.at.field}\``;
    case 'basic':
      return 'the secret itself, as Basic';
  }
}

function freshness({ timestamp }: SignatureScheme): string {
  if (timestamp === undefined) return '–';
  return timestamp.toleranceSeconds === 86_400 ? '1 day' : `${timestamp.toleranceSeconds} s`;
}

function deliveryId(scheme: SignatureScheme): string {
  const { deliveryId } = scheme;
  if (deliveryId === undefined) return '–';
  const names =
    'headers' in deliveryId ? deliveryId.headers.join(' or ') : deliveryId.fields.join(' + ');
  return `${names.replaceAll('|', ' or ')}, ${isIdSigned(scheme) ? 'signed' : 'not signed'}`;
}
