import type { SignatureProof, SignatureScheme } from '../scheme.ts';

/**
 * Senders that sign the body alone. Nothing in it says when it was sent, so a copy stays right for ever: the durable
 * id and the digest of the body are what keep replays out.
 */
function body(header: string, row: Partial<SignatureProof> = {}): SignatureProof {
  return {
    kind: 'signature',
    algorithm: 'hmac-sha256',
    at: { header },
    encoding: 'hex',
    signed: '{body}',
    ...row,
  };
}

const NO_TIME = 'no time';

export const bodySigned: readonly SignatureScheme[] = [
  {
    id: 'github',
    name: 'GitHub',
    // The older x-hub-signature (SHA-1) always comes beside this one and is never looked at.
    proofs: [body('x-hub-signature-256', { prefix: 'sha256=' })],
    deliveryId: { headers: ['x-github-delivery'] },
    canSendToken: false,
    confidence: 'cross-checked',
    gaps: `${NO_TIME}; all headers, with them event name and delivery id`,
  },
];
