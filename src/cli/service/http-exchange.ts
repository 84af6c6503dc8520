import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** One request. */
export interface Exchange {
  readonly method: 'GET' | 'POST';
  /** Scheme, host and port of the service, nothing more is read of it. */
  readonly origin: URL;
  /** Path and query as they go on the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Milliseconds until the whole answer must be there. */
  readonly timeoutMs: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Largest answer that is read, in bytes: stories hold payloads, prompts and replies. */
export const LARGEST_ANSWER = 64 * 1024 * 1024;

/** No answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  /** @param reason of the operating system, of TLS, or `TIMEOUT` or `TOO_LARGE`. */
  constructor(readonly reason: string) {
    super(reason);
  }
}

/**
 * Sends a request to that very origin and reads the whole answer. Redirects are answers like any other, and no proxy of
 * the environment is asked: what goes out holds a token.
 * @throws NoAnswer
 * @throws whatever `signal` was aborted with.
 */
export async function exchange(asked: Exchange): Promise<Answered> {
  const { timeoutMs, signal } = asked;
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? late : AbortSignal.any([late, signal]);
  try {
    const answer = await answerTo(asked, either);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bytesOf(answer) };
  } catch (error) {
    signal?.throwIfAborted();
    if (late.aborted) throw new NoAnswer('TIMEOUT');
    throw error instanceof NoAnswer ? error : new NoAnswer(reasonOf(error));
  }
}

function answerTo(asked: Exchange, signal: AbortSignal): Promise<IncomingMessage> {
  const { method, origin, path, headers, body } = asked;
  const isTls = origin.protocol === 'https:';
  const options: RequestOptions = {
    method,
    protocol: origin.protocol,
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port,
    path,
    headers: method === 'GET' ? headers : { ...headers, 'content-length': body?.length ?? 0 },
    // Agents of our own: the global ones would follow HTTP_PROXY under NODE_USE_ENV_PROXY.
    agent: isTls ? new HttpsAgent() : new HttpAgent(),
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(options, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > LARGEST_ANSWER) throw new NoAnswer('TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A name with several addresses fails with an error for each of them; the first tells enough. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : 'unknown';
}
