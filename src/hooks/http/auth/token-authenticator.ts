import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import type { HookAuthenticator } from './authenticator.ts';
import { presentedToken } from './presented-token.ts';

/** Equal to no digest: what is compared with when nothing can be right. */
const NOBODY = randomBytes(32);

const digests = new WeakMap<ResolvedHooksOptions, Buffer>();

/**
 * The shared hook token. Digests are compared, so that neither the time nor a length tells anything, and a compare
 * happens also when no token came.
 */
export const tokenAuthenticator: HookAuthenticator = {
  name: 'token',
  verify(headers, settings) {
    const presented = presentedToken(headers);
    // Node reads header bytes as latin1; a token outside of ASCII is sent as UTF-8.
    const digest = hash('sha256', Buffer.from(presented ?? '', 'latin1'), 'buffer');
    const isRight = timingSafeEqual(digest, expected(settings));
    return isRight && presented !== null;
  },
};

function expected(settings: ResolvedHooksOptions): Buffer {
  const known = digests.get(settings);
  if (known !== undefined) return known;
  const token = settings.hooks.token?.trim() ?? '';
  const digest = token === '' ? NOBODY : hash('sha256', token, 'buffer');
  digests.set(settings, digest);
  return digest;
}
