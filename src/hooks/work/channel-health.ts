import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../platform/errors.ts';
import { backoffMs } from '../../platform/time.ts';
import {
  CHANNEL_IDS,
  Clock,
  LedgerAdmin,
  LedgerUnavailable,
  WorkLedger,
  withBeginning,
} from '../ports/index.ts';
import type {
  ChannelCondition,
  ChannelConditions,
  ChannelId,
  DeliveryError,
} from '../ports/index.ts';
import { ChannelDelivery } from './channel-delivery.ts';

/** How long an account rests when its platform says no time. */
const REST = { firstMs: 1000, maxMs: 60_000 };

/** From one write to the next while messages are sent, and so the most that a crash costs. */
const BETWEEN_WRITES_MS = 1000;

/** Of one account, whichever of its channels was limited. Nothing of it is sent before `until`. */
interface Rest {
  until: number;
  /** Rate limits since the last success. */
  limits: number;
}

/** How channels fared is kept in the ledger, for all who share it; which of them rest, each process finds out anew. */
@Injectable()
export class ChannelHealth {
  readonly #logger = new Logger(ChannelHealth.name);
  readonly #rests = new Map<ChannelId, Rest>();
  readonly #stopping = new AbortController();
  #known: ChannelConditions = {};
  #untold: ChannelConditions = {};
  #telling: Promise<void> | undefined;
  /** What is asked of the ledger now, each with the news that its answer may lack. */
  readonly #asked = new Set<{ news: ChannelConditions }>();

  constructor(
    private readonly channels: ChannelDelivery,
    private readonly work: WorkLedger,
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
  ) {}

  succeeded(id: ChannelId): void {
    this.#restOf(id).limits = 0;
    this.#note(id, { lastSuccessAt: this.clock.now(), lastError: null });
  }

  /** A rate limit makes the whole account rest: as long as the platform asks, else longer each time. */
  failed(id: ChannelId, { kind, message, retryAfterMs }: DeliveryError): void {
    if (kind === 'rate-limited') this.#letRest(id, retryAfterMs);
    const at = this.clock.now();
    const lastError = { at, since: at, kind, message, restsUntil: this.pausedUntil(id) };
    this.#note(id, { lastSuccessAt: null, lastError });
  }

  #letRest(id: ChannelId, retryAfterMs: number | undefined): void {
    const now = this.clock.elapsed();
    const rest = this.#restOf(id);
    const pause = Math.ceil(retryAfterMs ?? backoffMs(REST, rest.limits));
    // Several messages are under way at once: their refusals are one limit, not several.
    if (rest.until <= now) rest.limits += 1;
    rest.until = Math.max(rest.until, now + pause);
  }

  /** When the channel goes on, in epoch milliseconds; null: it does not rest. */
  pausedUntil(id: ChannelId): number | null {
    const left = this.#restOf(id).until - this.clock.elapsed();
    return left > 0 ? this.clock.now() + left : null;
  }

  /** The accounts that rest, each by its first channel, and until when, in epoch milliseconds. */
  get resting(): Readonly<Record<string, number>> {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    const rests = Array.from(
      this.#rests,
      ([id, { until }]) => [id, now + until - elapsed] as const,
    );
    return Object.fromEntries(rests.filter(([, until]) => until > now));
  }

  /** Of every channel, whichever process tried it; while the ledger cannot be asked, what is known here. */
  async conditions(): Promise<ChannelConditions> {
    const asked = { news: this.#untold };
    this.#asked.add(asked);
    try {
      this.#known = merged(await this.admin.channelConditions(), asked.news);
    } catch {
      // Whoever asks how the service is doing is told all the same.
    } finally {
      this.#asked.delete(asked);
    }
    return this.#known;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#telling;
    await this.#tell();
  }

  #note(id: ChannelId, news: ChannelCondition): void {
    const more = { [id]: news };
    this.#untold = merged(this.#untold, more);
    this.#known = merged(this.#known, more);
    for (const asked of this.#asked) asked.news = merged(asked.news, more);
    this.#telling ??= this.#keepTelling();
  }

  async #keepTelling(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && this.#hasNews) {
      await this.#tell();
      await this.clock.wait(BETWEEN_WRITES_MS, signal);
    }
    this.#telling = undefined;
  }

  get #hasNews(): boolean {
    return Object.keys(this.#untold).length > 0;
  }

  async #tell(): Promise<void> {
    if (!this.#hasNews) return;
    const told = this.#untold;
    try {
      await this.work.noteChannels(told);
    } catch (error) {
      if (error instanceof LedgerUnavailable) return;
      // What can never be stored is dropped; else it would come back for ever.
      this.#logger.warn(`how channels fare cannot be kept: ${describeError(error)}`);
    }
    if (this.#untold === told) this.#untold = {};
  }

  #restOf(id: ChannelId): Rest {
    const account = this.channels.accountOf(id);
    const known = this.#rests.get(account);
    if (known !== undefined) return known;
    const fresh = { until: 0, limits: 0 };
    this.#rests.set(account, fresh);
    return fresh;
  }
}

function merged(known: ChannelConditions, news: ChannelConditions): ChannelConditions {
  const both: Partial<Record<ChannelId, ChannelCondition>> = { ...known };
  for (const id of CHANNEL_IDS) {
    const told = news[id];
    if (told === undefined) continue;
    both[id] = {
      lastSuccessAt: told.lastSuccessAt ?? known[id]?.lastSuccessAt ?? null,
      lastError: withBeginning(known[id], told) ?? known[id]?.lastError ?? null,
    };
  }
  return both;
}
