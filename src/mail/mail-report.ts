/** How a mailbox fares. */
export type MailboxStatus =
  /** On the way to the server for the first time, or to the mailbox. */
  | 'connecting'
  /** New mail is sent as it arrives. */
  | 'watching'
  /** The connection is gone; tried again by itself. */
  | 'disconnected'
  /** The server refuses the login; tried every five minutes. */
  | 'credentials-expired'
  /** The mailbox is not there, or the hook is off or refuses the token: a person must act. */
  | 'misconfigured'
  /** The service does not accept at the moment; the mail waits in the mailbox. */
  | 'hook-unavailable';

/** How the whole watcher fares. */
export type WatcherStatus = MailboxStatus | 'watched-elsewhere' | 'stopped';

/** Something that went wrong, without anything secret. */
export interface NotedError {
  /** ISO 8601. */
  readonly at: string;
  readonly message: string;
}

/** One mailbox of the report. */
export interface MailboxReport {
  readonly mailbox: string;
  readonly state: MailboxStatus;
  /** Since when, ISO 8601. */
  readonly since: string;
  /** When the present connection was made, ISO 8601. */
  readonly connectedSince: string | null;
  /** When the hook last accepted mail of it, ISO 8601. */
  readonly lastMessageAt: string | null;
  readonly lastError: NotedError | null;
  /** Messages that were accepted since the start. */
  readonly delivered: number;
  /** Messages that were passed because the hook refused them, since the start. */
  readonly refused: number;
  /** Messages that are known and not accepted yet. */
  readonly waiting: number;
  /** How long the first of them has been known, in seconds. */
  readonly lagSeconds: number;
}

/** What an operator is told about the watcher. */
export interface MailReport {
  readonly account: string;
  /** The worst of its mailboxes. */
  readonly state: WatcherStatus;
  /** True: mail does not get through, and not only for a moment. */
  readonly isDegraded: boolean;
  /** What to do about it, when it is known. */
  readonly hint: string | null;
  readonly mailboxes: readonly MailboxReport[];
}
