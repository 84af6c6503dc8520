import { FollowingSignal, OVER } from '../../platform/time.ts';
import { LEASE_MS } from '../ports/index.ts';
import type { Clock, Lease, WorkLedger } from '../ports/index.ts';

/** A lease, renewed until its step has ended. Once lost, the step is told to end: another attempt has begun. */
export class HeldLease {
  readonly #stop: FollowingSignal;
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;

  constructor(
    readonly lease: Lease,
    stopping: AbortSignal,
    private readonly ledger: WorkLedger,
    private readonly clock: Clock,
  ) {
    this.#stop = new FollowingSignal(stopping);
    this.#renewing = this.#renew();
  }

  /** For the step: aborts when the service stops, or the lease was lost. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** It is known to be lost, before it would be renewed. */
  lose(): void {
    this.#stop.abort();
  }

  async end(): Promise<void> {
    this.#stop.release();
    this.#ended.abort(OVER);
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const { signal: ended } = this.#ended;
    for (;;) {
      await this.clock.wait(LEASE_MS / 3, ended);
      if (ended.aborted) return;
      try {
        if (await this.ledger.renew(this.lease)) continue;
        this.#stop.abort();
        return;
      } catch {
        // A ledger that cannot renew says so in claims and commits; the next try may still be in time.
      }
    }
  }
}
