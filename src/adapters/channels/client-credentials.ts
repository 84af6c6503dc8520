import { DeliveryError } from '../../hooks/ports/channel.ts';
import { exchange } from './exchange.ts';
import type { Platform } from './exchange.ts';
import { field, textAt } from './field.ts';
import { refusal } from './refusal.ts';

export interface ClientCredentialsOptions {
  /** The token endpoint. */
  readonly url: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly scope: string;
}

/** How long before its end a token is no longer used. */
const MARGIN_MS = 300_000;

/** An OAuth 2 token by client credentials, kept until shortly before its end. */
export class ClientCredentials {
  #kept: { readonly token: string; readonly until: number } | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly options: ClientCredentialsOptions,
  ) {}

  /** @throws DeliveryError; never `unknown`: no message was sent yet. */
  async token(signal: AbortSignal): Promise<string> {
    if (this.#kept !== undefined && this.#kept.until > Date.now()) return this.#kept.token;
    const { url, appId, appSecret, scope } = this.options;
    const form = { grant_type: 'client_credentials', client_id: appId, client_secret: appSecret };
    const init = { method: 'POST', body: new URLSearchParams({ ...form, scope }) };
    const answer = await exchange(this.platform, url, init, signal).catch(notSent);
    const token = textAt(answer.body, 'access_token');
    if (answer.status !== 200 || token === undefined) {
      const code = textAt(answer.body, 'error');
      const said = textAt(answer.body, 'error_description') ?? code;
      const isRefused = answer.status === 400 || answer.status === 401;
      const kind = isRefused ? 'auth' : undefined;
      throw notSent(refusal(this.platform, answer, { said, code, kind }));
    }
    const seconds = Number(field(answer.body, 'expires_in')) || 0;
    this.#kept = { token, until: Date.now() + seconds * 1000 - MARGIN_MS };
    return token;
  }

  forget(): void {
    this.#kept = undefined;
  }
}

function notSent(error: unknown): never {
  if (!(error instanceof DeliveryError) || error.kind !== 'unknown') throw error;
  const message = 'the token endpoint of this channel gave no answer that could be understood';
  throw new DeliveryError(message, 'retryable', error.retryAfterMs, error.code);
}
