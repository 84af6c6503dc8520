import type { Clock } from '../hooks/index.ts';
import { OAuthTokens } from '../platform/oauth-tokens.ts';
import type { RefreshToken } from '../platform/oauth-tokens.ts';
import { knownTokenEndpoint } from './options.ts';
import type { MailOptions } from './options.ts';

const TOKEN_TIMEOUT_MS = 15_000;

export type Credentials = { readonly pass: string } | { readonly accessToken: string };

interface CredentialsContext extends Pick<RefreshToken, 'newest' | 'save'> {
  readonly clock: Clock;
}

export class MailCredentials {
  readonly #password: string;
  readonly #tokens: OAuthTokens | undefined;

  constructor({ host, auth }: MailOptions, { clock, newest, save }: CredentialsContext) {
    this.#password = auth?.password ?? '';
    if (auth?.oauth2 === undefined) return;
    const { clientId, clientSecret, refreshToken, tokenUrl, scope } = auth.oauth2;
    const known = knownTokenEndpoint(host);
    this.#tokens = new OAuthTokens({
      tokenUrl: tokenUrl ?? known?.tokenUrl ?? '',
      scope: scope ?? known?.scope,
      clientId,
      clientSecret,
      refreshToken: { configured: refreshToken, newest, save },
      timeoutMs: TOKEN_TIMEOUT_MS,
      clock,
    });
  }

  /** @throws OAuthError or HttpError when no access token can be got; the reason of `signal` */
  async get(signal: AbortSignal): Promise<Credentials> {
    if (this.#tokens === undefined) return { pass: this.#password };
    return { accessToken: await this.#tokens.token(signal) };
  }

  /** They were refused. @returns whether the next ones may be others: a password stays what it is */
  forget(): boolean {
    this.#tokens?.forget();
    return this.#tokens !== undefined;
  }
}
