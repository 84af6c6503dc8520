import type { HooksOptions } from './hooks-options.ts';
import type { Problem } from './problem.ts';
import { fitsPrefix } from './session-prefix.ts';

const SHORTEST_GOOD_TOKEN = 24;
const PLACEHOLDER_TOKEN = /replace|change.?me|example|your.?token/i;
const UNRESOLVED_VARIABLE = /\$\{[^}]*\}/;

/** What makes a start refused: no hook may be served under a token that is missing, blank, unresolved or shared. */
export function tokenProblems(
  hooks: HooksOptions,
  gatewayAuthToken: string | undefined,
): Problem[] {
  const key = 'hooks.token';
  const { token } = hooks;
  if (token !== undefined && typeof token !== 'string') return [];
  if (token !== undefined && UNRESOLVED_VARIABLE.test(token)) {
    return [
      { key, message: 'names a variable that is not set; set it in the environment or in .env' },
    ];
  }
  if (hooks.enabled && (token === undefined || token.trim() === '')) {
    return [{ key, message: 'is required when hooks.enabled is true; set a long random string' }];
  }
  if (token !== undefined && token === gatewayAuthToken) {
    return [{ key, message: "must not be the gateway's own token; set a dedicated one" }];
  }
  return [];
}

/** What is allowed but should be looked at. */
export function warningsOf(hooks: HooksOptions): Problem[] {
  const prefixes = hooks.allowedSessionKeyPrefixes ?? [];
  const { defaultSessionKey } = hooks;
  const checks: [boolean, string, string][] = [
    [
      PLACEHOLDER_TOKEN.test(hooks.token ?? ''),
      'hooks.token',
      'looks like the placeholder of an example, which everybody knows; use a random string',
    ],
    [
      hooks.token !== undefined && hooks.token.length < SHORTEST_GOOD_TOKEN,
      'hooks.token',
      `is shorter than ${SHORTEST_GOOD_TOKEN} characters; use a longer random string`,
    ],
    [
      hooks.allowRequestSessionKey && prefixes.length === 0,
      'hooks.allowedSessionKeyPrefixes',
      'is empty while hooks.allowRequestSessionKey is true: senders may name any session; list prefixes',
    ],
    [
      defaultSessionKey === undefined,
      'hooks.defaultSessionKey',
      'is not set: every hook run gets a session of its own; set one to keep them together',
    ],
    [
      defaultSessionKey !== undefined &&
        prefixes.length > 0 &&
        !fitsPrefix(defaultSessionKey, prefixes),
      'hooks.defaultSessionKey',
      'is outside hooks.allowedSessionKeyPrefixes; is that meant?',
    ],
  ];
  if (!hooks.enabled) return [];
  return checks.filter(([applies]) => applies).map(([, key, message]) => ({ key, message }));
}
