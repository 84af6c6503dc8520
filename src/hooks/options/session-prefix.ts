/** Compares a session key with the allowed prefixes, trimmed and case-folded. */
export function fitsPrefix(key: string, prefixes: readonly string[]): boolean {
  const folded = key.trim().toLowerCase();
  return prefixes.some((prefix) => folded.startsWith(prefix.trim().toLowerCase()));
}
