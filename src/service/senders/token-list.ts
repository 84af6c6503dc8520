import { secretName, tokenWarnings, writtenTokens } from '../../hooks/index.ts';
import type { OptionNames } from '../../hooks/index.ts';
import { getField } from '../../platform/objects.ts';
import type { Sections } from '../configuration/files.ts';
import type { TokenReport } from '../ops/configuring-answers.ts';
import { inheritedIds } from './inherited-ids.ts';

export interface ListedToken extends TokenReport {
  /** The beginning of its digest: tells several secrets of one sender apart, to whoever may read the files. */
  readonly secret: string;
}

type Hooks = Parameters<typeof tokenWarnings>[0];

interface TokenFiles {
  readonly isKeptHere: (id: string) => boolean;
  /** The sections, variables as references. */
  readonly written: Sections | undefined;
  /** How the reader knows the options. @default by their places in the files */
  readonly names?: OptionNames;
}

/**
 * `hooks.token` first, never itself.
 * @param uses by `secretName`, epoch milliseconds, the later over the earlier
 * @param now epoch milliseconds
 * @param files where there are any
 */
export function listTokens(
  hooks: Hooks,
  uses: readonly ReadonlyMap<string, number>[],
  now: number,
  { isKeptHere, written: sections, names }: TokenFiles,
): ListedToken[] {
  const warnings = new Map(
    tokenWarnings(hooks, now, names).map(({ key, message }) => [key, message]),
  );
  const inherited = inheritedIds(hooks, new Map(uses.flatMap((one) => [...one])));
  const written = writtenTokens(hooks).filter(({ text }) => text !== '');
  return written.map(({ key, id, text, hooks: named, endsAt }) => {
    const secret = secretName(text);
    const usedAt = Math.max(...uses.map((one) => one.get(secret) ?? 0), 0);
    return {
      key,
      id,
      secret,
      hooks: hooksAsWritten(sections, key) ?? named,
      notAfter: Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : null,
      isEnded: endsAt <= now,
      lastUsedAt: usedAt === 0 ? null : new Date(usedAt).toISOString(),
      warning: warnings.get(key) ?? inherited.get(id ?? '') ?? null,
      canRetire: id !== null && isKeptHere(id),
    };
  });
}

/** What a variable holds is nobody's hook, and shown to nobody. */
function hooksAsWritten(sections: Sections | undefined, key: string): string[] | undefined {
  const [, index] = /^hooks\.tokens\[(\d+)\]/.exec(key) ?? [];
  if (index === undefined) return undefined;
  const hooks = getField(sections, 'hooks', 'tokens', Number(index), 'hooks');
  return Array.isArray(hooks) ? hooks.map(String) : undefined;
}
