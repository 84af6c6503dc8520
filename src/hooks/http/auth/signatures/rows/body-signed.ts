import type { SignatureProof, SignatureScheme } from '../scheme.ts';

/**
 * Senders that sign the body alone, with an HMAC. Nothing in it says when it was sent, so a copy stays right for ever:
 * the durable id and the digest of the body are what keep replays out. Older algorithms that a sender offers beside a
 * newer one (GitHub's x-hub-signature) have no row: nobody needs them, and they could only be weaker.
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

const HUB = { prefix: 'sha256=' } as const;
const BASE64 = { encoding: 'base64' } as const;
const SHA1 = { algorithm: 'hmac-sha1' } as const;

export const bodySigned: readonly SignatureScheme[] = [
  {
    id: 'hmac',
    name: 'Any sender with an HMAC of the body',
    // The form that WebSub began. `header`, `hash`, `encoding` and `prefix` of the options say what is different.
    proofs: [body('x-hub-signature-256', HUB)],
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    id: 'github',
    name: 'GitHub',
    proofs: [body('x-hub-signature-256', HUB)],
    deliveryId: { headers: ['x-github-delivery'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    id: 'gitea',
    name: 'Gitea, Forgejo',
    proofs: [
      body('x-forgejo-signature'),
      body('x-gitea-signature'),
      body('x-hub-signature-256', HUB),
    ],
    deliveryId: { headers: ['x-gitea-delivery'] },
    canSendToken: true,
    confidence: 'docs-excerpt',
  },
  {
    id: 'bitbucket',
    name: 'Bitbucket Cloud',
    proofs: [body('x-hub-signature', HUB)],
    deliveryId: { headers: ['x-request-uuid'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'shopify',
    name: 'Shopify',
    // The second family of names is that of its newer Events.
    proofs: [body('shopify-hmac-sha256', BASE64), body('x-shopify-hmac-sha256', BASE64)],
    deliveryId: { headers: ['shopify-webhook-id', 'x-shopify-webhook-id'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    id: 'jira',
    name: 'Jira Cloud',
    proofs: [body('x-hub-signature', HUB)],
    deliveryId: { headers: ['x-atlassian-webhook-identifier'] },
    canSendToken: false,
    confidence: 'source-read',
    gaps: 'webhooks of Connect apps carry another proof',
  },
  {
    id: 'sentry',
    name: 'Sentry',
    // It sends sentry-hook-timestamp, too, but signs it not: it proves nothing.
    proofs: [body('sentry-hook-signature')],
    deliveryId: { headers: ['request-id'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    id: 'pagerduty',
    name: 'PagerDuty (V3)',
    proofs: [body('x-pagerduty-signature', { list: { separator: ',', assign: '=', name: 'v1' } })],
    deliveryId: { fields: ['event.id'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    id: 'grafana',
    name: 'Grafana Alerting (12 and newer)',
    proofs: [body('x-grafana-alerting-signature')],
    canSendToken: true,
    confidence: 'docs-excerpt',
    gaps: 'leave the contact point without a timestamp header, which changes what is signed',
  },
  {
    id: 'vercel',
    name: 'Vercel',
    proofs: [body('x-vercel-signature', SHA1)],
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'intercom',
    name: 'Intercom',
    proofs: [body('x-hub-signature', { ...SHA1, prefix: 'sha1=' })],
    secret: 'client secret of the app',
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'typeform',
    name: 'Typeform',
    proofs: [body('typeform-signature', { ...BASE64, ...HUB })],
    deliveryId: { fields: ['event_id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'notion',
    name: 'Notion',
    proofs: [body('x-notion-signature', HUB)],
    secret: 'the verification token',
    deliveryId: { fields: ['id'] },
    handshake: { kind: 'token-to-operator', field: 'verification_token' },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    id: 'airtable',
    name: 'Airtable',
    proofs: [body('x-airtable-content-mac', { prefix: 'hmac-sha256=', secretForm: 'base64' })],
    secret: 'macSecretBase64 of the webhook',
    deliveryId: { fields: ['webhook.id', 'timestamp'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'meta',
    name: 'Meta (WhatsApp, Messenger, Instagram)',
    proofs: [body('x-hub-signature-256', HUB)],
    secret: 'app secret',
    handshake: {
      kind: 'get-challenge',
      parameter: 'hub.challenge',
      answer: 'text',
      verifyToken: 'hub.verify_token',
    },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'dropbox',
    name: 'Dropbox',
    proofs: [body('x-dropbox-signature')],
    secret: 'app secret',
    handshake: { kind: 'get-challenge', parameter: 'challenge', answer: 'text' },
    canSendToken: false,
    confidence: 'docs-excerpt',
  },
  {
    id: 'ms-teams-outgoing',
    name: 'Microsoft Teams outgoing webhook',
    proofs: [body('authorization', { ...BASE64, prefix: 'HMAC ', secretForm: 'base64' })],
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'asana',
    name: 'Asana',
    proofs: [body('x-hook-signature')],
    secret: 'x-hook-secret of its handshake',
    handshake: { kind: 'header-echo', header: 'x-hook-secret' },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'cal-com',
    name: 'Cal.com',
    proofs: [body('x-cal-signature-256')],
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'woocommerce',
    name: 'WooCommerce',
    proofs: [body('x-wc-webhook-signature', BASE64)],
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    id: 'helpscout',
    name: 'Help Scout',
    proofs: [body('x-helpscout-signature', { ...SHA1, ...BASE64 })],
    canSendToken: false,
    confidence: 'source-read',
  },
];
