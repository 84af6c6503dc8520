import { FIVE_MINUTES } from '../scheme.ts';
import type { SignatureProof, SignatureScheme, TimestampRule } from '../scheme.ts';

/** Senders that sign the time together with the body, so that a copy is of no use after a while. */
function signature(header: string, row: Partial<SignatureProof>): SignatureProof {
  return {
    kind: 'signature',
    algorithm: 'hmac-sha256',
    at: { header },
    encoding: 'hex',
    signed: '{timestamp}{body}',
    ...row,
  };
}

/** Standard Webhooks: https://www.standardwebhooks.com. Svix is where it comes from, with headers of its own name. */
function standard(prefix: 'webhook' | 'svix'): {
  proofs: SignatureProof[];
  timestamp: TimestampRule;
  deliveryId: { headers: string[] };
} {
  return {
    proofs: [
      signature(`${prefix}-signature`, {
        encoding: 'base64',
        secretForm: 'base64',
        list: { separator: ' ', assign: ',', name: 'v1' },
        signed: '{id}.{timestamp}.{body}',
        idHeader: `${prefix}-id`,
      }),
    ],
    timestamp: seconds(`${prefix}-timestamp`),
    deliveryId: { headers: [`${prefix}-id`] },
  };
}

function seconds(header: string, toleranceSeconds = FIVE_MINUTES): TimestampRule {
  return { at: { header }, unit: 's', toleranceSeconds };
}

const OTHER_HEADERS = 'headers other than id and time';

export const timeSigned: readonly SignatureScheme[] = [
  {
    id: 'standard-webhooks',
    name: 'Standard Webhooks (OpenAI, Render, Replicate, Recall.ai …)',
    ...standard('webhook'),
    canSendToken: false,
    confidence: 'cross-checked',
    gaps: OTHER_HEADERS,
  },
  {
    id: 'stripe',
    name: 'Stripe',
    // The whole whsec_… text is the key; it is not decoded.
    proofs: [
      signature('stripe-signature', {
        list: { separator: ',', assign: '=', name: 'v1' },
        signed: '{timestamp}.{body}',
      }),
    ],
    timestamp: { at: { item: 't' }, unit: 's', toleranceSeconds: FIVE_MINUTES },
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    id: 'slack',
    name: 'Slack (Events API, interactivity, slash commands)',
    proofs: [signature('x-slack-signature', { prefix: 'v0=', signed: 'v0:{timestamp}:{body}' })],
    timestamp: seconds('x-slack-request-timestamp'),
    deliveryId: { fields: ['event_id'] },
    handshake: {
      kind: 'challenge-json',
      field: 'type',
      is: 'url_verification',
      echo: 'challenge',
    },
    canSendToken: false,
    confidence: 'cross-checked',
  },
];
