import type { Clock } from '../hooks/index.ts';
import type { MailboxReport, MailboxStatus, NotedError } from './mail-report.ts';

/** What is known of one mailbox at the moment. */
export class MailboxState {
  #status: MailboxStatus = 'connecting';
  #since: number;
  #connectedSince: number | null = null;
  #lastMessageAt: number | null = null;
  #lastError: NotedError | null = null;
  #delivered = 0;
  #refused = 0;
  #waiting = 0;
  #waitingSince: number | null = null;

  constructor(
    readonly mailbox: string,
    private readonly clock: Clock,
  ) {
    this.#since = clock.now();
  }

  get status(): MailboxStatus {
    return this.#status;
  }

  /** How long it has been so, in milliseconds. */
  get forMs(): number {
    return this.clock.now() - this.#since;
  }

  /** @returns whether it was another one before */
  become(status: MailboxStatus): boolean {
    if (status === this.#status) return false;
    this.#status = status;
    this.#since = this.clock.now();
    return true;
  }

  connected(): void {
    this.#connectedSince = this.clock.now();
  }

  disconnected(): void {
    this.#connectedSince = null;
  }

  failed(message: string): void {
    this.#lastError = { at: iso(this.clock.now()), message };
  }

  /** So many messages are known and not accepted yet. */
  found(waiting: number): void {
    this.#waiting = waiting;
    this.#waitingSince = waiting === 0 ? null : (this.#waitingSince ?? this.clock.now());
  }

  accepted(count: number): void {
    if (count === 0) return;
    this.#delivered += count;
    this.#lastMessageAt = this.clock.now();
  }

  refused(): void {
    this.#refused += 1;
  }

  report(): MailboxReport {
    return {
      mailbox: this.mailbox,
      state: this.#status,
      since: iso(this.#since),
      connectedSince: this.#connectedSince === null ? null : iso(this.#connectedSince),
      lastMessageAt: this.#lastMessageAt === null ? null : iso(this.#lastMessageAt),
      lastError: this.#lastError,
      delivered: this.#delivered,
      refused: this.#refused,
      waiting: this.#waiting,
      lagSeconds: this.#waitingSince === null ? 0 : (this.clock.now() - this.#waitingSince) / 1000,
    };
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
