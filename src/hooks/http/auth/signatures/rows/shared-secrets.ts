import type { SignatureScheme } from '../scheme.ts';

/**
 * Senders that show a secret with every request, and those that sign nothing. Whoever sees one request can make any
 * other, so these are as good as the hook token and no better; what they need is TLS all the way.
 */
export const sharedSecrets: readonly SignatureScheme[] = [
  {
    // Source: n8n 2.8.4 Telegram/TelegramTrigger.node.js:204,232; triggerdotdev/trigger.dev research-notes-wave3.md.
    id: 'telegram',
    name: 'Telegram Bot API',
    proofs: [{ kind: 'secret', at: { header: 'x-telegram-bot-api-secret-token' } }],
    secret: 'secret_token of setWebhook',
    deliveryId: { fields: ['update_id'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    id: 'gitlab-token',
    name: 'GitLab, secret token',
    proofs: [{ kind: 'secret', at: { header: 'x-gitlab-token' } }],
    deliveryId: { headers: ['idempotency-key', 'x-gitlab-event-uuid'] },
    canSendToken: true,
    confidence: 'source-read',
  },
  {
    // Source: n8n 2.8.4 Microsoft/Teams/MicrosoftTeamsTrigger.node.js:334; simstudioai/sim microsoft-teams.ts:483;
    // triggerdotdev/trigger.dev research-notes.md.
    id: 'ms-graph',
    name: 'Microsoft Graph change notifications',
    proofs: [{ kind: 'secret', at: { field: 'clientState' }, each: 'value' }],
    secret: 'clientState of the subscription',
    handshake: { kind: 'query-echo', parameter: 'validationToken' },
    canSendToken: false,
    confidence: 'source-read',
    gaps: 'the tokens of rich notifications are not looked at',
  },
  {
    // Source: n8n 2.8.4 Strava/StravaTrigger.node.js:216.
    id: 'strava',
    name: 'Strava',
    proofs: [{ kind: 'secret', at: { field: 'subscription_id' }, isGuessable: true }],
    secret: 'the number of the subscription',
    handshake: {
      kind: 'get-challenge',
      parameter: 'hub.challenge',
      answer: 'json',
      verifyToken: 'hub.verify_token',
    },
    canSendToken: false,
    confidence: 'source-read',
    gaps: 'it signs nothing, and its number can be guessed: give the hook a path that cannot',
  },
  {
    // Source: https://postmarkapp.com/developer/webhooks/webhooks-overview;
    // https://postmarkapp.com/support/article/understanding-inbound-webhook-retries-in-postmark; npm postmark
    // dist/client/models/webhooks/Webhook.d.ts.
    id: 'postmark',
    name: 'Postmark',
    proofs: [{ kind: 'basic' }],
    secret: 'user:password as in the URL',
    deliveryId: { fields: ['MessageID', 'RecordType'] },
    canSendToken: true,
    confidence: 'docs-excerpt',
  },
  {
    // Source: https://docs.datadoghq.com/api/latest/webhooks-integration.md;
    // https://github.com/DataDog/Miscellany/blob/master/webhooks.
    id: 'datadog',
    name: 'Datadog',
    proofs: [],
    canSendToken: true,
    confidence: 'docs-excerpt',
  },
  {
    // Source: Debian's prometheus-alertmanager 0.25.0, run.
    id: 'alertmanager',
    name: 'Prometheus Alertmanager',
    proofs: [],
    canSendToken: true,
    confidence: 'measured',
  },
];
