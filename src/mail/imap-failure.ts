import { errorField, errorWord } from './error-field.ts';

/** What went wrong with the mail server: what it means, and words for the operator that hold nothing of the server's. */
export interface ImapFailure {
  readonly kind: 'credentials' | 'no-mailbox' | 'connection';
  readonly reason: string;
}

/** NO answers to a login that say nothing about the credentials (RFC 5530). */
const NOT_ABOUT_CREDENTIALS = new Set([
  'UNAVAILABLE',
  'INUSE',
  'LIMIT',
  'SERVERBUG',
  'CONTACTADMIN',
]);

const NO_MAILBOX = new Set(['NONEXISTENT', 'NOPERM', 'ACL', 'TRYCREATE']);

/** The access token cannot be got; `isRefused`: because the refresh token or the client is. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';

  constructor(
    message: string,
    readonly isRefused: boolean,
  ) {
    super(message);
  }
}

/** Tells refused credentials from everything that waiting helps against. */
export function imapFailure(error: unknown): ImapFailure {
  if (error instanceof TokenFailure) {
    return { kind: error.isRefused ? 'credentials' : 'connection', reason: error.message };
  }
  const code = errorWord(error, 'code');
  const responseCode = errorWord(error, 'serverResponseCode');
  const isLogin = errorField(error, 'authenticationFailed') === true;
  if (isLogin && !NOT_ABOUT_CREDENTIALS.has(responseCode)) {
    return { kind: 'credentials', reason: `the login is refused${inBrackets(responseCode)}` };
  }
  if (NO_MAILBOX.has(responseCode) || errorField(error, 'mailboxMissing') === true) {
    const reason = `the mailbox cannot be opened${inBrackets(responseCode)}: check its name`;
    return { kind: 'no-mailbox', reason };
  }
  const word = responseCode || code;
  if (word === '') return { kind: 'connection', reason: 'the connection was lost' };
  return { kind: 'connection', reason: `no connection (${word})` };
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}
