import type { IncomingMessage } from 'node:http';
import { totalmem } from 'node:os';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { HooksSettings, USUAL_BODY_BYTES } from '../options/index.ts';
import type { HooksOptions } from '../options/index.ts';
import { Clock } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { inflate } from './inflate.ts';
import type { Packing } from './inflate.ts';

const MEBIBYTE = 1_048_576;
/** Where memory is no question. */
const MOST_BYTES = 64 * MEBIBYTE;
/** A body costs six times its size on its way to the disk, and more while it is a run; the service needs half of 256 MB. */
const SHARE_OF_MEMORY = 1 / 32;

/** While a body is held once, unparsed. */
const COST_UNVERIFIED = 1 / 4;

interface HeldBody {
  readonly bytes: number;
  /** What a byte of it counts. */
  readonly cost: number;
}

const NO_BODY: HeldBody = { bytes: 0, cost: 1 };

/** Bytes announced or read, and not stored yet; what is too much is refused unread. One body always finds room. */
@Injectable()
export class BodyBudget {
  readonly #requests = new Map<IncomingMessage, HeldBody>();
  #held = 0;

  constructor(
    @Inject(HooksSettings)
    private readonly settings: { readonly current: { readonly hooks: InFlightOptions } },
  ) {}

  /** In bytes, those of senders that are not verified yet at a quarter. */
  get held(): number {
    return this.#held;
  }

  get limit(): number {
    return inFlightLimit(this.settings.current.hooks);
  }

  /** From its announced length on; 0 for a body in chunks. False: there is no room. */
  take(request: IncomingMessage, bytes: number, isVerified: boolean): boolean {
    this.#requests.set(request, { bytes: 0, cost: isVerified ? 1 : COST_UNVERIFIED });
    return this.grow(request, bytes);
  }

  /** So many bytes have come by now. False: there is no room for more than were counted before. */
  grow(request: IncomingMessage, bytes: number): boolean {
    const before = this.#requests.get(request);
    // A host may have cut the request short, which is answered by then.
    if (before === undefined || before.bytes >= bytes) return true;
    return this.#hold(request, { ...before, bytes });
  }

  /** Its sender is verified. False: there is no room for what becomes of it. */
  verified(request: IncomingMessage): boolean {
    const before = this.#requests.get(request);
    return before === undefined || this.#hold(request, { ...before, cost: 1 });
  }

  giveBack(request: IncomingMessage): void {
    if (!this.#requests.has(request)) return;
    this.#hold(request, NO_BODY);
    this.#requests.delete(request);
  }

  #hold(request: IncomingMessage, body: HeldBody): boolean {
    const before = this.#requests.get(request)!;
    const others = this.#held - before.bytes * before.cost;
    const more = body.bytes * body.cost;
    if (others > 0 && more > 0 && others + more > this.limit) return false;
    this.#requests.set(request, body);
    this.#held = others + more;
    return true;
  }
}

type InFlightOptions = Pick<HooksOptions, 'maxInFlightBytes'>;

function inFlightLimit({ maxInFlightBytes = DEFAULT_LIMIT }: InFlightOptions): number {
  return maxInFlightBytes;
}

export function defaultLimit(memory: number): number {
  return Math.min(MOST_BYTES, Math.floor(memory * SHARE_OF_MEMORY));
}

/** The container's limit (cgroup v1 and v2), or the machine's memory where there is none; neither changes while we run. */
const DEFAULT_LIMIT = defaultLimit(Math.min(process.constrainedMemory() || Infinity, totalmem()));

const EMPTY = Buffer.alloc(0);

export const BUSY = new Rejection('intake_busy');

export type BodyLimits = Required<Pick<HooksOptions, 'maxBodyBytes' | 'bodyTimeoutSeconds'>>;

/** @param ofSender what its preset knows: counts where the operator wrote nothing, as far as memory allows */
export function bodyLimits(hooks: HooksOptions, ofPath?: number, ofSender = 0): BodyLimits {
  const expected = Math.max(USUAL_BODY_BYTES, Math.min(ofSender, inFlightLimit(hooks)));
  return {
    maxBodyBytes: ofPath ?? hooks.maxBodyBytes ?? expected,
    bodyTimeoutSeconds: hooks.bodyTimeoutSeconds,
  };
}

export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Reads raw bytes under a cap and a clock. No parser, no encoding, no limit of the host has a part in it. */
@Injectable()
export class BodyReader {
  readonly #late = new Set<() => void>();
  #isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly budget: BodyBudget,
  ) {}

  /** Bodies that have not ended by now are not waited for: their senders are told to come back. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#late) end();
  }

  /** `payload` may be a host's transform: never read `request` itself. @throws Rejection 413, 408, 503; ClientGone */
  async read(
    request: IncomingMessage,
    payload: Readable,
    limits: BodyLimits,
    isVerified = true,
  ): Promise<Buffer> {
    const { headers } = request;
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > limits.maxBodyBytes) throw tooLarge(limits);
    if (announced === 0 && headers['transfer-encoding'] === undefined) return EMPTY;
    if (payload.readableEnded) {
      throw new Error('a middleware of the host has read the body of a hook request');
    }
    if (!this.budget.take(request, announced, isVerified)) throw BUSY;
    const whole = takeWhole(request, payload, limits);
    if (whole === null) return this.#collect(request, payload, limits);
    if (!this.budget.grow(request, whole.length)) throw BUSY;
    return whole;
  }

  /** Unpacked bytes count beside those that came. @throws Rejection 413, 400, 503 */
  inflate(
    request: IncomingMessage,
    bytes: Buffer,
    packing: Packing,
    limits: BodyLimits,
  ): Promise<Buffer> {
    return inflate(bytes, packing, (size) => {
      if (size > limits.maxBodyBytes) throw tooLarge(limits);
      if (!this.budget.grow(request, bytes.length + size)) throw BUSY;
    });
  }

  #collect(request: IncomingMessage, payload: Readable, limits: BodyLimits): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const over = new AbortController();
      const end = (outcome: Buffer | Error): void => {
        if (over.signal.aborted) return;
        over.abort();
        this.#late.delete(late);
        // The listeners below live as long as the connection's request does, and with them what they see.
        chunks.length = 0;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const late = (): void =>
        end(this.#isClosed ? new Rejection('shutting_down') : tooSlow(limits));
      this.#late.add(late);
      void this.clock.wait(limits.bodyTimeoutSeconds * 1000, over.signal).then(late);
      payload.on('data', (chunk: Buffer) => {
        if (over.signal.aborted) return;
        size += chunk.length;
        if (size > limits.maxBodyBytes) end(tooLarge(limits));
        else if (!this.budget.grow(request, size)) end(BUSY);
        else chunks.push(chunk);
      });
      payload.on('end', () => end(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
      payload.on('error', (error: Error) => end(request.destroyed ? new ClientGone() : error));
      // Every stream closes: an error is made only for one that has not ended before.
      const onClose = (): void => {
        if (!over.signal.aborted) end(new ClientGone());
      };
      payload.on('close', onClose);
      payload.resume();
      if (payload.destroyed) onClose();
    });
  }
}

/** The body where it is there, as most are; null: it has to be waited for. @throws Rejection payload_too_large */
function takeWhole(request: IncomingMessage, payload: Readable, limits: BodyLimits): Buffer | null {
  if (payload !== request || payload.readableFlowing !== null) return null;
  if (!request.complete && !hasAllBytes(request)) return null;
  if (payload.readableLength > limits.maxBodyBytes) throw tooLarge(limits);
  const body: Buffer | null = payload.read();
  // Its end has to be read, too, or the connection would not go on.
  payload.resume();
  return body;
}

/** Whether so many bytes came as were announced: Node says that a request is complete only after it was handled. */
function hasAllBytes({ headers, readableLength }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined &&
    readableLength === Number(headers['content-length'])
  );
}

function tooLarge({ maxBodyBytes }: BodyLimits): Rejection {
  return new Rejection('payload_too_large', String(maxBodyBytes));
}

function tooSlow({ bodyTimeoutSeconds }: BodyLimits): Rejection {
  return new Rejection('body_timeout', String(bodyTimeoutSeconds));
}
