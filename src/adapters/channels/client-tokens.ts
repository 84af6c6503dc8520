import { DeliveryError } from '../../hooks/ports/channel.ts';
import { HttpError } from '../../platform/http-client.ts';
import { OAuthError, OAuthTokens } from '../../platform/oauth-tokens.ts';
import type { OAuthOptions } from '../../platform/oauth-tokens.ts';
import { noAnswer, refusal } from './delivery-errors.ts';
import type { Platform } from './delivery-errors.ts';

const MARGIN_MS = 300_000;

export class ClientTokens {
  readonly #tokens: OAuthTokens;
  readonly #tokenUrl: string;
  readonly #directory: Platform;

  constructor(name: string, options: OAuthOptions & { readonly clientSecret: string }) {
    this.#tokens = new OAuthTokens({ marginMs: MARGIN_MS, ...options });
    this.#tokenUrl = options.tokenUrl;
    const secrets = [options.clientSecret];
    this.#directory = { name, secrets, addressKey: 'tokenUrl', isRepeatable: true };
  }

  /** @throws DeliveryError why there is none; never `unknown`: without one no message was sent */
  token(signal: AbortSignal): Promise<string> {
    return this.#tokens.token(signal).catch((error: unknown) => this.#noToken(error));
  }

  forget(): void {
    this.#tokens.forget();
  }

  #noToken(error: unknown): never {
    const failed = this.#tokenError(error);
    if (!(failed instanceof DeliveryError) || failed.kind !== 'unknown') throw failed;
    const message = 'the token endpoint of this channel gave no answer that could be understood';
    throw new DeliveryError(message, 'retryable', failed.retryAfterMs, failed.code);
  }

  #tokenError(error: unknown): unknown {
    if (error instanceof HttpError) return noAnswer(this.#directory, this.#tokenUrl, error);
    if (!(error instanceof OAuthError)) return error;
    const { code, description = code, isRefused } = error;
    const kind = isRefused ? 'auth' : undefined;
    return refusal(this.#directory, error, { message: description, code, kind });
  }
}
