import type { HooksOptions } from './hooks-options.ts';
import type { OptionNames } from './option-names.ts';
import type { Problem } from './problem.ts';
import { tokenWarnings } from './token-options.ts';

// What the keys of `hooks` mean beyond their own types: the prefix under which routes are registered, session keys
// compared with their prefixes, and what is refused or warned of when several keys are seen together. Tokens have a file
// of their own, token-options.ts.

export const DEFAULT_PREFIX = '/hooks';

/** Trimmed, one leading slash, no trailing slashes; blank is the default. */
export function normalizePrefix(path: string): string {
  const bare = path.trim().replace(/^\/+/, '').replace(/\/+$/, '');
  if (bare !== '') return `/${bare}`;
  return path.trim() === '' ? DEFAULT_PREFIX : '/';
}

/** The prefix must leave the root, `/ops`, `/console` and `/health` alone. */
export function prefixProblems(prefix: string): Problem[] {
  const key = 'hooks.path';
  if (prefix === '/') {
    return [{ key, message: 'must not be the root; use a prefix such as /hooks' }];
  }
  if (/^\/(ops|console|health)(\/|$)/i.test(prefix)) {
    const message =
      'must not be at or under /ops, /console or /health; use a prefix such as /hooks';
    return [{ key, message }];
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

/** What is allowed but should be looked at; nothing while the ingress is off. @param now epoch milliseconds */
export function hooksWarnings(hooks: HooksOptions, now: number, names: OptionNames): Problem[] {
  const prefixes = hooks.allowedSessionKeyPrefixes ?? [];
  const { defaultSessionKey } = hooks;
  const checks: [boolean, string, string][] = [
    [
      hooks.allowRequestSessionKey && prefixes.length === 0,
      'hooks.allowedSessionKeyPrefixes',
      'is empty while hooks.allowRequestSessionKey is true: senders may name any session; list prefixes',
    ],
    [
      defaultSessionKey !== undefined &&
        prefixes.length > 0 &&
        !fitsPrefix(defaultSessionKey, prefixes),
      'hooks.defaultSessionKey',
      'is outside hooks.allowedSessionKeyPrefixes; is that meant?',
    ],
    [
      defaultSessionKey === undefined && prefixes.length > 0 && !fitsPrefix('hook:', prefixes),
      'hooks.allowedSessionKeyPrefixes',
      'does not bound requests that name no session: each gets hook:<uuid>; list hook: too, or set hooks.defaultSessionKey',
    ],
  ];
  if (!hooks.enabled) return [];
  const found = checks.filter(([applies]) => applies);
  return [
    ...tokenWarnings(hooks, now, names),
    ...found.map(([, key, message]) => ({ key, message })),
  ];
}
