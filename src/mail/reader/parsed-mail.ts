/** What was found in the bytes of one message. Every text is bounded. */
export interface ParsedMail {
  readonly from: string;
  /** Bare addresses of the senders, lower-case. */
  readonly fromAddresses: readonly string[];
  readonly to: string;
  readonly subject: string;
  /** ISO 8601. */
  readonly date: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The readable text: the plain part, else the HTML part without its markup. */
  readonly text: string;
  /** The text was longer than the whole message, as nested quotations can be, and was cut there. */
  readonly isCut: boolean;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly size: number;
  }[];
}

/** Asks the reading thread for one message. */
export interface ReadOrder {
  readonly source: Uint8Array;
}

/** What the reading thread says: once that it is there, then one answer per order. */
export type ReadAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly mail: ParsedMail }
  | { readonly kind: 'failed' };
