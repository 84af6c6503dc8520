import type { IncomingMessage } from 'node:http';
import { totalmem } from 'node:os';
import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';

const MEBIBYTE = 1_048_576;
/** Where memory is no question. */
const MOST_BYTES = 64 * MEBIBYTE;
/** A body costs up to six times its size on its way to the disk, and the service itself needs half of a small container. */
const SHARE_OF_MEMORY = 1 / 16;

/**
 * How many bytes of bodies are in flight: announced or read, and not stored yet. What is too much for the memory is
 * refused before it is read, and the sender told to come back; a body in chunks counts as it arrives. One body always
 * finds room, however large it may be.
 */
@Injectable()
export class BodyBudget {
  readonly #requests = new Map<IncomingMessage, number>();
  #held = 0;

  constructor(private readonly settings: HooksSettings) {}

  /** Bytes in flight. */
  get held(): number {
    return this.#held;
  }

  /** Most bytes in flight. */
  get limit(): number {
    return this.settings.current.hooks.maxInFlightBytes ?? DEFAULT_LIMIT;
  }

  /** From its announced length on; 0 for a body in chunks. False: there is no room. */
  take(request: IncomingMessage, bytes: number): boolean {
    this.#requests.set(request, 0);
    return this.grow(request, bytes);
  }

  /** So many bytes have come by now. False: there is no room for more than were counted before. */
  grow(request: IncomingMessage, bytes: number): boolean {
    const before = this.#requests.get(request);
    // A host may have cut the request short, which is answered by then.
    if (before === undefined || before >= bytes) return true;
    const others = this.#held - before;
    if (others > 0 && others + bytes > this.limit) return false;
    this.#requests.set(request, bytes);
    this.#held = others + bytes;
    return true;
  }

  /** The request is answered. */
  giveBack(request: IncomingMessage): void {
    const bytes = this.#requests.get(request);
    if (bytes === undefined) return;
    this.#requests.delete(request);
    this.#held -= bytes;
  }
}

/**
 * What may be in flight where the configuration does not say.
 * @param memory bytes that the process may use
 */
export function defaultLimit(memory: number): number {
  return Math.min(MOST_BYTES, Math.floor(memory * SHARE_OF_MEMORY));
}

/** The container's limit (cgroup v1 and v2), or the machine's memory where there is none; neither changes while we run. */
const DEFAULT_LIMIT = defaultLimit(Math.min(process.constrainedMemory() || Infinity, totalmem()));
