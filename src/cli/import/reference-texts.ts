const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const THEIR_NAME = /^[A-Z_][A-Z0-9_]*$/;
const PLACEHOLDER = /\{\{\s*([^}]+?)\s*\}\}/g;

/**
 * A value of the reference's configuration whose texts mean the same here: there only names in capitals are variables,
 * here any, so that others are escaped.
 */
export function carriedTexts(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replace(REFERENCE, (written, _, name: string) =>
      THEIR_NAME.test(name) ? written : `$${written}`,
    );
  }
  if (Array.isArray(value)) return value.map(carriedTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, carriedTexts(item)]));
}

/** Names of the variables that a text, or the texts in a value, refer to. */
export function referencedNames(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  return [...text.matchAll(REFERENCE)].flatMap(([, escape, name]) =>
    escape === '' && name !== undefined ? [name] : [],
  );
}

/**
 * A template of the reference as one of ours. `item` and `index` mean the payload's own fields there, and so do what
 * stands below `path` and `now`.
 * @param fanOut the list that `forEach` names: there each action is shown a list of one, here its `item`.
 */
export function carriedTemplate(template: string, fanOut?: string): string {
  return template.replace(PLACEHOLDER, (written, path: string) => {
    const own = path.replace(/^payload\./, '');
    if (fanOut !== undefined && own.startsWith(`${fanOut}[0]`)) {
      return `{{ item${own.slice(fanOut.length + 3)} }}`;
    }
    const isOurs = /^(?:item|index)(?![^.[])|^(?:path|now)[.[]/.test(path);
    return isOurs ? `{{ payload.${path} }}` : written;
  });
}
