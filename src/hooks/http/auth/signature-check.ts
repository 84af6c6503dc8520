import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/index.ts';
import { Rejection } from '../../ports/rejection.ts';
import { BUSY as NO_ROOM, BodyBudget, ClientGone } from '../body.ts';
import type { BodyLimits } from '../body.ts';
import { throttleKey } from './client-address.ts';
import { BoundedMap } from './failure-storage.ts';
import type { SignatureFault, SignatureVerifier, VerifiedSignature } from './signatures/index.ts';

const FAULTS: Readonly<Record<SignatureFault, Rejection>> = {
  missing: new Rejection('invalid_signature', 'this hook needs a signature, and none came'),
  malformed: new Rejection('invalid_signature', 'the signature is not well formed'),
  stale: new Rejection('invalid_signature', 'its timestamp is too far from the time here'),
  mismatch: new Rejection(
    'invalid_signature',
    'the signature (or the secret shown in its place) does not fit the body and the secret; compare the secrets on both sides',
  ),
  unavailable: new Rejection('verification_unavailable'),
};

interface SignedArrival {
  readonly verifier: SignatureVerifier;
  readonly client: string;
  /** Epoch milliseconds; a slow body makes no signature stale. */
  readonly receivedAt: number;
}

/**
 * Decided by the head before a byte of the body is read, then by the exact bytes, unparsed (behaviour.md §1.4).
 * Failures lock nobody out: a stranger can point a provider at us. Instead, bodies of unproven clients are kept within
 * bounds.
 */
@Injectable()
export class SignatureCheck {
  readonly #bodies: UnverifiedBodies;

  constructor(
    clock: Clock,
    private readonly budget: BodyBudget,
  ) {
    this.#bodies = new UnverifiedBodies(clock, budget);
  }

  /** How many bytes may be held for senders that are not verified yet, small bodies aside. */
  get heldBytes(): number {
    return this.#bodies.held;
  }

  /** The cheap half. @throws Rejection invalid_signature */
  checkHead(raw: IncomingMessage, { verifier, client, receivedAt }: SignedArrival): void {
    const fault = verifier.checkHead(headOf(raw), receivedAt);
    if (fault === null) return;
    this.#bodies.noteFailure(client);
    throw FAULTS[fault];
  }

  /**
   * Keeps room for the body until {@link verify}; of one that `read` unpacks for the largest, since nobody announces what
   * is in it. @throws Rejection verification_busy; what `read` throws
   */
  async read(
    raw: IncomingMessage,
    client: string,
    limits: BodyLimits & { readonly isPacked?: boolean },
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    const size =
      limits.isPacked === true ? limits.maxBodyBytes : this.#bodies.expectedSize(raw, limits);
    const slow =
      size > SMALL_BODY_BYTES ? await this.#bodies.enter(raw, client, size, limits) : undefined;
    try {
      return await (slow === undefined ? read() : unlessAborted(read(), slow));
    } catch (error) {
      if (slow?.aborted === true) this.#bodies.noteFailure(client);
      else this.#noteUnproven(client, error);
      this.#bodies.leave(raw);
      throw error;
    }
  }

  /** @throws Rejection invalid_signature; verification_unavailable and intake_busy, to be tried again */
  async verify(
    raw: IncomingMessage,
    { verifier, client, receivedAt }: SignedArrival,
    body: Buffer,
  ): Promise<VerifiedSignature> {
    try {
      const found = verifier.verify(
        { ...headOf(raw), body, client: throttleKey(client) },
        receivedAt,
      );
      const outcome = found instanceof Promise ? await found : found;
      if (typeof outcome === 'string') throw FAULTS[outcome];
      if (!this.budget.verified(raw)) throw NO_ROOM;
      return outcome;
    } catch (error) {
      this.#noteUnproven(client, error);
      throw error;
    } finally {
      this.#bodies.leave(raw);
    }
  }

  /**
   * Sending too much or too slowly, or going away half-way, proves nothing either; our own trouble is nobody's failure.
   */
  #noteUnproven(client: string, error: unknown): void {
    const isOurs =
      error instanceof Rejection ? error.status >= 500 : !(error instanceof ClientGone);
    if (!isOurs) this.#bodies.noteFailure(client);
  }
}

function headOf({ method = '', url = '', headers }: IncomingMessage): {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
} {
  return { method, url, headers };
}

/** Up to this size a body waits in the connection's own buffer, whether anybody reads it or not. */
const SMALL_BODY_BYTES = 65_536;
/** For all clients together: strangers keep nobody out who is verified. */
const SHARE_OF_BUDGET = 1 / 2;
/** For one client: whoever sends slowly must not keep the others out. Of larger bodies there is one at a time. */
const SHARE_OF_ONE = 1 / 4;
/** For one that failed lately; a single body in any case. */
const SHARE_AFTER_FAILURE = 1 / 16;
const REMEMBERED_MS = 60_000;

const BUSY = new Rejection('verification_busy');

/** In place of a client: what is larger than the share of one keeps only its like waiting. */
const LARGE = 'large';

/** How long such a body is read while another waits, in milliseconds; then its sender has to come again. */
const LONGEST_ALONE_MS = 3000;

function unlessAborted<Value>(reading: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = once(signal, 'abort').then(() => Promise.reject(BUSY));
  return Promise.race([reading, aborted]);
}

interface Place {
  readonly key: string;
  readonly size: number;
}

interface TakenPlace extends Place {
  readonly since: number;
  readonly slow: AbortController;
}

interface Waiting extends Place {
  readonly client: string;
  readonly admit: () => void;
}

/** A body for which there is no room waits, unread, in its connection, and is refused when that takes too long. */
class UnverifiedBodies {
  readonly #failed = new BoundedMap<number>();
  readonly #byClient = new Map<string, number>();
  readonly #inside = new Map<IncomingMessage, TakenPlace>();
  readonly #waiting = new Set<Waiting>();
  held = 0;

  constructor(
    private readonly clock: Clock,
    private readonly budget: BodyBudget,
  ) {}

  /** A body in chunks may get larger than the share of one, and counts as one of that size. */
  expectedSize(
    { complete, readableLength, headers }: IncomingMessage,
    { maxBodyBytes }: BodyLimits,
  ): number {
    if (complete) return readableLength;
    const { 'content-length': announced = this.#shareOfOne } = headers;
    return Math.min(Number(announced), maxBodyBytes);
  }

  noteFailure(client: string): void {
    this.#failed.set(throttleKey(client), this.clock.elapsed());
  }

  /** Until {@link leave}. @returns aborts where it is too slow for another that waits. @throws Rejection verification_busy */
  async enter(
    raw: IncomingMessage,
    address: string,
    size: number,
    { bodyTimeoutSeconds }: BodyLimits,
  ): Promise<AbortSignal> {
    const client = throttleKey(address);
    const key = size > this.#shareOfOne ? LARGE : client;
    if (this.#hasRoom({ key, size })) return this.#take(raw, { key, size });
    const over = new AbortController();
    const end = (): void => over.abort();
    raw.once('close', end);
    let admitted: AbortSignal | undefined;
    const waiting: Waiting = {
      key,
      size,
      client,
      admit: () => {
        admitted = this.#take(raw, { key, size });
        end();
      },
    };
    this.#waiting.add(waiting);
    if (key === LARGE) void this.#endSlow(over.signal);
    await this.clock.wait(bodyTimeoutSeconds * 1000, over.signal);
    end();
    this.#waiting.delete(waiting);
    raw.off('close', end);
    if (admitted === undefined) throw raw.destroyed ? new ClientGone() : BUSY;
    return admitted;
  }

  /** While a large one waits. @param over it waits no more */
  async #endSlow(over: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.wait(LONGEST_ALONE_MS, over);
      if (over.aborted) return;
      const before = this.clock.elapsed() - LONGEST_ALONE_MS;
      for (const { key, since, slow } of this.#inside.values()) {
        if (key === LARGE && since <= before) slow.abort();
      }
    }
  }

  leave(raw: IncomingMessage): void {
    const taken = this.#inside.get(raw);
    if (taken === undefined) return;
    this.#inside.delete(raw);
    this.#giveBack(taken);
  }

  get #shareOfOne(): number {
    return this.budget.limit * SHARE_OF_ONE;
  }

  #hasRoom({ key, size }: Place): boolean {
    const { limit } = this.budget;
    const own = this.#byClient.get(key) ?? 0;
    if (key === LARGE) return own === 0;
    const others = this.held - (this.#byClient.get(LARGE) ?? 0);
    if (others > 0 && others + size > limit * SHARE_OF_BUDGET) return false;
    const share = this.#hasFailed(key) ? SHARE_AFTER_FAILURE : SHARE_OF_ONE;
    return own === 0 || own + size <= limit * share;
  }

  #hasFailed(key: string): boolean {
    const failedAt = this.#failed.get(key);
    return failedAt !== undefined && this.clock.elapsed() - failedAt < REMEMBERED_MS;
  }

  #take(raw: IncomingMessage, { key, size }: Place): AbortSignal {
    const slow = new AbortController();
    this.#inside.set(raw, { key, size, since: this.clock.elapsed(), slow });
    this.held += size;
    this.#byClient.set(key, (this.#byClient.get(key) ?? 0) + size);
    return slow.signal;
  }

  #giveBack({ key, size }: Place): void {
    this.held -= size;
    const own = (this.#byClient.get(key) ?? 0) - size;
    if (own > 0) this.#byClient.set(key, own);
    else this.#byClient.delete(key);
    // Whoever failed lately comes last: it may have any number of them waiting.
    for (const isLast of [false, true]) {
      for (const waiting of this.#waiting) {
        if (this.#hasFailed(waiting.client) !== isLast || !this.#hasRoom(waiting)) continue;
        this.#waiting.delete(waiting);
        waiting.admit();
      }
    }
  }
}
