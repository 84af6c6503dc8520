import { parseEnv } from 'node:util';

/** A variable that `.env` cannot hold. Its message never holds the value. */
export class DotenvError extends Error {
  override readonly name = 'DotenvError';
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PLAIN = /^[\w./:@%+,=-]+$/;

/**
 * The text of a `.env` in which these variables have these values, as the parser of the loader reads them. Everything
 * else stays byte for byte: a variable that is there is changed where it stands, a new one comes last.
 * @throws DotenvError when a value has no way to be written, or the name is none.
 */
export function editDotenv(text: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables).reduce(
    (edited, [name, value]) => withVariable(edited, name, value),
    text,
  );
}

function withVariable(text: string, name: string, value: string): string {
  if (!NAME.test(name)) throw new DotenvError(`${JSON.stringify(name)} is no name of a variable`);
  const before = parseEnv(text);
  if (before[name] === value) return text;
  const wanted = JSON.stringify(sorted({ ...before, [name]: value }));
  for (const place of placesOf(text, name)) {
    for (const written of writings(value)) {
      const edited = place(written);
      // Whether a place and a quote fit is decided by the parser that has to read them.
      if (JSON.stringify(sorted(parseEnv(edited))) === wanted) return edited;
    }
  }
  throw new DotenvError(
    `${name} cannot be written to .env so that it reads back as it is (it has quotes of all kinds, or control characters); set it in the environment instead`,
  );
}

/** The ways to write a value, the plainest first. No quote is best escaped: the parser knows no escapes. */
function writings(value: string): string[] {
  // A NUL could be written, but no process can be given it.
  if (value.includes('\0')) return [];
  const quoted = [`'${value}'`, `"${value}"`, `\`${value}\``];
  return PLAIN.test(value) ? [value, ...quoted] : [...quoted, value];
}

/** Where the value can be put: over the present one, the last first, else below everything. */
function placesOf(text: string, name: string): ((written: string) => string)[] {
  const present = [...text.matchAll(assignmentsOf(name))].map(
    ({ index, 1: label = '', 2: old }) => {
      const start = index + label.length;
      const end = start + (old ?? '').length;
      return (written: string) => text.slice(0, start) + written + text.slice(end);
    },
  );
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  return [...present.toReversed(), (written) => `${text}${gap}${name}=${written}${lineEnd}`];
}

/** What looks like `NAME=value`, in two groups; the parser has the last word on whether it is. */
function assignmentsOf(name: string): RegExp {
  const quoted = `"[^"]*"|'[^']*'|\`[^\`]*\``;
  const plain = '[^\\s#](?:[^\\n#]*[^\\s#])?';
  return new RegExp(
    `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*)(${quoted}|${plain}|)`,
    'gm',
  );
}

function sorted(variables: NodeJS.Dict<string>): [string, string | undefined][] {
  return Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
