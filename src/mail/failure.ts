import { HttpError } from '../platform/http-client.ts';
import { OAuthError } from '../platform/oauth-tokens.ts';
import { getField } from '../platform/objects.ts';
import { OptionalPackageError } from '../platform/optional-package.ts';
import { ReaderPackageError } from './reader/mail-reader.ts';

/** The sentences of servers may hold anything, so only their codes are repeated. */
export interface MailFailure {
  readonly kind: 'credentials' | 'no-mailbox' | 'not-installed' | 'connection';
  /** For the operator, without anything secret. */
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

export function describeFailure(error: unknown): MailFailure {
  if (error instanceof OptionalPackageError || error instanceof ReaderPackageError) {
    return { kind: 'not-installed', reason: error.message };
  }
  if (error instanceof OAuthError) {
    return { kind: error.isRefused ? 'credentials' : 'connection', reason: error.message };
  }
  // Only the token endpoint is asked over HTTP here.
  if (error instanceof HttpError) {
    return { kind: 'connection', reason: 'the token endpoint does not answer' };
  }
  return describeImapFailure(error);
}

function describeImapFailure(error: unknown): MailFailure {
  const responseCode = getWord(error, 'serverResponseCode');
  const isLogin = getField(error, 'authenticationFailed') === true;
  if (isLogin && !NOT_ABOUT_CREDENTIALS.has(responseCode)) {
    return { kind: 'credentials', reason: `the login is refused${inBrackets(responseCode)}` };
  }
  if (NO_MAILBOX.has(responseCode) || getField(error, 'mailboxMissing') === true) {
    const reason = `the mailbox cannot be opened${inBrackets(responseCode)}: check its name`;
    return { kind: 'no-mailbox', reason };
  }
  const word = responseCode || getWord(error, 'code');
  if (word === '') return { kind: 'connection', reason: 'the connection was lost' };
  return { kind: 'connection', reason: `no connection (${word})` };
}

/** A field when it is a short code word; else empty. */
function getWord(error: unknown, name: string): string {
  const value = getField(error, name);
  return typeof value === 'string' && /^[\w-]{1,60}$/u.test(value) ? value : '';
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}
