import type { Json } from '../../standalone/editing/json5-style.ts';
import type { Sections } from '../../standalone/json5-document.ts';

/** A secret under the name of its variable; `value` is undefined when the variable is there already. */
export interface Secret {
  readonly name: string;
  readonly value: string | undefined;
}

/** How to log in. */
export type MailLogin =
  | { readonly kind: 'password'; readonly password: Secret }
  | {
      readonly kind: 'oauth2';
      readonly clientId: string;
      readonly clientSecret: Secret | undefined;
      readonly refreshToken: Secret;
      readonly tokenUrl: string | undefined;
      readonly scope: string | undefined;
    };

/** Everything that `hooks mail setup` has to know. Undefined: as it is, or the default. */
export interface MailAnswers {
  readonly account: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly login: MailLogin;
  readonly mailboxes: readonly string[] | undefined;
  readonly includeBody: boolean | undefined;
  readonly maxBytes: number | undefined;
  readonly model: string | undefined;
  readonly thinking: string | undefined;
}

/** The answers as `hooks.mail`, but for `auth`: secrets as references, keys that say nothing new left out. */
export function mailSection(answers: MailAnswers, present: Sections): Record<string, Json> {
  const { account, host, port, secure, user, mailboxes, includeBody, ...rest } = answers;
  const { maxBytes, model, thinking } = rest;
  const usual = secure ? 993 : 143;
  // What an earlier mailbox had there would be wrong for this one.
  const isNew = (key: string, value: Json, usual: Json): boolean =>
    value !== usual || present[key] !== undefined;
  return {
    account,
    host,
    ...(isNew('port', port ?? usual, usual) && { port: port ?? usual }),
    ...(isNew('secure', secure, true) && { secure }),
    ...(isNew('user', user ?? account, account) && { user: user ?? account }),
    ...(mailboxes !== undefined && { mailboxes }),
    ...(includeBody !== undefined && { includeBody }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** `hooks.mail.auth`, with references. */
export function authSection(login: MailLogin): Json {
  if (login.kind === 'password') return { password: reference(login.password) };
  const { clientId, clientSecret, refreshToken, tokenUrl, scope } = login;
  return {
    oauth2: {
      clientId,
      ...(clientSecret !== undefined && { clientSecret: reference(clientSecret) }),
      refreshToken: reference(refreshToken),
      ...(tokenUrl !== undefined && { tokenUrl }),
      ...(scope !== undefined && { scope }),
    },
  };
}

/** What goes into `.env`. */
export function secretsOf(login: MailLogin): Record<string, string> {
  const secrets =
    login.kind === 'password' ? [login.password] : [login.clientSecret, login.refreshToken];
  return Object.fromEntries(
    secrets.flatMap((secret) => (secret?.value === undefined ? [] : [[secret.name, secret.value]])),
  );
}

/** The answers with the refresh token that took the place of the one that was tried. */
export function withRefreshToken(answers: MailAnswers, value: string): MailAnswers {
  const { login } = answers;
  if (login.kind !== 'oauth2') return answers;
  return { ...answers, login: { ...login, refreshToken: { ...login.refreshToken, value } } };
}

function reference({ name }: Secret): string {
  return `\${${name}}`;
}
