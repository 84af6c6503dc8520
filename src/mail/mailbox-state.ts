import type { Clock } from '../hooks/index.ts';

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

/** Something that went wrong, without anything secret. */
interface NotedError {
  /** ISO 8601. */
  readonly at: string;
  readonly message: string;
}

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

export class MailboxState {
  #status: MailboxStatus = 'connecting';
  #since: number;
  /** The same by {@link Clock.elapsed}. */
  #changedAt: number;
  #connectedSince: number | null = null;
  #lastMessageAt: number | null = null;
  #lastError: NotedError | null = null;
  #delivered = 0;
  #refused = 0;
  #waiting = 0;
  /** By {@link Clock.elapsed}. */
  #waitingSince: number | null = null;

  constructor(
    readonly mailbox: string,
    private readonly clock: Clock,
  ) {
    this.#since = clock.now();
    this.#changedAt = clock.elapsed();
  }

  get status(): MailboxStatus {
    return this.#status;
  }

  /** How long it has had this status, in milliseconds. */
  get forMs(): number {
    return this.clock.elapsed() - this.#changedAt;
  }

  /** @returns whether it had another one before */
  change(status: MailboxStatus): boolean {
    if (status === this.#status) return false;
    this.#status = status;
    this.#since = this.clock.now();
    this.#changedAt = this.clock.elapsed();
    return true;
  }

  connected(): void {
    this.#connectedSince = this.clock.now();
  }

  disconnected(): void {
    this.#connectedSince = null;
  }

  failed(message: string): void {
    this.#lastError = { at: toIso(this.clock.now()), message };
  }

  found(waiting: number): void {
    this.#waiting = waiting;
    this.#waitingSince = waiting === 0 ? null : (this.#waitingSince ?? this.clock.elapsed());
  }

  accepted(): void {
    this.#delivered += 1;
    this.#lastMessageAt = this.clock.now();
  }

  refused(): void {
    this.#refused += 1;
  }

  get #lagMs(): number {
    return this.#waitingSince === null ? 0 : this.clock.elapsed() - this.#waitingSince;
  }

  report(): MailboxReport {
    return {
      mailbox: this.mailbox,
      state: this.#status,
      since: toIso(this.#since),
      connectedSince: this.#connectedSince === null ? null : toIso(this.#connectedSince),
      lastMessageAt: this.#lastMessageAt === null ? null : toIso(this.#lastMessageAt),
      lastError: this.#lastError,
      delivered: this.#delivered,
      refused: this.#refused,
      waiting: this.#waiting,
      lagSeconds: this.#lagMs / 1000,
    };
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
