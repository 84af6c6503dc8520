import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import type { HookAuthenticator } from './authenticator.ts';
import { tokenAuthenticator } from './token-authenticator.ts';

/** Every scheme there is; the first that says yes names the sender's proof. A new scheme is one file and one row. */
const AUTHENTICATORS: readonly HookAuthenticator[] = [tokenAuthenticator];

/** Name of the scheme that verified the sender; null: none did. */
export function authenticate(
  headers: IncomingHttpHeaders,
  settings: ResolvedHooksOptions,
): string | null {
  for (const authenticator of AUTHENTICATORS) {
    if (authenticator.verify(headers, settings)) return authenticator.name;
  }
  return null;
}
