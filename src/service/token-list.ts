import { secretName, tokenWarnings, writtenTokens } from '../hooks/index.ts';
import type { ResolvedHooksOptions } from '../hooks/index.ts';
import type { TokenReport } from './ops/answers.ts';

/**
 * Every secret of the configuration in force, `hooks.token` first, without anything it could be found by.
 * @param uses when each was last used, the later over the earlier; in epoch milliseconds, by `secretName`
 * @param now epoch milliseconds, for tokens that end
 */
export function listTokens(
  { hooks }: ResolvedHooksOptions,
  uses: readonly ReadonlyMap<string, number>[],
  now: number,
): TokenReport[] {
  const warnings = new Map(tokenWarnings(hooks, now).map(({ key, message }) => [key, message]));
  const written = writtenTokens(hooks).filter(({ text }) => text !== '');
  return written.map(({ key, id, text, hooks: named, endsAt }) => {
    const name = secretName(text);
    const usedAt = Math.max(...uses.map((one) => one.get(name) ?? 0), 0);
    return {
      key,
      id,
      hooks: named,
      notAfter: Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : null,
      isEnded: endsAt <= now,
      lastUsedAt: usedAt === 0 ? null : new Date(usedAt).toISOString(),
      warning: warnings.get(key) ?? null,
    };
  });
}
