import { secretName, tokenWarnings, writtenTokens } from '../../hooks/index.ts';
import type { TokenReport } from '../ops/answers.ts';

/** A token as its operator is shown it. */
export interface ListedToken extends TokenReport {
  /** The beginning of its digest: tells several secrets of one sender apart, to whoever may read the files. */
  readonly secret: string;
}

/** What has the tokens of a configuration. */
type Hooks = Parameters<typeof tokenWarnings>[0];

/**
 * Every secret of a configuration, `hooks.token` first, never itself.
 * @param uses when each was last used, the later over the earlier; in epoch milliseconds, by `secretName`
 * @param now epoch milliseconds, for tokens that end
 * @param isKeptHere whether the tokens of a sender can be retired by command and console
 */
export function listTokens(
  hooks: Hooks,
  uses: readonly ReadonlyMap<string, number>[],
  now: number,
  isKeptHere: (id: string) => boolean,
): ListedToken[] {
  const warnings = new Map(tokenWarnings(hooks, now).map(({ key, message }) => [key, message]));
  const written = writtenTokens(hooks).filter(({ text }) => text !== '');
  return written.map(({ key, id, text, hooks: named, endsAt }) => {
    const secret = secretName(text);
    const usedAt = Math.max(...uses.map((one) => one.get(secret) ?? 0), 0);
    return {
      key,
      id,
      secret,
      hooks: named,
      notAfter: Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : null,
      isEnded: endsAt <= now,
      lastUsedAt: usedAt === 0 ? null : new Date(usedAt).toISOString(),
      warning: warnings.get(key) ?? null,
      canRetire: id !== null && isKeptHere(id),
    };
  });
}
