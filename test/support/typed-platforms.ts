import { randomUUID } from 'node:crypto';
import { whatsapp } from '../../src/channels.ts';
import type { Channel } from '../../src/hooks/index.ts';
import { PlatformServer } from './platforms/index.ts';
import type { PlatformSpeech } from './platforms/index.ts';
import { whatsapp as whatsappSpeech } from './platforms/whatsapp.ts';
import { hmac } from './signed.ts';

export interface Telling {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TypedPlatform {
  readonly speech: PlatformSpeech;
  readonly channel: (origin: string) => Channel;
  /** Who is asked, as configured, and a stranger: as `approvers` name both. */
  readonly to: string;
  readonly ana: string;
  readonly ben: string;
  readonly verify: (secret: string) => object;
  /** The request that tells what somebody has written. @param texts in one request */
  readonly tell: (secret: string, by: string, ...texts: readonly string[]) => Telling;
}

const PHONE_NUMBER_ID = '106540352242922';

/**
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview and
 * …/webhooks/reference/messages/text; signed by the app secret, https://developers.facebook.com/docs/graph-api/webhooks.
 */
export const typedWhatsapp: TypedPlatform = {
  speech: whatsappSpeech,
  channel: (origin) =>
    whatsapp({
      token: 'EAAG-whatsapp-secret',
      phoneNumberId: PHONE_NUMBER_ID,
      apiRoot: `${origin}/v25.0`,
    }),
  to: '+49 (170) 123-4567',
  ana: 'whatsapp:+491701234567',
  ben: 'whatsapp:+491707654321',
  verify: (secret) => ({ scheme: 'meta', secrets: [secret] }),
  tell: (secret, by, ...texts) =>
    signedByMeta(
      secret,
      whatsappValue(
        by,
        texts.map((body) => ({ type: 'text', text: { body } })),
      ),
    ),
};

/** What became of a number of ours: `value` of the field `messages`. */
export function whatsappValue(
  by: string,
  messages: readonly object[],
  phone_number_id = PHONE_NUMBER_ID,
): object {
  const from = by.replace(/\D/g, '');
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id },
    contacts: [{ profile: { name: 'Sheena Nelson' }, wa_id: from }],
    messages: messages.map((message) => ({
      from,
      id: `wamid.${Buffer.from(randomUUID()).toString('base64')}`,
      timestamp: '1749416383',
      ...message,
    })),
  };
}

export function signedByMeta(secret: string, ...values: readonly object[]): Telling {
  const changes = values.map((value) => ({ value, field: 'messages' }));
  const entry = [{ id: '102290129340398', changes }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  const signature = `sha256=${hmac('sha256', secret, body)}`;
  return {
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
    body,
  };
}

export function serverOf({ speech }: TypedPlatform): Promise<PlatformServer> {
  return PlatformServer.start(speech);
}
