import { isLoopback, resolveSection } from '../hooks/index.ts';
import type { Problem } from '../hooks/index.ts';
import { MailOptions } from './mail-options.ts';
import type { MailOAuth2Options } from './mail-options.ts';
import { tokenEndpointOf } from './token-endpoints.ts';

const SECTION = 'hooks.mail';

/** Fills in the defaults of the section `hooks.mail` and reports everything that is wrong with it. */
export function resolveMail(given: unknown): { value: MailOptions; problems: Problem[] } {
  const { value, problems } = resolveSection(MailOptions, given, SECTION);
  return { value, problems: problems.length > 0 ? problems : connectionProblems(value) };
}

function connectionProblems({ host, auth }: MailOptions): Problem[] {
  const isOne = (auth?.password === undefined) !== (auth?.oauth2 === undefined);
  if (!isOne) {
    const message = 'needs either password (or an app password) or oauth2, best as "${NAME}"';
    return [{ key: `${SECTION}.auth`, message }];
  }
  return auth?.oauth2 === undefined ? [] : tokenUrlProblems(host, auth.oauth2);
}

function tokenUrlProblems(host: string, { tokenUrl }: MailOAuth2Options): Problem[] {
  const key = `${SECTION}.auth.oauth2.tokenUrl`;
  if (tokenUrl === undefined) {
    if (tokenEndpointOf(host) !== undefined) return [];
    return [{ key, message: `is needed: the token endpoint of ${host} is not known` }];
  }
  const { protocol, hostname, username } = new URL(tokenUrl);
  if (username !== '') return [{ key, message: 'must not hold a user name or password' }];
  const isPrivate = protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/gu, ''));
  return isPrivate ? [] : [{ key, message: 'must begin with https:// (it is sent secrets)' }];
}
