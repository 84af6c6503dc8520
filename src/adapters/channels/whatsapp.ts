import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { below, exchange, json } from './exchange.ts';
import type { Answer, Platform } from './exchange.ts';
import { textAt } from './field.ts';
import { WHATSAPP_MARKS, plainMarkup } from './plain-markup.ts';
import { PlatformChannel } from './platform-channel.ts';
import { PHONE_NUMBER, digitsOf } from './recipients.ts';
import { refusal } from './refusal.ts';

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

/** Meta answers most failures with 400 or 500: the code alone tells what they mean (Cloud API, "Error codes"). */
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
  protected override readonly limit = 4096;
  protected override readonly recipient = PHONE_NUMBER;
  readonly #options: WhatsAppOptions;
  readonly #platform: Platform;

  constructor(options: WhatsAppOptions) {
    super();
    this.#options = options;
    this.#platform = { name: 'WhatsApp', secrets: [options.token] };
  }

  protected override form(markdown: string): string {
    return plainMarkup(markdown, WHATSAPP_MARKS);
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { token, phoneNumberId, apiRoot = WHATSAPP_ROOT } = this.#options;
    const url = below(apiRoot, `/${encodeURIComponent(phoneNumberId)}/messages`);
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: digitsOf(to),
      type: 'text',
      text: { body: text, preview_url: false },
    };
    const init = json(body, { authorization: `Bearer ${token}` });
    const answer = await exchange(this.#platform, url, init, signal);
    const messageId = textAt(answer.body, 'messages', 0, 'id');
    if (answer.status >= 300 || messageId === undefined) throw this.#refusal(answer);
    return { messageId };
  }

  #refusal(answer: Answer) {
    const code = textAt(answer.body, 'error', 'code');
    const details = textAt(answer.body, 'error', 'error_data', 'details');
    const said = details ?? textAt(answer.body, 'error', 'message');
    return refusal(this.#platform, answer, { said, code, kind: KINDS[code ?? ''] });
  }
}

/**
 * WhatsApp through Meta's Cloud API; `to` is a phone number. The platform knows no idempotency key, and writes freely
 * only within 24 hours of the recipient's last message.
 */
export function whatsapp(options: WhatsAppOptions): Channel {
  return new WhatsAppChannel(options);
}
