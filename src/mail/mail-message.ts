/** A part of a message that is named, not sent. */
export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  /** Bytes; null when the message was cut before its end. */
  readonly size: number | null;
}

/** One message as the hook `mail` is sent it. */
export interface MailMessage {
  /** Unique per message of a mailbox, the same after any restart; the preset's `dedupeKey`. */
  readonly id: string;
  readonly mailbox: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** As the sender claims, ISO 8601; when that cannot be read, as the server received it. */
  readonly date: string | null;
  /** The first words of the text. */
  readonly snippet: string;
  /** Absent when `hooks.mail.includeBody` is false. */
  readonly body?: string;
  /** Headers that help to place the message, by lower-case name; those that are absent are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
  /** True: something of the text was left out. */
  readonly truncated?: true;
  /** Why the message could not be read; then only what is known of it is sent. */
  readonly error?: string;
}

/** What is sent to the hook: new mail of one mailbox, oldest first. */
export interface MailPayload {
  readonly source: 'mail';
  readonly account: string;
  readonly messages: readonly MailMessage[];
}
