import { sendHttp, withoutBody } from './http-client.ts';
import type { HttpAnswer } from './http-client.ts';
import { getField, getText } from './objects.ts';

/** RFC 6749: client credentials, or a refresh token. After a refusal call {@link OAuthTokens.forget}. */

export interface OAuthOptions {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  /** Absent: the client's own credentials are enough. */
  readonly refreshToken?: RefreshToken;
  /** How long before its end a token is no longer used, in milliseconds. @default 60,000 */
  readonly marginMs?: number;
  /** Longest wait for the endpoint, in milliseconds. @default none: the signal alone ends it */
  readonly timeoutMs?: number;
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

/** Microsoft gives a new one with every answer, and the configured one ends 90 days after it was made. */
export interface RefreshToken {
  readonly configured: string;
  /** The last one that came of the configured one, kept from an earlier run. */
  readonly newest?: string;
  /** Keeps a new one; the next run gives it as `newest`. */
  readonly save: (token: string) => void;
}

const MARGIN_MS = 60_000;
/** How long a token is used whose endpoint does not say when it expires, in seconds. */
const USUAL_SECONDS = 3_600;
const MAX_ANSWER_BYTES = 65_536;
/** Visible ASCII: a token becomes part of a header or of a command. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** RFC 6749, 5.2: these are final until a person acts. */
const FINAL_CODES = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
]);

/** The token endpoint answered without a token. The message holds nothing of the answer but a code of the RFC. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly status: number;
  readonly headers: Headers;
  /** The endpoint's code, as it wrote it; not to be shown before secrets are taken out. */
  readonly code: string | undefined;
  /** Its explanation, likewise. */
  readonly description: string | undefined;
  /** True: the client or its refresh token is refused, and asking again changes nothing. */
  readonly isRefused: boolean;

  constructor({ status, headers, json }: HttpAnswer, presented: 'client' | 'refresh token') {
    const code = getText(json, 'error');
    const isFinal = code !== undefined && FINAL_CODES.has(code);
    super(
      isFinal
        ? `the token endpoint refuses the ${presented} (${code})`
        : `the token endpoint answers ${status} without a token`,
    );
    this.status = status;
    this.headers = headers;
    this.code = code;
    this.description = getText(json, 'error_description');
    this.isRefused = isFinal || status === 400 || status === 401 || status === 403;
  }
}

/** The access tokens of one client. Callers at the same time may each ask for one. */
export class OAuthTokens {
  /** The access token in use, and until when, in epoch milliseconds. */
  #kept: { readonly token: string; readonly until: number } | undefined;
  #refreshToken: string | undefined;
  #newest: string | undefined;

  constructor(private readonly options: OAuthOptions) {
    this.#newest = options.refreshToken?.newest;
    this.#refreshToken = this.#newest ?? options.refreshToken?.configured;
  }

  /** @throws HttpError when the endpoint gives no answer; OAuthError when it gives no token; the signal's reason. */
  async token(signal: AbortSignal): Promise<string> {
    if (this.#kept !== undefined && this.#now() < this.#kept.until) return this.#kept.token;
    const answer = await this.#ask(signal);
    const { json } = answer;
    const token = getField(json, 'access_token');
    if (answer.status !== 200 || typeof token !== 'string' || !TOKEN.test(token)) {
      throw new OAuthError(answer, this.#refreshToken === undefined ? 'client' : 'refresh token');
    }
    const marginMs = this.options.marginMs ?? MARGIN_MS;
    this.#kept = { token, until: this.#now() + lifetimeMs(json) - marginMs };
    this.#rotate(getField(json, 'refresh_token'));
    return token;
  }

  /** Without a token the refresh token was refused: the configured and the newest take turns, one may be spent. */
  forget(): void {
    const configured = this.options.refreshToken?.configured;
    if (this.#kept === undefined && configured !== undefined) {
      const isNewest = this.#refreshToken !== configured;
      this.#refreshToken = isNewest ? configured : (this.#newest ?? configured);
    }
    this.#kept = undefined;
  }

  #ask(signal: AbortSignal): Promise<HttpAnswer> {
    const { tokenUrl, clientId, clientSecret, scope, timeoutMs } = this.options;
    const refreshToken = this.#refreshToken;
    const body = new URLSearchParams({
      grant_type: refreshToken === undefined ? 'client_credentials' : 'refresh_token',
      client_id: clientId,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(scope !== undefined && { scope }),
    });
    const headers = { accept: 'application/json' };
    const limits = { timeoutMs, signal, maxBytes: MAX_ANSWER_BYTES };
    return sendHttp(tokenUrl, { method: 'POST', headers, body, ...limits }).catch(withoutBody);
  }

  #rotate(given: unknown): void {
    const { refreshToken } = this.options;
    if (refreshToken === undefined || typeof given !== 'string') return;
    if (given === '' || given === this.#refreshToken) return;
    this.#refreshToken = this.#newest = given;
    refreshToken.save(given);
  }

  #now(): number {
    return this.options.clock?.now() ?? Date.now();
  }
}

function lifetimeMs(answer: unknown): number {
  const seconds = Number(getField(answer, 'expires_in') ?? USUAL_SECONDS);
  return (Number.isFinite(seconds) && seconds > 0 ? seconds : USUAL_SECONDS) * 1000;
}
