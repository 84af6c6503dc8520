// docs/design/channels.md
import { Channel, DeliveryError } from '../../hooks/ports/channel.ts';
import { HttpError, sendHttp, withoutBody } from '../../platform/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../platform/http-client.ts';
import { OptionalPackageError, loadOptionalPackage } from '../../platform/optional-package.ts';
import type { OptionalPackage } from '../../platform/optional-package.ts';
import { noAnswer, refusal } from './delivery-errors.ts';
import type { Explanation, Platform } from './delivery-errors.ts';
import { splitText } from './split-text.ts';

export interface RecipientKind {
  readonly pattern: RegExp;
  /** For example `a chat id, such as 123456789`. */
  readonly expected: string;
}

/**
 * All requests go through {@link request} and all refusals through {@link refusal}, those of the platforms' own
 * libraries too: no redirect is followed, no secret repeated, "nothing was sent" told apart from "it may have arrived".
 */
export abstract class PlatformChannel extends Channel {
  /** Longest text of one message, in UTF-16 units. */
  protected abstract readonly limit: number;
  /** Null: anything may be a recipient. */
  protected abstract readonly recipient: RecipientKind | null;
  // Private for good: whoever logs a channel must not log its secrets.
  readonly #platform: Platform;

  constructor(platform: Platform) {
    super();
    this.#platform = platform;
  }

  override expectedInsteadOf(to: string): string | null {
    if (this.recipient === null) return to.trim() === '' ? 'a recipient' : null;
    return this.recipient.pattern.test(to) ? null : this.recipient.expected;
  }

  override parts(markdown: string): readonly string[] {
    return splitText(this.form(markdown), this.limit);
  }

  /** Markdown in the platform's own form, without anything that would notify people. */
  protected abstract form(markdown: string): string;

  /**
   * One request and its answer, whatever its status; one that broke off or was too large has an empty body.
   * @throws DeliveryError `auth` when the settings make no request, `retryable` when nothing was sent, `unknown` when no
   *   answer came; the signal's reason
   */
  protected async request(url: string, request: HttpRequest): Promise<HttpAnswer> {
    try {
      return await sendHttp(url, request).catch(withoutBody);
    } catch (error) {
      throw error instanceof HttpError ? noAnswer(this.#platform, url, error) : error;
    }
  }

  protected refusal(answer: HttpAnswer, explanation: Explanation): DeliveryError {
    return refusal({ ...this.#platform, isRepeatable: this.knowsKeys }, answer, explanation);
  }

  /** The error for an answer that a library took and that holds no message: it may have been shown. */
  protected unreadable(): DeliveryError {
    const message = `${this.#platform.name} gave an answer that could not be understood`;
    return new DeliveryError(message, 'unknown');
  }

  /** Imported with the first message. @throws DeliveryError `retryable` when it is not installed: the message waits. */
  protected async library<T>(name: OptionalPackage, load: () => Promise<T>): Promise<T> {
    try {
      return await loadOptionalPackage(name, load);
    } catch (error) {
      if (!(error instanceof OptionalPackageError)) throw error;
      const message = `${this.#platform.name} was sent nothing: ${error.message}`;
      throw new DeliveryError(message, 'retryable');
    }
  }
}

export function postJson(
  body: unknown,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  };
}

export function joinUrl(root: string, path: string): string {
  return root.replace(/\/+$/, '') + path;
}

/** A recipient that may name a thread or topic behind a slash: `C0123456789/1712345678.123456`. */
export function splitThread(to: string): { readonly chat: string; readonly thread?: string } {
  const slash = to.indexOf('/');
  return slash < 0 ? { chat: to } : { chat: to.slice(0, slash), thread: to.slice(slash + 1) };
}
