/** One line of a comparison: what is only in the old text, only in the new one, or in both. */
export interface DiffLine {
  readonly kind: 'old' | 'new' | 'same';
  readonly text: string;
}

/** Lines around a change that show where it is. */
const CONTEXT = 2;

/** Most pairs of lines that are compared; between larger texts nothing counts as common but begin and end. */
const MOST_PAIRS = 4_000_000;

/** What turns one text into the other, line by line, with the fewest changes where it is not too large. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const head = commonStart(a, b);
  const tail = commonStart(a.slice(head).toReversed(), b.slice(head).toReversed());
  const [oldLines, newLines] = [a, b].map((lines) => lines.slice(head, lines.length - tail));
  return [
    ...a.slice(0, head).map(same),
    ...middleDiff(oldLines ?? [], newLines ?? []),
    ...a.slice(a.length - tail).map(same),
  ];
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((line, index) => line !== b[index]);
  return end < 0 ? a.length : end;
}

function middleDiff(a: readonly string[], b: readonly string[]): DiffLine[] {
  const lengths = a.length * b.length > MOST_PAIRS ? [] : commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1)) {
      lines.push({ kind: 'old', text: a[i++] ?? '' });
    } else lines.push({ kind: 'new', text: b[j++] ?? '' });
  }
  return lines;
}

/** The changed lines with a few around them; undefined where lines are left out. */
export function hunksOf(lines: readonly DiffLine[]): (DiffLine | undefined)[] {
  const isNear = lines.map((_, index) =>
    lines
      .slice(Math.max(index - CONTEXT, 0), index + CONTEXT + 1)
      .some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => {
    if (isNear[index] === true) return [line];
    return isNear[index + 1] === true ? [undefined] : [];
  });
}

/** `lengths[i][j]`: how many lines `a` from `i` on and `b` from `j` on have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths: number[][] = [];
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row: number[] = [];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), row[j + 1] ?? 0);
    }
    lengths[i] = row;
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
