import { FIVE_MINUTES, ONE_DAY } from '../scheme.ts';
import type { SignatureProof, SignatureScheme, TimestampRule } from '../scheme.ts';

/** Senders that sign a time together with the body, so that a copy is of no use after a while. */
function signature(header: string, row: Partial<SignatureProof> = {}): SignatureProof {
  return {
    kind: 'signature',
    algorithm: 'hmac-sha256',
    at: { header },
    encoding: 'hex',
    signed: '{timestamp}{body}',
    ...row,
  };
}

function seconds(header: string, toleranceSeconds = FIVE_MINUTES): TimestampRule {
  return { at: { header }, unit: 's', toleranceSeconds };
}

/** Standard Webhooks (https://www.standardwebhooks.com). Svix is where it comes from, with names of its own. */
function standard(
  prefix: 'webhook' | 'svix',
): Pick<SignatureScheme, 'proofs' | 'secret' | 'timestamp' | 'deliveryId'> {
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
    secret: 'the text that begins with whsec_',
    timestamp: seconds(`${prefix}-timestamp`),
    deliveryId: { headers: [`${prefix}-id`] },
  };
}

/** `t=…,v1=…`: Stripe's form, which others took over. The secret is used as it is, also where it begins with whsec_. */
function stripeLike(header: string): Pick<SignatureScheme, 'proofs' | 'timestamp'> {
  return {
    proofs: [
      signature(header, {
        list: { separator: ',', assign: '=', name: 'v1' },
        signed: '{timestamp}.{body}',
      }),
    ],
    timestamp: { at: { item: 't' }, unit: 's', toleranceSeconds: FIVE_MINUTES },
  };
}

const DISCORD_PINGS = new Map([
  // Interactions want their own type back; webhook events only that they have arrived.
  [1, { type: 1 }],
  [0, null],
]);

export const timeSigned: readonly SignatureScheme[] = [
  {
    // Source: npm standardwebhooks 1.1.1 dist/index.js; triggerdotdev/trigger.dev research-notes.md.
    id: 'standard-webhooks',
    name: 'Standard Webhooks (OpenAI, Render, Replicate, Recall.ai …)',
    ...standard('webhook'),
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: npm svix 1.99.1.
    id: 'svix',
    name: 'Svix (Clerk, Brex …)',
    ...standard('svix'),
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: npm resend 6.38.0; simstudioai/sim resend.ts; hookdeck/webhook-skills
    // skills/resend-webhooks/references/verification.md.
    id: 'resend',
    name: 'Resend',
    ...standard('svix'),
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944;
    // https://gitlab.com/gitlab-org/gitlab/-/merge_requests/231325;
    // https://gitlab.com/gitlab-org/gitlab/-/merge_requests/146702.
    id: 'gitlab',
    name: 'GitLab, signing token',
    ...standard('webhook'),
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    // Source: npm stripe 23.1.0 esm/Webhooks.js; n8n 2.8.4 Stripe/StripeTriggerHelpers.js.
    id: 'stripe',
    name: 'Stripe',
    ...stripeLike('stripe-signature'),
    deliveryId: { fields: ['id'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: triggerdotdev/trigger.dev index.ts; triggerdotdev/trigger.dev research-notes.md.
    id: 'calendly',
    name: 'Calendly',
    ...stripeLike('calendly-webhook-signature'),
    deliveryId: { fields: ['payload.uri', 'event'] },
    canSendToken: false,
    confidence: 'secondary',
  },
  {
    // Source: npm @slack/bolt 5.1.0 dist/receivers/verify-request.js; n8n 2.8.4 Slack/SlackTriggerHelpers.js,
    // SlackTrigger.node.js:295; simstudioai/sim slack.ts.
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
  {
    // Source: simstudioai/sim zoom.ts; triggerdotdev/trigger.dev index.ts.
    id: 'zoom',
    name: 'Zoom',
    proofs: [signature('x-zm-signature', { prefix: 'v0=', signed: 'v0:{timestamp}:{body}' })],
    timestamp: seconds('x-zm-request-timestamp'),
    deliveryId: { headers: ['x-zm-request-id'] },
    handshake: {
      kind: 'challenge-hmac',
      field: 'event',
      is: 'endpoint.url_validation',
      token: 'payload.plainToken',
    },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: https://developer.zendesk.com/documentation/webhooks/anatomy-of-a-webhook-request/; n8n 2.8.4
    // Zendesk/ZendeskTriggerHelpers.js; simstudioai/sim zendesk.ts.
    id: 'zendesk',
    name: 'Zendesk',
    proofs: [signature('x-zendesk-webhook-signature', { encoding: 'base64' })],
    timestamp: {
      at: { header: 'x-zendesk-webhook-signature-timestamp' },
      unit: 'iso',
      toleranceSeconds: FIVE_MINUTES,
    },
    deliveryId: { headers: ['x-zendesk-webhook-invocation-id'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    // Source: npm @linear/sdk 98.0.0 dist/webhooks; simstudioai/sim linear.ts.
    id: 'linear',
    name: 'Linear',
    proofs: [signature('linear-signature', { signed: '{body}' })],
    // It sends again after 1 minute, 1 hour and 6 hours with the time of the first attempt.
    timestamp: { at: { field: 'webhookTimestamp' }, unit: 'ms', toleranceSeconds: ONE_DAY },
    deliveryId: { headers: ['linear-delivery'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: npm discord-interactions 4.4.0; triggerdotdev/trigger.dev discord.ts.
    id: 'discord',
    name: 'Discord (interactions, webhook events)',
    proofs: [signature('x-signature-ed25519', { algorithm: 'ed25519' })],
    secret: 'public key of the application, in hex',
    timestamp: seconds('x-signature-timestamp', ONE_DAY),
    deliveryId: { fields: ['id'] },
    // A webhook event has type 1 as well, and the event beside it.
    handshake: { kind: 'pong', field: 'type', unless: 'event', answers: DISCORD_PINGS },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: npm @sendgrid/eventwebhook 8.0.0; hookdeck/webhook-skills
    // skills/sendgrid-webhooks/references/verification.md.
    id: 'sendgrid',
    name: 'SendGrid (event webhook)',
    proofs: [
      signature('x-twilio-email-event-webhook-signature', {
        algorithm: 'ecdsa-sha256',
        encoding: 'base64',
      }),
    ],
    secret: 'the verification key, in Base64',
    timestamp: seconds('x-twilio-email-event-webhook-timestamp', ONE_DAY),
    canSendToken: false,
    confidence: 'cross-checked',
    gaps: 'one request is a list of events, each with its own sg_event_id',
  },
];
