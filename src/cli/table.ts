const GAP = '  ';

/** Fewest characters a column is cut down to. */
const NARROWEST = 6;

/** Rows as lines of at most `columns` characters: cells aligned, the widest columns cut first. */
export function tableLines(rows: readonly (readonly string[])[], columns: number): string[] {
  const widths = fitting(widthsOf(rows), columns);
  return rows.map((row) =>
    widths
      .map((width, index) => cut(row[index] ?? '', width).padEnd(width))
      .join(GAP)
      .trimEnd(),
  );
}

/** `text`, or its start and … */
export function cut(text: string, width: number): string {
  const letters = Array.from(text);
  return letters.length <= width ? text : `${letters.slice(0, Math.max(width - 1, 0)).join('')}…`;
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, Array.from(cell).length);
    }
  }
  return widths;
}

function fitting(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  const room = columns - GAP.length * Math.max(widths.length - 1, 0);
  let excess = fitted.reduce((sum, width) => sum + width, 0) - room;
  for (; excess > 0; excess -= 1) {
    const widest = fitted.indexOf(Math.max(...fitted));
    if ((fitted[widest] ?? 0) <= NARROWEST) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
  }
  return fitted;
}
