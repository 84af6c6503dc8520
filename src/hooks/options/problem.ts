/** One mistake in the configuration: the key, and what to do. */
export interface Problem {
  /** Path of the key, e.g. `mappings[0].channel`. */
  readonly key: string;
  /** Continues the key to a sentence. */
  readonly message: string;
}

/** One whose message names other keys, which its reader may know by other places. */
export interface NamingProblem extends Problem {
  readonly names?: readonly string[];
}

/** Every mistake at once. Nothing of the refused configuration was applied. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly Problem[]) {
    super(
      `The configuration cannot be used:\n${problems.map(({ key, message }) => `  ${key} ${message}`).join('\n')}`,
    );
  }
}

export function onePerKey(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ key }) => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A list with one entry is written with brackets, too. */
export const NO_ARRAY = 'must be an array: […]';

/** Nothing longer resembles a key. */
const LONGEST_KEY = 40;

/** The known key that a misspelt one most likely means: begins alike, or differs in about a third of its letters. */
export function nearestKey(written: string, known: readonly string[]): string | undefined {
  if (written.length > LONGEST_KEY) return undefined;
  const word = written.toLowerCase();
  const [nearest] = known
    .map((key) => ({ key, distance: distanceBetween(word, key.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.floor(word.length / 3))
    .toSorted((a, b) => a.distance - b.distance);
  if (nearest !== undefined) return nearest.key;
  return word.length < 4 ? undefined : known.find((key) => key.toLowerCase().startsWith(word));
}

/** Levenshtein: how many letters have to be put in, taken out or changed. Keys are short. */
function distanceBetween(written: string, known: string): number {
  const from = Array.from(written);
  const to = Array.from(known);
  let row = [0, ...to.map((_, index) => index + 1)];
  for (const [i, letter] of from.entries()) {
    const next = [i + 1];
    for (const [j, other] of to.entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
