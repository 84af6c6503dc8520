/** Nobody but the sender limits what a mail holds: every text that leaves the thread has a greatest length. */

export interface ParsedMail {
  readonly from: string;
  /** Bare addresses of the senders, lower-case. */
  readonly fromAddresses: readonly string[];
  /** The address of the only sender, lower-case; empty when there are several, or none. */
  readonly sender: string;
  /** Whether the mailbox's server says that the mail is of the sender's domain; unknown: no server is believed. */
  readonly authentic: boolean | 'unknown';
  readonly to: string;
  readonly subject: string;
  /** ISO 8601; null when the header is missing or cannot be read. */
  readonly date: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The readable text: the plain part, else the HTML part without its markup; then the messages forwarded in it. */
  readonly text: string;
  /** True: the text was longer than the whole message, as nested quotations can be, and was cut there. */
  readonly isCut: boolean;
  /** Characters of its HTML that a person may not see; they are not in `text`. What is surely hidden is nowhere. */
  readonly unseenChars: number;
  /** That text, line by line, without the addresses of links. */
  readonly unseenText: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    /** In bytes. */
    readonly size: number;
  }[];
}

/** What is known of the mailbox: `hooks.mail.charset` and `authservId`. */
export interface ReadContext {
  readonly charset: string;
  readonly authservId?: string | undefined;
}

export interface ReadRequest extends ReadContext {
  readonly source: Uint8Array;
}

export type ThreadMessage =
  | { readonly kind: 'ready' }
  /** A library is not installed, and the reason says which; the thread then ends. */
  | { readonly kind: 'missing-package'; readonly reason: string }
  | { readonly kind: 'read'; readonly mail: ParsedMail }
  /** The parser rejected this message; the thread is fine. */
  | { readonly kind: 'failed' };

/** At most `maxLength` UTF-16 units of a text, without leaving half a character behind. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? maxLength - 1 : maxLength);
}

/** One line of at most `maxLength` UTF-16 units: control characters and runs of blanks become one blank. */
export function toOneLine(text: string, maxLength: number): string {
  // Cut before the blanks are looked for: a header can be megabytes long.
  const line = truncate(text, maxLength * 4).replace(/[\p{Cc}\s]+/gu, ' ');
  return truncate(line.trim(), maxLength);
}
