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
import type { SignedRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import { certificatePem } from './signing-senders.ts';

export interface Unsigned {
  readonly body: string;
  readonly secret: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
  readonly url: string;
}

export interface OfficialLibrary {
  sign?(unsigned: Unsigned): Record<string, string> | Promise<Record<string, string>>;
  /** Throws or says no to what it does not believe. @param secret the half that the receiver is given */
  isRight(request: SignedRequest, secret: string): unknown;
}

export const header = ({ headers }: SignedRequest, name: string): string =>
  String(headers[name] ?? '');

export async function believes(
  library: OfficialLibrary,
  request: SignedRequest,
  secret: string,
): Promise<boolean> {
  try {
    return Boolean((await library.isRight(request, secret)) ?? true);
  } catch {
    return false;
  }
}

const stripe = new Stripe('sk_test_nobody');

/** Those that are small enough for everybody's installation; test/real has the others. */
export const officialLibraries: Readonly<Record<string, OfficialLibrary>> = {
  github: {
    sign: async ({ body, secret }) => ({ 'x-hub-signature-256': await octokitSign(secret, body) }),
    isRight: (request, secret) =>
      octokitVerify(secret, request.body.toString(), header(request, 'x-hub-signature-256')),
  },
  stripe: {
    sign: ({ body: payload, secret, at }) => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp: Math.floor(at / 1000),
      }),
    }),
    isRight: (request, secret) =>
      stripe.webhooks.constructEvent(request.body, header(request, 'stripe-signature'), secret),
  },
  'standard-webhooks': {
    sign: ({ body, secret, at, id }) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': new StandardWebhook(secret).sign(id, new Date(at), body),
    }),
    isRight: ({ headers, body }, secret) =>
      new StandardWebhook(secret).verify(body, headers as Record<string, string>),
  },
  svix: {
    sign: ({ body, secret, at, id }) => ({
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at / 1000)),
      'svix-signature': new SvixWebhook(secret).sign(id, new Date(at), body),
    }),
    isRight: ({ headers, body }, secret) =>
      new SvixWebhook(secret).verify(body, headers as Record<string, string>),
  },
  resend: {
    isRight: (request, webhookSecret) =>
      new Resend('re_nobody').webhooks.verify({
        payload: request.body.toString(),
        headers: {
          id: header(request, 'svix-id'),
          timestamp: header(request, 'svix-timestamp'),
          signature: header(request, 'svix-signature'),
        },
        webhookSecret,
      }),
  },
  linear: {
    isRight: (request, secret) =>
      new LinearWebhookClient(secret).verify(request.body, header(request, 'linear-signature')),
  },
  notion: {
    sign: async ({ body, secret: verificationToken }) => ({
      'x-notion-signature': await signWebhookPayload({ body, verificationToken }),
    }),
    isRight: (request, verificationToken) =>
      verifyWebhookSignature({
        body: request.body.toString(),
        signature: header(request, 'x-notion-signature'),
        verificationToken,
      }),
  },
  discord: {
    isRight: (request, key) =>
      verifyKey(
        request.body,
        header(request, 'x-signature-ed25519'),
        header(request, 'x-signature-timestamp'),
        key,
      ),
  },
  sendgrid: {
    isRight(request, key) {
      const webhook = new sendgrid.EventWebhook();
      return webhook.verifySignature(
        webhook.convertPublicKeyToECDSA(key),
        request.body,
        header(request, 'x-twilio-email-event-webhook-signature'),
        header(request, 'x-twilio-email-event-webhook-timestamp'),
      );
    },
  },
  'aws-sns': {
    async isRight({ body }) {
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

function answering(text: string): typeof https.get {
  return ((_url: string, listen: (answer: PassThrough) => void) => {
    const answer = Object.assign(new PassThrough(), { statusCode: 200 });
    listen(answer);
    answer.end(text);
    return answer;
  }) as unknown as typeof https.get;
}
