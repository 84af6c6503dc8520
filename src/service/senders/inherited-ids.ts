import { secretName, writtenTokens } from '../../hooks/index.ts';

/**
 * Epoch milliseconds by the name of a hook token's secret (`secretName`), and by `token <id>` for any secret of a
 * sender, gone ones too.
 */
export type LastUses = ReadonlyMap<string, number>;

type Hooks = Parameters<typeof writtenTokens>[0];

/**
 * What to say, by id, of senders whose secrets were never used while their id was: given to somebody else, or all
 * replaced at once.
 */
export function inheritedIds(hooks: Hooks, uses: LastUses): ReadonlyMap<string, string> {
  const written = writtenTokens(hooks).filter(({ id }) => id !== null);
  const found = new Map<string, string>();
  for (const [id, own] of Map.groupBy(written, (one) => one.id ?? '')) {
    const at = uses.get(`token ${id}`);
    if (at === undefined || own.some(({ text }) => uses.has(secretName(text)))) continue;
    const day = new Date(at).toISOString().slice(0, 10);
    found.set(
      id,
      `${id} had other secrets until ${day}, and who has the id now can ask for the runs of then and meets the keys of then: a new sender gets a new id`,
    );
  }
  return found;
}
