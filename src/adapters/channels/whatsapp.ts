import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';
import { WHATSAPP_MARKS, plainMarkup } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';

export interface WhatsAppOptions {
  /** Access token of a system user with `whatsapp_business_messaging`. */
  readonly token: string;
  /** Id of the sending number (not the number itself). */
  readonly phoneNumberId: string;
  /** Address of the Graph API, with its version. @default 'https://graph.facebook.com/v25.0' */
  readonly apiRoot?: string;
}

/** Where it is asked unless the options say otherwise. */
export const WHATSAPP_ROOT = 'https://graph.facebook.com/v25.0';

/** Meta answers most failures with 400 or 500: the code alone says what they mean (Cloud API, "Error codes"). */
const KINDS: Readonly<Record<string, DeliveryFailure>> = {
  '0': 'auth',
  '10': 'auth',
  '190': 'auth',
  '200': 'auth',
  '131005': 'auth',
  '131031': 'auth',
  '4': 'rate-limited',
  '80007': 'rate-limited',
  '130429': 'rate-limited',
  '131048': 'rate-limited',
  // Too many to this one recipient: the others go on.
  '131056': 'retryable',
  '1': 'retryable',
  '2': 'retryable',
  '131000': 'retryable',
  '131016': 'retryable',
  '131057': 'retryable',
  '133004': 'retryable',
};

class WhatsAppChannel extends PlatformChannel {
  override readonly provider = 'whatsapp';
  // A closed window, an unknown number or an unpaid bill is told by webhook only.
  override readonly onlyAccepts = true;
  protected override readonly limit = 4096;
  /** Blanks, dots, dashes and brackets are allowed; Meta gets the digits. */
  protected override readonly recipient = {
    pattern: /^\+?[ .()-]*[1-9](?:[ .()-]*\d){6,14}$/,
    expected: 'a phone number with its country code, such as +491701234567',
  };
  readonly #options: WhatsAppOptions;

  constructor(options: WhatsAppOptions) {
    super({ name: 'WhatsApp', secrets: [options.token] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return plainMarkup(withoutTables(markdown, PHONE_COLUMNS), WHATSAPP_MARKS);
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { token, phoneNumberId, apiRoot = WHATSAPP_ROOT } = this.#options;
    const url = joinUrl(apiRoot, `/${encodeURIComponent(phoneNumberId)}/messages`);
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: to.replace(/\D/g, ''),
      type: 'text',
      text: { body: text, preview_url: false },
    };
    const request = postJson(body, signal, { authorization: `Bearer ${token}` });
    const answer = await this.request(url, request);
    const { status, json } = answer;
    const messageId = getText(json, 'messages', 0, 'id');
    if (status < 300 && messageId !== undefined) return { messageId };
    const code = getText(json, 'error', 'code');
    const details = getText(json, 'error', 'error_data', 'details');
    const message = details ?? getText(json, 'error', 'message');
    throw this.refusal(answer, { message, code, kind: KINDS[code ?? ''] });
  }
}

/**
 * WhatsApp through Meta's Cloud API; `to` is a phone number. The platform knows no idempotency key, and writes freely
 * only within 24 hours of the recipient's last message.
 */
export function whatsapp(options: WhatsAppOptions): Channel {
  return new WhatsAppChannel(options);
}
