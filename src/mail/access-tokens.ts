import type { Clock } from '../hooks/index.ts';
import { TokenFailure } from './imap-failure.ts';
import type { MailOAuth2Options } from './mail-options.ts';
import { tokenEndpointOf } from './token-endpoints.ts';

const PATIENCE_MS = 15_000;
const MOST_ANSWER_BYTES = 65_536;

/** A token is got anew this long before it expires. */
const EARLY_MS = 60_000;

/** How long a token is used whose endpoint does not say when it expires, in seconds. */
const USUAL_SECONDS = 3_600;

/** Keeps the newest refresh token over restarts; {@link MailStore} does. */
export interface RefreshTokens {
  refreshToken(configured: string): string | undefined;
  saveRefreshToken(configured: string, token: string): void;
}

/** Gets access tokens with a refresh token, and keeps each until it expires. */
export class AccessTokens {
  #token: string | undefined;
  #until = 0;
  /**
   * Microsoft gives a new refresh token with every answer, and the configured one ends 90 days after it was made:
   * the newest is used, and kept.
   */
  #refreshToken: string;
  /** The last that came of the configured one. */
  #newest: string | undefined;

  constructor(
    private readonly options: MailOAuth2Options,
    private readonly host: string,
    private readonly clock: Clock,
    private readonly kept: RefreshTokens,
  ) {
    this.#newest = kept.refreshToken(options.refreshToken);
    this.#refreshToken = this.#newest ?? options.refreshToken;
  }

  /** @throws TokenFailure */
  async token(signal: AbortSignal): Promise<string> {
    if (this.#token !== undefined && this.clock.now() < this.#until) return this.#token;
    const { accessToken, refreshToken, seconds } = await this.#refreshed(signal);
    this.#token = accessToken;
    this.#until = this.clock.now() + Math.max(seconds * 1000 - EARLY_MS, 0);
    if (refreshToken !== undefined && refreshToken !== this.#refreshToken) {
      this.#refreshToken = this.#newest = refreshToken;
      this.kept.saveRefreshToken(this.options.refreshToken, refreshToken);
    }
    return accessToken;
  }

  /**
   * It was refused: the next one is a new one. When there was none, the refresh token was: then the other one is tried,
   * the configured in the place of the newest and the other way round, since only one of them may be spent.
   */
  forget(): void {
    if (this.#token === undefined) {
      const { refreshToken: configured } = this.options;
      const isNewest = this.#refreshToken !== configured;
      this.#refreshToken = isNewest ? configured : (this.#newest ?? configured);
    }
    this.#token = undefined;
  }

  async #refreshed(signal: AbortSignal): Promise<FreshToken> {
    const endpoint = tokenEndpointOf(this.host);
    const url = this.options.tokenUrl ?? endpoint?.tokenUrl ?? '';
    const scope = this.options.scope ?? endpoint?.scope;
    const { clientId, clientSecret } = this.options;
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: this.#refreshToken,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(scope !== undefined && { scope }),
    });
    const { status, body } = await asked(url, form, signal);
    const fresh = freshTokenIn(body);
    if (status === 200 && fresh !== undefined) return fresh;
    throw refusal(status, body);
  }
}

interface FreshToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly seconds: number;
}

interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function asked(
  url: string,
  form: URLSearchParams,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: form,
      // A redirect would take the secrets elsewhere.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    return { status: answer.status, body: await jsonOf(answer) };
  } catch {
    signal.throwIfAborted();
    throw new TokenFailure('the token endpoint does not answer', false);
  }
}

async function jsonOf(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_ANSWER_BYTES) return {};
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function freshTokenIn(body: Readonly<Record<string, unknown>>): FreshToken | undefined {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = body;
  // Visible ASCII only: it becomes part of a command.
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]{1,16384}$/u.test(accessToken)) {
    return undefined;
  }
  const seconds = Number(expiresIn ?? USUAL_SECONDS);
  return {
    accessToken,
    refreshToken:
      typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    seconds: Number.isFinite(seconds) && seconds > 0 ? seconds : USUAL_SECONDS,
  };
}

/** RFC 6749, 5.2: 400 or 401 with one of these is final until a person acts. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope']);

function refusal(status: number, { error }: Readonly<Record<string, unknown>>): TokenFailure {
  if (typeof error === 'string' && FINAL.has(error)) {
    return new TokenFailure(`the token endpoint refuses the refresh token (${error})`, true);
  }
  const isRefused = status === 400 || status === 401 || status === 403;
  return new TokenFailure(`the token endpoint answers ${status} without a token`, isRefused);
}
