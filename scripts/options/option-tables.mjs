// The tables of docs/configuration.md: a row per key, `| key | default | meaning |`, a table per section. A part of a
// section that stands for itself (`hooks.mail`) has a table of its own; those of one kind (`channels.chan_1`, …) are
// described once, as `channels.*`.

/** Every table by its name. */
export function optionTables({ sections, classes }) {
  const tables = new Map();
  for (const [section, { options, parts = {} }] of Object.entries(sections)) {
    const rows = rowsAt(section, options.name, classes);
    const kinds = Map.groupBy(Object.keys(parts), (part) => parts[part].name);
    tables.set(section, rows);
    for (const [name, [part, ...others]] of kinds) {
      if (others.length > 0) rows.push(...rowsAt(`${section}.*`, name, classes));
      else tables.set(`${section}.${part}`, rowsAt(`${section}.${part}`, name, classes));
    }
  }
  return tables;
}

const INNER = { section: '', list: '[]', map: '.*' };

function rowsAt(place, name, classes) {
  return classes.get(name).flatMap((option) => {
    const { key, doc, nested, see } = option;
    const own = `${place}.${key}`;
    const row = doc === '' ? [] : [[`\`${own}\``, shown(option), meaning(option)]];
    const isElsewhere = nested === undefined || see !== undefined;
    return isElsewhere ? row : [...row, ...rowsAt(own + INNER[nested.shape], nested.name, classes)];
  });
}

function shown({ standard }) {
  if (standard === undefined) return '—';
  return `\`${typeof standard === 'string' ? standard : JSON.stringify(standard)}\``;
}

function meaning({ doc, isRequired }) {
  const linked = doc.replaceAll(/\bdocs\/([\w-]+)\.md\b/g, '[$1]($1.md)');
  return isRequired ? `${linked} Required.` : linked;
}

const MARKED = /^<!-- options of ([\w.]+)[^\n]*-->\n+(?:\|[^\n]*\n)*/gmu;

/** @returns the page with every table between its mark and the next paragraph written anew. */
export function withTables(page, tables) {
  const marked = new Set();
  const written = page.replaceAll(MARKED, (_, name) => {
    marked.add(name);
    const rows = [
      ['Key', 'Default', 'Meaning'],
      ['---', '---', '---'],
      ...(tables.get(name) ?? []),
    ];
    const lines = rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |\n`);
    return `<!-- options of ${name}: written by \`npm run docs:options\` from the options classes -->\n\n${lines.join('')}`;
  });
  const missing = [...tables.keys()].filter((name) => !marked.has(name));
  if (missing.length > 0) throw new Error(`the page has no mark for ${missing.join(', ')}`);
  return written;
}

function escaped(cell) {
  return cell.replaceAll('|', String.raw`\|`);
}
