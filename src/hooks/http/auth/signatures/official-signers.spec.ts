import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { signWebhookPayload, verifyWebhookSignature } from '@notionhq/client';
import sendgrid from '@sendgrid/eventwebhook';
import { verifyKey } from 'discord-interactions';
import { PassThrough } from 'node:stream';
import https from 'node:https';
import { Resend } from 'resend';
import SnsValidator from 'sns-validator';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import {
  certificatePem,
  deliver,
  isAccepted,
  otherSecret,
  senderOf,
  TARGET,
  verifierFor,
} from '../../../../../test/support/signing-senders.ts';
import { schemes } from './index.ts';
import type { SignedRequest } from './index.ts';

/** The verifiers of the providers know no clock but the machine's. */
const NOW = Date.now();
const SECONDS = Math.floor(NOW / 1000);
const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';

type Headers = Readonly<Record<string, string>>;

/** A provider's own library: what it signs, and whether it believes. */
interface Official {
  readonly sign?: (body: string, secret: string) => Headers | Promise<Headers>;
  /** Throws or says no to what it does not believe. @param secret the half that the receiver is given */
  isRight(headers: Headers, body: Buffer, secret: string): unknown;
}

const stripe = new Stripe('sk_test_nobody');

const officials: Readonly<Record<string, Official>> = {
  github: {
    sign: async (body, secret) => ({ 'x-hub-signature-256': await octokitSign(secret, body) }),
    isRight: (headers, body, secret) =>
      octokitVerify(secret, body.toString(), headers['x-hub-signature-256'] ?? ''),
  },
  stripe: {
    sign: (payload, secret) => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret }),
    }),
    isRight: (headers, body, secret) =>
      stripe.webhooks.constructEvent(body, headers['stripe-signature'] ?? '', secret),
  },
  'standard-webhooks': {
    sign: (body, secret) => ({
      'webhook-id': ID,
      'webhook-timestamp': String(SECONDS),
      'webhook-signature': new StandardWebhook(secret).sign(ID, new Date(SECONDS * 1000), body),
    }),
    isRight: (headers, body, secret) => new StandardWebhook(secret).verify(body, headers),
  },
  svix: {
    sign: (body, secret) => ({
      'svix-id': ID,
      'svix-timestamp': String(SECONDS),
      'svix-signature': new SvixWebhook(secret).sign(ID, new Date(SECONDS * 1000), body),
    }),
    isRight: (headers, body, secret) => new SvixWebhook(secret).verify(body, headers),
  },
  resend: {
    isRight: (headers, body, webhookSecret) =>
      new Resend('re_nobody').webhooks.verify({
        payload: body.toString(),
        headers: {
          id: headers['svix-id'] ?? '',
          timestamp: headers['svix-timestamp'] ?? '',
          signature: headers['svix-signature'] ?? '',
        },
        webhookSecret,
      }),
  },
  linear: {
    isRight: (headers, body, secret) =>
      new LinearWebhookClient(secret).verify(body, headers['linear-signature'] ?? ''),
  },
  notion: {
    sign: async (body, verificationToken) => ({
      'x-notion-signature': await signWebhookPayload({ body, verificationToken }),
    }),
    isRight: (headers, body, verificationToken) =>
      verifyWebhookSignature({
        body: body.toString(),
        signature: headers['x-notion-signature'] ?? '',
        verificationToken,
      }),
  },
  discord: {
    isRight: (headers, body, key) =>
      verifyKey(
        body,
        headers['x-signature-ed25519'] ?? '',
        headers['x-signature-timestamp'] ?? '',
        key,
      ),
  },
  sendgrid: {
    isRight(headers, body, key) {
      const webhook = new sendgrid.EventWebhook();
      return webhook.verifySignature(
        webhook.convertPublicKeyToECDSA(key),
        body,
        headers['x-twilio-email-event-webhook-signature'] ?? '',
        headers['x-twilio-email-event-webhook-timestamp'] ?? '',
      );
    },
  },
  'aws-sns': {
    async isRight(_headers, body) {
      const real = https.get;
      https.get = answering(certificatePem);
      try {
        return await new Promise((resolve, reject) => {
          new SnsValidator().validate(body.toString(), (error) =>
            error === null ? resolve(true) : reject(error),
          );
        });
      } finally {
        https.get = real;
      }
    },
  },
};

/** Instead of the network: the host's answer to whoever asks. */
function answering(text: string): typeof https.get {
  return ((_url: string, listen: (answer: PassThrough) => void) => {
    const answer = Object.assign(new PassThrough(), { statusCode: 200 });
    listen(answer);
    answer.end(text);
    return answer;
  }) as unknown as typeof https.get;
}

async function believes(official: Official, request: SignedRequest, key: string): Promise<boolean> {
  const headers = request.headers as Headers;
  try {
    return Boolean((await official.isRight(headers, request.body, key)) ?? true);
  } catch {
    return false;
  }
}

describe.each(Object.entries(officials))('%s and its own library', (id, official) => {
  const scheme = schemes.get(id)!;
  const sender = senderOf(scheme);
  const [key = ''] = sender.options.secrets;
  // Linear has its time in the body.
  const timely = sender.toSign.body.toString().replaceAll(String(sender.toSign.now), String(NOW));
  const body = Buffer.from(timely);
  const request = deliver(scheme, { ...sender.toSign, body, now: NOW, id: ID });

  it('agree on what we sign, on a changed byte of it, and on another secret', async () => {
    const body = Buffer.from(request.body.toString().replace('done', 'gone'));
    const verifier = verifierFor(sender.options);
    expect(await believes(official, request, key)).toBe(true);
    expect(await isAccepted(verifier, request, NOW)).not.toBeNull();
    expect(await believes(official, { ...request, body }, key)).toBe(false);
    expect(await verifier.verify({ ...request, body }, NOW)).toBe('mismatch');
    // The key of SNS is its certificate's; what the operator names is the topic.
    const isKeyed = id !== 'aws-sns';
    expect(await believes(official, request, otherSecret(scheme, key))).toBe(!isKeyed);
  });
});

const signers = Object.entries(officials).flatMap(([id, { sign }]) =>
  sign === undefined ? [] : [[id, sign] as const],
);

describe.each(signers)('a request that the library of %s signed', (id, sign) => {
  const scheme = schemes.get(id)!;
  const { toSign, options } = senderOf(scheme);
  const { body } = toSign;
  const request = async (): Promise<SignedRequest> => ({
    method: 'POST',
    url: TARGET,
    headers: await sign(body.toString(), toSign.secret),
    body,
  });

  it('is right, with a second secret as well; changed, by another secret or stale it is not', async () => {
    const signed = await request();
    const other = otherSecret(scheme, toSign.secret);
    const verifier = verifierFor({ ...options, secrets: [other, toSign.secret] });
    expect(await isAccepted(verifier, signed, NOW)).not.toBeNull();
    const changed = Buffer.from(body.toString().replace('done', 'gone'));
    expect(await verifier.verify({ ...signed, body: changed }, NOW)).toBe('mismatch');
    expect(await verifierFor({ ...options, secrets: [other] }).verify(signed, NOW)).toBe(
      'mismatch',
    );
    const later = await verifier.verify(signed, NOW + 302_000);
    expect(later === 'stale').toBe(scheme.timestamp !== undefined);
  });
});
