import type { HooksOptions } from './hooks-options.ts';
import { unreplaced } from './option-names.ts';
import type { OptionNames } from './option-names.ts';
import type { Problem } from './problem.ts';

// What the keys of `hooks` mean beyond their own types: the prefix under which routes are registered, session keys
// compared with their prefixes, and what is refused or warned of when several keys are seen together.

export const DEFAULT_PREFIX = '/hooks';

/** Trimmed, one leading slash, no trailing slashes; blank is the default. */
export function normalizePrefix(path: string): string {
  const bare = path.trim().replace(/^\/+/, '').replace(/\/+$/, '');
  if (bare !== '') return `/${bare}`;
  return path.trim() === '' ? DEFAULT_PREFIX : '/';
}

/** The prefix must leave the root, `/ops` and `/health` alone. */
export function prefixProblems(prefix: string): Problem[] {
  const key = 'hooks.path';
  if (prefix === '/') {
    return [{ key, message: 'must not be the root; use a prefix such as /hooks' }];
  }
  if (/^\/(ops|health)(\/|$)/i.test(prefix)) {
    return [
      { key, message: 'must not be at or under /ops or /health; use a prefix such as /hooks' },
    ];
  }
  if (/[?#*\s%]/.test(prefix)) {
    return [{ key, message: 'must be a plain path without ?, #, *, % or blanks' }];
  }
  return [];
}

/** Whether a session key begins with one of the allowed prefixes, both trimmed and case-folded. */
export function fitsPrefix(key: string, prefixes: readonly string[]): boolean {
  const folded = key.trim().toLowerCase();
  return prefixes.some((prefix) => folded.startsWith(prefix.trim().toLowerCase()));
}

const SHORTEST_GOOD_TOKEN = 24;
const PLACEHOLDER_TOKEN = /replace|change.?me|example|your.?token/i;
const UNRESOLVED_VARIABLE = /\$\{([^}]*)\}/;

/** What makes a start refused: no hook may be served under a token that is missing, blank, unresolved or shared. */
export function tokenProblems(
  hooks: HooksOptions,
  gatewayAuthToken: string | undefined,
  { replacesVariables }: OptionNames,
): Problem[] {
  const key = 'hooks.token';
  const { token } = hooks;
  if (token !== undefined && typeof token !== 'string') return [];
  const [variable, name = ''] = UNRESOLVED_VARIABLE.exec(token ?? '') ?? [];
  if (variable !== undefined) {
    const message = replacesVariables
      ? 'names a variable that is not set; set it in the environment or in .env'
      : unreplaced(name || 'HOOK_TOKEN');
    return [{ key, message }];
  }
  if (hooks.enabled && (token === undefined || token.trim() === '')) {
    return [{ key, message: 'is required when hooks.enabled is true; set a long random string' }];
  }
  if (token !== undefined && token === gatewayAuthToken) {
    return [{ key, message: "must not be the gateway's own token; set a dedicated one" }];
  }
  return [];
}

/** What is allowed but should be looked at; nothing while the ingress is off. */
export function hooksWarnings(hooks: HooksOptions): Problem[] {
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
