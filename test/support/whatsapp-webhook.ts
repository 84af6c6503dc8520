import { randomUUID } from 'node:crypto';
import { hmac } from './signed.ts';

export interface Telling {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PHONE_NUMBER_ID = '106540352242922';

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/text */
export function textMessage(body: string): object {
  return { type: 'text', text: { body } };
}

/** …/webhooks/reference/messages/interactive. @param of the message whose button it is */
export function buttonReply(id: string, of = 'wamid.1'): object {
  const title = id.startsWith('approve') ? 'Approve' : 'Deny';
  return {
    context: { from: '15550783881', id: of },
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id, title } },
  };
}

/** What became of a number of ours: `value` of the field `messages` (…/webhooks/overview). */
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

/** Signed by the app secret, https://developers.facebook.com/docs/graph-api/webhooks. */
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
