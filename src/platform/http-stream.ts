import { HttpError, buildRequest, sendDirectly, toHttpError } from './http-client.ts';
import type { HttpHead, HttpRequest } from './http-client.ts';

interface OpenedAnswer extends HttpHead {
  /** Ending the loop early ends the connection. @throws HttpError where it breaks off; the signal's reason */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Direct. `timeoutMs` is for each piece. @default none @throws HttpError without an answer; the signal's reason */
export async function openHttp(
  url: string | URL,
  options: Pick<HttpRequest, 'method' | 'headers' | 'timeoutMs' | 'signal' | 'socketPath'> = {},
): Promise<OpenedAnswer> {
  const { timeoutMs, signal, socketPath } = options;
  signal?.throwIfAborted();
  const silence = new AbortController();
  const wait = (): NodeJS.Timeout | undefined =>
    timeoutMs === undefined ? undefined : setTimeout(() => silence.abort(), timeoutMs).unref();
  const ends = [signal, silence.signal].filter((end) => end !== undefined);
  const request = buildRequest(url, options, AbortSignal.any(ends));
  const { host } = new URL(request.url);
  let timer = wait();
  const explained = (error: unknown, head?: HttpHead): unknown => {
    clearTimeout(timer);
    if (signal?.aborted === true) return signal.reason;
    if (silence.signal.aborted) return new HttpError('timed-out', `${host} fell silent`);
    return toHttpError(error, host, head);
  };
  const answer = await sendDirectly(request, false, socketPath).catch((error: unknown) => {
    throw explained(error);
  });
  const { status, headers } = answer;
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const piece of answer.body ?? []) {
        clearTimeout(timer);
        yield piece;
        timer = wait();
      }
    } catch (error) {
      throw explained(error, { status, headers });
    } finally {
      clearTimeout(timer);
    }
  }
  return { status, headers, body: pieces() };
}
