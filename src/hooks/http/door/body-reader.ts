import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { HooksOptions } from '../../options/index.ts';
import { Clock } from '../../ports/index.ts';
import { Rejection } from '../../rejections/index.ts';
import { BodyDeadlines } from './body-deadlines.ts';
import { assertJson } from './content-type.ts';

/** What came of reading: the bytes, why they were refused, or null when the client went away. */
export type BodyOutcome = Buffer | Error | null;

const EMPTY = Buffer.alloc(0);

/** Reads raw bytes under a cap and a clock. No parser, no encoding, no limit of the host has a part in it. */
@Injectable()
export class BodyReader {
  readonly #deadlines: BodyDeadlines;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#deadlines = new BodyDeadlines(clock);
  }

  /** Whether the request has a body at all. */
  static isAnnounced({ headers }: IncomingMessage): boolean {
    const length = headers['content-length'];
    return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  }

  /** Bodies that have not ended by now are not waited for. */
  close(): void {
    this.#isClosed = true;
    this.#deadlines.expireAll();
  }

  /**
   * @param payload the body, perhaps through a transform of the host's.
   * @param done called exactly once.
   */
  read(
    request: IncomingMessage,
    payload: Readable,
    limits: HooksOptions,
    done: (outcome: BodyOutcome) => void,
  ): void {
    try {
      assertJson(request.headers);
      if (Number(request.headers['content-length'] ?? 0) > limits.maxBodyBytes) {
        throw tooLarge(limits);
      }
      if (payload.readableEnded && BodyReader.isAnnounced(request)) {
        throw new Error('a middleware of the host has read the body of a hook request');
      }
    } catch (error) {
      done(error instanceof Error ? error : null);
      return;
    }
    if (BodyReader.isAnnounced(request)) this.#collect(request, payload, limits, done);
    else done(EMPTY);
  }

  #collect(
    request: IncomingMessage,
    payload: Readable,
    limits: HooksOptions,
    done: (outcome: BodyOutcome) => void,
  ): void {
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const end = (outcome: BodyOutcome): void => {
      if (isOver) return;
      isOver = true;
      this.#deadlines.met(deadline);
      done(outcome);
    };
    const deadline = this.#deadlines.begin(limits.bodyTimeoutSeconds * 1000, () =>
      end(this.#isClosed ? new Rejection('shutting_down') : tooSlow(limits)),
    );
    payload.on('data', (chunk: Buffer) => {
      if (isOver) return;
      size += chunk.length;
      if (size > limits.maxBodyBytes) end(tooLarge(limits));
      else chunks.push(chunk);
    });
    payload.on('end', () => end(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    payload.on('error', (error: Error) => end(request.destroyed ? null : error));
    payload.on('close', () => end(null));
  }
}

function tooLarge({ maxBodyBytes }: HooksOptions): Rejection {
  return new Rejection('payload_too_large', String(maxBodyBytes));
}

function tooSlow({ bodyTimeoutSeconds }: HooksOptions): Rejection {
  return new Rejection('body_timeout', String(bodyTimeoutSeconds));
}
