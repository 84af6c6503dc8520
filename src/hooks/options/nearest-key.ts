/** The known key that a misspelt one most likely means: begins alike, or differs in about a third of its letters. */
export function nearestKey(written: string, known: readonly string[]): string | undefined {
  const word = written.toLowerCase();
  const [nearest] = known
    .map((key) => ({ key, distance: distanceOf(word, key.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.floor(word.length / 3))
    .toSorted((a, b) => a.distance - b.distance);
  if (nearest !== undefined) return nearest.key;
  return word.length < 4 ? undefined : known.find((key) => key.toLowerCase().startsWith(word));
}

/** Levenshtein: how many letters have to be put in, taken out or changed. Keys are short. */
function distanceOf(a: string, b: string): number {
  const limit = 40;
  if (a.length > limit || b.length > limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
