// Figures as people read them.

/** An aim with what became of it; absent: there was none. */
export function atMost(aim, value, unit) {
  if (aim === undefined) return undefined;
  return `${value <= aim ? 'ok' : 'MISSED'}: ≤ ${aim} ${unit}`;
}

export function atLeast(aim, value, unit) {
  if (aim === undefined) return undefined;
  return `${value >= aim ? 'ok' : 'MISSED'}: ≥ ${aim} ${unit}`;
}

/** First and last column to the left, figures to the right. */
export function printTable(head, rows) {
  const widths = head.map((title, n) =>
    Math.max(...[title, ...rows.map((row) => row[n])].map((text) => text.length)),
  );
  const isText = (n) => n === 0 || n === head.length - 1;
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows]) {
    const cells = row.map((text, n) =>
      isText(n) ? text.padEnd(widths[n]) : text.padStart(widths[n]),
    );
    console.log(cells.join('   ').trimEnd());
  }
  console.log();
}
