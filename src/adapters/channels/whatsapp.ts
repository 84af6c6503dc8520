import type { Buttons, Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';
import type { Explanation } from './delivery-errors.ts';
import { WHATSAPP_MARKS, plainMarkup } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';
import { WhatsAppButtons, questionContent } from './whatsapp-buttons.ts';

export interface WhatsAppOptions {
  /** Access token of a system user with `whatsapp_business_messaging`. */
  readonly token: string;
  /** Id of the sending number (not the number itself). */
  readonly phoneNumberId: string;
  /** Address of the Graph API, with its version. @default 'https://graph.facebook.com/v25.0' */
  readonly apiRoot?: string;
  /** Every message is sent as this template, the only thing that arrives outside of the 24 hours. @default text messages */
  readonly template?: {
    readonly name: string;
    /** As Meta writes it, for example `en_US` or `de`. */
    readonly language: string;
  };
}

export const WHATSAPP_ROOT = 'https://graph.facebook.com/v25.0';

const REGISTER = 'register the number again (POST /<phone number id>/register)';
const MEND_TEMPLATE = 'look at the template in the WhatsApp Manager';

/** Most failures are 400 or 500: the code says what they mean (Cloud API, "Error codes"; Graph API, "Rate limits"). */
const MEANINGS: Readonly<Record<string, Explanation>> = {
  '0': { kind: 'auth' },
  '3': { kind: 'auth' },
  '10': { kind: 'auth' },
  '190': { kind: 'auth' },
  '200': { kind: 'auth' },
  '131005': { kind: 'auth' },
  '131031': { kind: 'auth' },
  '4': { kind: 'rate-limited' },
  '17': { kind: 'rate-limited' },
  '32': { kind: 'rate-limited' },
  '613': { kind: 'rate-limited' },
  '80007': { kind: 'rate-limited' },
  '130429': { kind: 'rate-limited' },
  '131048': { kind: 'rate-limited' },
  // Too many to this one recipient: the others go on.
  '131056': { kind: 'retryable' },
  '1': { kind: 'unknown' },
  '131000': { kind: 'unknown' },
  '2': { kind: 'retryable' },
  '131016': { kind: 'retryable' },
  '131057': { kind: 'retryable' },
  '133004': { kind: 'retryable' },
  '33': { kind: 'permanent', advice: 'check phoneNumberId: Meta has no such number' },
  '131030': { kind: 'permanent', advice: 'a test number writes only to the numbers on its list' },
  '131037': {
    kind: 'permanent',
    advice: 'change the display name of the number and have it approved',
  },
  '131042': {
    kind: 'permanent',
    advice: 'mend the payment method of the WhatsApp Business account',
  },
  '131045': { kind: 'permanent', advice: REGISTER },
  '131047': {
    kind: 'permanent',
    advice: 'this person wrote more than 24 hours ago; only a template arrives then, see template',
  },
  '132000': { kind: 'permanent', advice: 'the template needs one variable in its body, {{1}}' },
  '132001': { kind: 'permanent', advice: 'no template of this name is approved in this language' },
  '132005': {
    kind: 'permanent',
    advice: 'the fixed words of the template may have 124 characters',
  },
  '132012': { kind: 'permanent', advice: 'the template needs one variable in its body, {{1}}' },
  '132015': { kind: 'permanent', advice: MEND_TEMPLATE },
  '132016': { kind: 'permanent', advice: MEND_TEMPLATE },
  '133000': { kind: 'permanent', advice: `deregister the number, then ${REGISTER}` },
  '133010': { kind: 'permanent', advice: REGISTER },
};

const TEXT_CHARS = 4096;
/** A template may have 1,024 characters with its variable filled in; 124 are left to its fixed words. */
const PARAMETER_CHARS = 900;

class WhatsAppChannel extends PlatformChannel {
  override readonly provider = 'whatsapp';
  // A closed window, an unknown number or an unpaid bill is told by webhook only.
  override readonly onlyAccepts = true;
  protected override readonly limit: number;
  /** Blanks, dots, dashes and brackets are allowed; Meta gets the digits. */
  protected override readonly recipient = {
    pattern: /^\+?[ .()-]*[1-9](?:[ .()-]*\d){6,14}$/,
    expected: 'a phone number with its country code, such as +491701234567',
  };
  /** In a template's one line nobody sees where a reply ends. */
  override readonly buttons: Buttons | null;
  readonly #options: WhatsAppOptions;

  constructor(options: WhatsAppOptions) {
    super({ name: 'WhatsApp', secrets: [options.token] });
    this.#options = options;
    const say = async (to: string, text: string, signal: AbortSignal) => {
      await this.send({ to, text, idempotencyKey: '' }, signal);
    };
    this.buttons = options.template ? null : new WhatsAppButtons(options.phoneNumberId, say);
    this.limit = options.template === undefined ? TEXT_CHARS : PARAMETER_CHARS;
  }

  protected override form(markdown: string): string {
    const isText = this.#options.template === undefined;
    const plain = withoutTables(markdown, isText ? PHONE_COLUMNS : 0);
    const text = plainMarkup(plain, WHATSAPP_MARKS);
    return isText ? text : inOneLine(text);
  }

  override parts(markdown: string): readonly string[] {
    const parts = super.parts(markdown);
    // The number of a part stands in a line of its own.
    return this.#options.template === undefined
      ? parts
      : parts.map((part) => part.replace(/\s+/g, ' '));
  }

  /** What marks a block of code is not seen. */
  override shown(part: string): string {
    return part.replaceAll(WHATSAPP_MARKS.fence, '');
  }

  async send(
    { to, text, code }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    const { token, phoneNumberId, apiRoot = WHATSAPP_ROOT } = this.#options;
    const url = joinUrl(apiRoot, `/${encodeURIComponent(phoneNumberId)}/messages`);
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: to.replace(/\D/g, ''),
      ...(code === undefined ? this.#content(text) : questionContent(text, code)),
    };
    const request = postJson(body, signal, { authorization: `Bearer ${token}` });
    const answer = await this.request(url, request);
    const { status, json } = answer;
    const messageId = getText(json, 'messages', 0, 'id');
    if (status < 300 && messageId !== undefined) return { messageId };
    const errorCode = getText(json, 'error', 'code');
    const details = getText(json, 'error', 'error_data', 'details');
    const message = details ?? getText(json, 'error', 'message');
    throw this.refusal(answer, { message, code: errorCode, ...MEANINGS[errorCode ?? ''] });
  }

  #content(text: string): object {
    const { template } = this.#options;
    if (template === undefined) return { type: 'text', text: { body: text, preview_url: false } };
    const { name, language: code } = template;
    const components = [{ type: 'body', parameters: [{ type: 'text', text }] }];
    return { type: 'template', template: { name, language: { code }, components } };
  }
}

/** Meta takes no line break, no tab and no more than four blanks in a row in the variable of a template (132018). */
function inOneLine(text: string): string {
  const lines = text
    .replaceAll('```', '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim());
  return lines.filter((line) => line !== '').join(' · ');
}

/** `to` is a phone number. No idempotency key. Within 24 hours of the recipient's last message, else by `template`. */
export function whatsapp(options: WhatsAppOptions): Channel {
  return new WhatsAppChannel(options);
}
