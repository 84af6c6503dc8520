import type { Problem } from './problem.ts';

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
