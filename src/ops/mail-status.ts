/** How a watcher of mailboxes fares, as far as the operator API shows it; the host says where it is asked. */
export interface MailStatus {
  readonly account: string;
  readonly state: string;
  /** True: mail does not get through, and not only for a moment. */
  readonly isDegraded: boolean;
  /** What to do about it. */
  readonly hint: string | null;
  readonly mailboxes: readonly MailboxStatus[];
}

/** One mailbox of it. */
export interface MailboxStatus {
  readonly mailbox: string;
  readonly state: string;
  /** ISO 8601. */
  readonly since: string;
  readonly connectedSince: string | null;
  readonly lastMessageAt: string | null;
  readonly lastError: { readonly at: string; readonly message: string } | null;
  /** Messages since the start of the watcher. */
  readonly delivered: number;
  readonly refused: number;
  /** Messages that are known and not accepted yet. */
  readonly waiting: number;
  readonly lagSeconds: number;
}
