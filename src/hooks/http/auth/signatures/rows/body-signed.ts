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
    // Source: npm @octokit/webhooks-methods; n8n 2.8.4 Github/GithubTriggerHelpers.js; simstudioai/sim github.ts.
    id: 'github',
    name: 'GitHub',
    proofs: [body('x-hub-signature-256', HUB)],
    deliveryId: { headers: ['x-github-delivery'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: https://docs.gitea.com/features/webhooks;
    // https://docs.rs/vgi-forge-forgejo/0.18.2/vgi_forge_forgejo/webhook/;
    // https://github.com/go-gitea/gitea/issues/20267.
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
    // Source: simstudioai/sim bitbucket.ts;
    // https://coderabbitai.github.io/bitbucket/interfaces/BitbucketServerWebhookHeaders.html (Data Center).
    id: 'bitbucket',
    name: 'Bitbucket Cloud',
    proofs: [body('x-hub-signature', HUB)],
    deliveryId: { headers: ['x-request-uuid'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: npm @shopify/shopify-api 13.1.0 dist/cjs/lib/types.js, webhooks/validate.js; n8n 2.8.4
    // Shopify/ShopifyTrigger.node.js.
    id: 'shopify',
    name: 'Shopify',
    // The second family of names is that of its Events, a preview of what is to come.
    proofs: [body('x-shopify-hmac-sha256', BASE64), body('shopify-hmac-sha256', BASE64)],
    deliveryId: { headers: ['x-shopify-webhook-id', 'shopify-webhook-id'] },
    companions: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'example.myshopify.com',
      'x-shopify-api-version': '2026-10',
    },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: simstudioai/sim jira.ts;
    // https://hookdeck.com/webhooks/platforms/how-to-secure-and-verify-jira-webhooks-with-hookdeck.
    id: 'jira',
    name: 'Jira Cloud',
    proofs: [body('x-hub-signature', HUB)],
    deliveryId: { headers: ['x-atlassian-webhook-identifier'] },
    canSendToken: false,
    confidence: 'source-read',
    gaps: 'webhooks of Connect apps carry another proof',
  },
  {
    // Source: https://docs.sentry.io/integrations/integration-platform/webhooks/; simstudioai/sim sentry.ts;
    // https://www.pulumi.com/docs/ai/agents/triggers/sentry/.
    id: 'sentry',
    name: 'Sentry',
    // It sends sentry-hook-timestamp, too, but signs it not: it proves nothing.
    proofs: [body('sentry-hook-signature')],
    deliveryId: { headers: ['request-id'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    // Source: simstudioai/sim pagerduty.ts;
    // https://www.pulumi.com/registry/packages/pagerduty/api-docs/webhooksubscription;
    // https://github.com/frain-dev/convoy/wiki/PagerDuty-V3-Webhooks-Explained-&-Implemented..
    id: 'pagerduty',
    name: 'PagerDuty (V3)',
    proofs: [body('x-pagerduty-signature', { list: { separator: ',', assign: '=', name: 'v1' } })],
    deliveryId: { fields: ['event.id'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    // Source:
    // https://grafana.com/docs/grafana/v13.2/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/.
    id: 'grafana',
    name: 'Grafana Alerting (12 and newer)',
    proofs: [body('x-grafana-alerting-signature')],
    canSendToken: true,
    confidence: 'docs-excerpt',
    gaps: 'leave the contact point without a timestamp header, which changes what is signed',
  },
  {
    // Source: simstudioai/sim vercel.ts; hookdeck/webhook-skills skills/vercel-webhooks/references/verification.md;
    // triggerdotdev/trigger.dev index.ts.
    id: 'vercel',
    name: 'Vercel',
    proofs: [body('x-vercel-signature', SHA1)],
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: simstudioai/sim intercom.ts; triggerdotdev/trigger.dev index.ts.
    id: 'intercom',
    name: 'Intercom',
    proofs: [body('x-hub-signature', { ...SHA1, prefix: 'sha1=' })],
    secret: 'client secret of the app',
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: n8n 2.8.4 Typeform/TypeformTriggerHelpers.js; simstudioai/sim typeform.ts.
    id: 'typeform',
    name: 'Typeform',
    proofs: [body('typeform-signature', { ...BASE64, ...HUB })],
    deliveryId: { fields: ['event_id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: npm @notionhq/client 5.26.0 build/src/webhooks.js; simstudioai/sim notion.ts.
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
    // Source: gtalarico/pyairtable pyairtable/models/webhook.py.
    id: 'airtable',
    name: 'Airtable',
    proofs: [body('x-airtable-content-mac', { prefix: 'hmac-sha256=', secretForm: 'base64' })],
    secret: 'macSecretBase64 of the webhook',
    deliveryId: { fields: ['webhook.id', 'timestamp'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: n8n 2.8.4 WhatsApp/WhatsAppTrigger.node.js:215-245; simstudioai/sim whatsapp.ts.
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
    // Source: simstudioai/sim microsoft-teams.ts:37-50.
    id: 'ms-teams-outgoing',
    name: 'Microsoft Teams outgoing webhook',
    proofs: [body('authorization', { ...BASE64, prefix: 'HMAC ', secretForm: 'base64' })],
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: n8n 2.8.4 Asana/AsanaTrigger.node.js:158-192.
    id: 'asana',
    name: 'Asana',
    proofs: [body('x-hook-signature')],
    secret: 'x-hook-secret of its handshake',
    handshake: { kind: 'header-echo', header: 'x-hook-secret' },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: simstudioai/sim calcom.ts.
    id: 'cal-com',
    name: 'Cal.com',
    proofs: [body('x-cal-signature-256')],
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: n8n 2.8.4 WooCommerce/WooCommerceTrigger.node.js; triggerdotdev/trigger.dev research-notes-wave2.md.
    id: 'woocommerce',
    name: 'WooCommerce',
    proofs: [body('x-wc-webhook-signature', BASE64)],
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: n8n 2.8.4 HelpScout/HelpScoutTrigger.node.js:161-170.
    id: 'helpscout',
    name: 'Help Scout',
    proofs: [body('x-helpscout-signature', { ...SHA1, ...BASE64 })],
    canSendToken: false,
    confidence: 'source-read',
  },
];
