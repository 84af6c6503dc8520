import { createRequire } from 'node:module';
import { join } from 'node:path';
import { schemes } from '../../src/hooks/http/auth/signatures/index.ts';
import type { SignedRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import { believes, header } from '../support/official-libraries.ts';
import type { OfficialLibrary } from '../support/official-libraries.ts';
import { describeOverHttp } from '../support/official-over-http.ts';
import {
  deliver,
  isAccepted,
  PUBLIC_URL,
  senderOf,
  verifierFor,
} from '../support/signing-senders.ts';
import { PROGRAMS } from './programs.ts';

/** The libraries that are too large for everybody's installation; the others are compared in official-signers.spec.ts. */
const require = createRequire(join(PROGRAMS, 'signers.cjs'));
const NOW = Date.now();

type Check<Given extends unknown[], Found> = (...given: Given) => Found;

interface Twilio {
  readonly getExpectedTwilioSignature: Check<[token: string, url: string, form: object], string>;
  readonly validateRequest: Check<[string, string, url: string, form: object], boolean>;
  readonly validateRequestWithBody: Check<[string, string, url: string, body: string], boolean>;
}
interface Bolt {
  readonly isValidSlackRequest: Check<[object], boolean>;
}
interface Square {
  readonly WebhooksHelper: { readonly verifySignature: Check<[object], Promise<boolean>> };
}
interface Shopify {
  readonly shopifyApi: Check<
    [object],
    { readonly webhooks: { readonly validate: Check<[object], Promise<{ valid: boolean }>> } }
  >;
}

const text = ({ body }: SignedRequest): string => body.toString();

const libraries: Readonly<Record<string, OfficialLibrary>> = {
  twilio: {
    sign({ body, secret, url }) {
      const { getExpectedTwilioSignature } = require('twilio') as Twilio;
      return { 'x-twilio-signature': getExpectedTwilioSignature(secret, url, formOf(body)) };
    },
    isRight(request, secret) {
      const { validateRequest, validateRequestWithBody } = require('twilio') as Twilio;
      const url = PUBLIC_URL + request.url;
      const signature = header(request, 'x-twilio-signature');
      return url.includes('bodySHA256')
        ? validateRequestWithBody(secret, signature, url, text(request))
        : validateRequest(secret, signature, url, formOf(text(request)));
    },
  },
  slack: {
    isRight(request, signingSecret) {
      const bolt = require('@slack/bolt/dist/receivers/verify-request.js') as Bolt;
      return bolt.isValidSlackRequest({
        signingSecret,
        body: text(request),
        headers: {
          'x-slack-signature': header(request, 'x-slack-signature'),
          'x-slack-request-timestamp': Number(header(request, 'x-slack-request-timestamp')),
        },
      });
    },
  },
  square: {
    isRight(request, signatureKey) {
      const { WebhooksHelper } = require('square') as Square;
      return WebhooksHelper.verifySignature({
        requestBody: text(request),
        signatureHeader: header(request, 'x-square-hmacsha256-signature'),
        signatureKey,
        notificationUrl: PUBLIC_URL + request.url,
      });
    },
  },
  shopify: {
    async isRight(request, apiSecretKey) {
      const adapter: unknown = require('@shopify/shopify-api/adapters/node');
      expect(adapter).toBeDefined();
      const { shopifyApi } = require('@shopify/shopify-api') as Shopify;
      const { webhooks } = shopifyApi({
        apiKey: 'key',
        apiSecretKey,
        apiVersion: '2026-10',
        hostName: 'example.org',
        isEmbeddedApp: false,
        logger: { log: () => {} },
      });
      const rawRequest = { method: 'POST', url: request.url, headers: request.headers };
      const found = await webhooks.validate({ rawBody: text(request), rawRequest });
      return found.valid;
    },
  },
};

function formOf(body: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(body);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((key) => {
      // A list of this realm: the library asks by instanceof.
      const values = [...parameters.getAll(key)];
      return [key, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

describe.each(Object.entries(libraries))('%s and its own library', (id, library) => {
  const scheme = schemes.get(id)!;
  const { toSign, options } = senderOf(scheme);
  const bodies = id === 'twilio' ? [toSign.body, Buffer.from('{"state":"done"}')] : [toSign.body];

  it.each(bodies)('agree on what we sign, and on a changed byte of it', async (body) => {
    const request = deliver(scheme, { ...toSign, body, now: NOW });
    const changed = { ...request, body: Buffer.from(text(request).replace('done', 'gone')) };
    const verifier = verifierFor(options);
    expect(await believes(library, request, toSign.secret)).toBe(true);
    expect(await isAccepted(verifier, request, NOW)).not.toBeNull();
    expect(await believes(library, changed, toSign.secret)).toBe(false);
    expect(await isAccepted(verifier, changed, NOW)).toBeNull();
    expect(await believes(library, request, 'another secret')).toBe(false);
  });
});

for (const [id, library] of Object.entries(libraries)) describeOverHttp(id, library);

describe('a request that the library of Twilio signed', () => {
  it('is right as it is, and with the port that its console may show', async () => {
    const { getExpectedTwilioSignature } = require('twilio') as Twilio;
    const scheme = schemes.get('twilio')!;
    const { toSign, options } = senderOf(scheme);
    const verifier = verifierFor(options);
    for (const base of [PUBLIC_URL, PUBLIC_URL.replace('.org', '.org:443')]) {
      const signature = getExpectedTwilioSignature(
        toSign.secret,
        `${base}/hooks/twilio`,
        formOf(toSign.body.toString()),
      );
      const request = {
        method: 'POST',
        url: '/hooks/twilio',
        headers: {
          'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
          'x-twilio-signature': signature,
        },
        body: toSign.body,
      };
      expect(await isAccepted(verifier, request, NOW)).not.toBeNull();
      const body = Buffer.from(toSign.body.toString().replace('done', 'gone'));
      expect(await isAccepted(verifier, { ...request, body }, NOW)).toBeNull();
    }
  });
});
