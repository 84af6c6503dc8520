import { FIVE_MINUTES, ONE_DAY } from '../scheme.ts';
import type { SignatureProof, SignatureScheme } from '../scheme.ts';

/** Senders that sign something else than the body and a time: the URL, a form, a claim, fields of the body. */
function signature(
  row: Pick<SignatureProof, 'at' | 'signed'> & Partial<SignatureProof>,
): SignatureProof {
  return { kind: 'signature', algorithm: 'hmac-sha256', encoding: 'base64', ...row };
}

const PAYPAL_CERTIFICATE =
  /^https:\/\/api(?:-m)?(?:\.sandbox)?\.paypal\.com\/v1\/notifications\/certs\/[\w-]{1,100}$/;
const SNS_CERTIFICATE =
  /^https:\/\/sns\.([a-z0-9-]{3,40})\.amazonaws\.com(?:\.cn)?\/SimpleNotificationService-[\w-]{1,100}\.pem$/;

const SNS_CONFIRMATION = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
];

export const otherwiseSigned: readonly SignatureScheme[] = [
  {
    // Source: npm twilio 6.2.0 lib/webhooks/webhooks.js; simstudioai/sim twilio-signature.ts.
    id: 'twilio',
    name: 'Twilio',
    proofs: [
      signature({
        at: { header: 'x-twilio-signature' },
        algorithm: 'hmac-sha1',
        signed: '{url}{form}',
        isPortOptional: true,
        bodyDigestParameter: 'bodySHA256',
      }),
    ],
    secret: 'auth token of the account',
    deliveryId: {
      fields: ['MessageSid|SmsSid|CallSid', 'MessageStatus|SmsStatus|CallStatus'],
    },
    body: 'form',
    canSendToken: true,
    confidence: 'cross-checked',
    gaps: 'where a parameter ends and the next begins; a parameter given twice with one value',
  },
  {
    // Source: npm square 46.0.0 wrapper/WebhooksHelper.js; triggerdotdev/trigger.dev index.ts.
    id: 'square',
    name: 'Square',
    proofs: [signature({ at: { header: 'x-square-hmacsha256-signature' }, signed: '{url}{body}' })],
    secret: 'signature key of the subscription',
    deliveryId: { fields: ['event_id'] },
    canSendToken: false,
    confidence: 'cross-checked',
  },
  {
    // Source: n8n 2.8.4 Trello/TrelloTrigger.node.js:111-133.
    id: 'trello',
    name: 'Trello',
    proofs: [
      signature({
        at: { header: 'x-trello-webhook' },
        algorithm: 'hmac-sha1',
        signed: '{body}{url}',
      }),
    ],
    secret: 'secret of the API key',
    deliveryId: { fields: ['action.id'] },
    handshake: { kind: 'head' },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: simstudioai/sim netlify.ts; https://gitlab.com/jamietanna/www-api/-/issues/107;
    // https://github.com/simstudioai/sim/pull/4518.
    id: 'netlify',
    name: 'Netlify',
    proofs: [
      {
        kind: 'jwt',
        at: { header: 'x-webhook-signature' },
        issuer: 'netlify',
        bodyClaim: 'sha256',
      },
    ],
    deliveryId: { fields: ['id', 'state'] },
    canSendToken: false,
    confidence: 'source-read',
  },
  {
    // Source: https://www.skills.sh/hookdeck/webhook-skills/mailgun-webhooks;
    // https://docs.member.dev/api-reference/email-webhooks/mailgun-inbound-event-webhook; triggerdotdev/trigger.dev
    // research-notes-wave2.md.
    id: 'mailgun',
    name: 'Mailgun',
    proofs: [
      signature({
        at: { field: 'signature.signature' },
        encoding: 'hex',
        signed: '{field:signature.timestamp}{field:signature.token}',
      }),
    ],
    secret: 'HTTP webhook signing key',
    timestamp: {
      at: { field: 'signature.timestamp' },
      unit: 's',
      toleranceSeconds: FIVE_MINUTES,
    },
    deliveryId: { fields: ['signature.token'] },
    canSendToken: false,
    confidence: 'secondary',
    gaps: 'a signature that somebody has seen vouches once for any body at all',
  },
  {
    // Source: triggerdotdev/trigger.dev research-notes.md.
    id: 'paypal',
    name: 'PayPal',
    proofs: [
      {
        kind: 'certificate',
        at: { header: 'paypal-transmission-sig' },
        certificateUrl: { header: 'paypal-cert-url' },
        allows: ({ href }) => PAYPAL_CERTIFICATE.test(href),
        algorithmAt: { header: 'paypal-auth-algo' },
        algorithms: { SHA256withRSA: 'sha256' },
        signed: '{id}|{timestamp}|{secret}|{crc32}',
        idHeader: 'paypal-transmission-id',
      },
    ],
    secret: 'the id of the webhook (public; the certificate is what proves)',
    timestamp: {
      at: { header: 'paypal-transmission-time' },
      unit: 'iso',
      toleranceSeconds: ONE_DAY,
    },
    deliveryId: { headers: ['paypal-transmission-id'] },
    canSendToken: false,
    confidence: 'secondary',
    gaps: 'of the body only a CRC-32 is signed: who has seen one delivery can make another body for it',
  },
  {
    id: 'aws-sns',
    name: 'Amazon SNS',
    proofs: [
      {
        kind: 'certificate',
        at: { field: 'Signature' },
        certificateUrl: { field: 'SigningCertURL' },
        // The region of the topic and of no other: a stranger cannot send us to any host that he likes.
        allows: ({ href }, topic) => SNS_CERTIFICATE.exec(href)?.[1] === topic.split(':')[3],
        algorithmAt: { field: 'SignatureVersion' },
        algorithms: { '1': 'sha1', '2': 'sha256' },
        signed: {
          Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
          SubscriptionConfirmation: SNS_CONFIRMATION,
          UnsubscribeConfirmation: SNS_CONFIRMATION,
        },
        boundField: 'TopicArn',
      },
    ],
    secret: 'the ARN of the topic (public; anybody can have a topic, so it has to be yours)',
    timestamp: { at: { field: 'Timestamp' }, unit: 'iso', toleranceSeconds: ONE_DAY },
    deliveryId: { fields: ['MessageId'] },
    contentType: 'text/plain',
    canSendToken: false,
    confidence: 'cross-checked',
    gaps: 'MessageAttributes and UnsubscribeURL; raw message delivery is not signed at all',
  },
];
