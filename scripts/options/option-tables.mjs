// The tables of docs/configuration.md: a row per key, `| key | default | meaning |`, a table per section. A place for
// which the page has a mark (`hooks.mail`) has a table of its own; keys of one class in one section (`channels.chan_1`,
// …) are described once, as `channels.*`.

/** The page with every table between its mark and the next paragraph written anew. */
export function withTables(page, { sections, classes }) {
  const marked = new Set(Array.from(page.matchAll(MARKED), ([, place]) => place));
  const missing = sections.filter(({ key }) => !marked.has(key)).map(({ key }) => key);
  if (missing.length > 0) throw new Error(`the page has no mark for ${missing.join(', ')}`);

  function rowsAt(place, name) {
    const options = classes.get(name);
    const kinds = Map.groupBy(options, ({ nested }) => nested?.name);
    return options.flatMap((option) => {
      const { key, doc, nested, see } = option;
      const alike = nested?.shape === 'section' ? kinds.get(nested.name) : [option];
      if (alike[0] !== option) return [];
      const own = `${place}.${alike.length > 1 ? '*' : key}`;
      if (marked.has(own)) return [];
      const row = doc === '' ? [] : [[`\`${own}\``, shown(option), meaning(option)]];
      const isElsewhere = nested === undefined || see !== undefined;
      return isElsewhere ? row : [...row, ...rowsAt(own + INNER[nested.shape], nested.name)];
    });
  }

  return page.replaceAll(MARKED, (_, place) => {
    const rows = [
      ['Key', 'Default', 'Meaning'],
      ['---', '---', '---'],
      ...rowsAt(place, classAt(place.split('.'), sections, classes)),
    ];
    const lines = rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |\n`);
    return `<!-- options of ${place}: written by \`npm run docs:options\` from the options classes -->\n\n${lines.join('')}`;
  });
}

function classAt([step, ...steps], options, classes) {
  const { name } = options.find(({ key }) => key === step).nested;
  return steps.length === 0 ? name : classAt(steps, classes.get(name), classes);
}

const INNER = { section: '', list: '[]', map: '.*' };

function shown({ standard }) {
  if (standard === undefined) return '—';
  return `\`${typeof standard === 'string' ? standard : JSON.stringify(standard)}\``;
}

function meaning({ doc, isRequired }) {
  const linked = doc.replaceAll(/\bdocs\/([\w-]+)\.md\b/g, '[$1]($1.md)');
  return isRequired ? `${linked} Required.` : linked;
}

const MARKED = /^<!-- options of ([\w.]+)[^\n]*-->\n+(?:\|[^\n]*\n)*/gmu;

function escaped(cell) {
  return cell.replaceAll('|', String.raw`\|`);
}
