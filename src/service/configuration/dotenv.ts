import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { ConfigurationError } from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';
import { DOTENV_FILE } from './files.ts';
import { replaceFile } from './fragments.ts';

export type Variables = Readonly<Record<string, string>>;

/** As Node reads it: the name, a value in quotes with all of its lines, and what else the last line has. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([^\s=#][^=\n]*)=[ \t]*("[^"]*"|'[^']*'|`[^`]*`)?([^\r\n]*)/gm;

/**
 * `.env` with these variables: known ones get the new value in their place, others follow at the end.
 * @throws ConfigurationError for a value that no line can say, or where another variable would change
 */
export function withVariables(text: string | undefined, variables: Variables): string {
  let next = text ?? '';
  if (next !== '' && !next.endsWith('\n')) next += '\n';
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${quoted(value)}`;
    let isThere = false;
    next = next.replace(ASSIGNMENT, (whole, own: string) => {
      if (own.trim() !== name) return whole;
      isThere = true;
      return line;
    });
    if (!isThere) next += `${line}\n`;
  }
  const read = parseEnv(next);
  const isRead = Object.entries(variables).every(
    ([name, value]) => read[name] === value && !/[\r\n]/.test(value),
  );
  if (isRead && isDeepStrictEqual(others(text ?? '', variables), others(next, variables)))
    return next;
  const names = Object.keys(variables).join(', ');
  const message = `cannot hold this ${names} beside what it has; write it there yourself`;
  throw new ConfigurationError([{ key: DOTENV_FILE, message }]);
}

/** Node calls an empty one behind `export` by both words. */
function others(text: string, variables: Variables): [string, string | undefined][] {
  return Object.entries(parseEnv(text)).filter(
    ([name]) => !Object.hasOwn(variables, name.replace(/^export\s+/, '')),
  );
}

/** What Node reads otherwise than shells and other readers do, and says nothing: it would be half a secret. */
export function dotenvWarnings(text: string): Problem[] {
  return Array.from(text.matchAll(ASSIGNMENT)).flatMap(
    ([whole, written = '', value, rest = '']) => {
      const name = written.trim();
      // After nothing but blanks the next line is taken for the value.
      const isWhole =
        value === undefined
          ? !/^["'`]|^[^#]*[^\s#]#/.test(rest) && !/=[ \t]+$/.test(whole)
          : /^\s*(?:#.*)?$/.test(rest);
      // Else it may be a line of a secret.
      if (isWhole || !/^[A-Za-z_]\w*$/.test(name)) return [];
      const message = `has a value of ${name} that is not read as it stands (it has a # or a quote inside, or only blanks); put all of it in other quotes`;
      return [{ key: DOTENV_FILE, message }];
    },
  );
}

/** Writes the whole of `.env` (mode 0600) in one go; a link to it goes on leading to the file. */
export function writeDotenv(dir: string, text: string): void {
  const path = join(dir, DOTENV_FILE);
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const file = isThere ? realpathSync(path) : path;
  replaceFile(dirname(file), file, text);
}

/** Bare where that is read back as it is. */
function quoted(value: string): string {
  if (/^[\w.:/+@=-]*$/.test(value)) return value;
  const quote = ["'", '`', '"'].find((one) => !value.includes(one)) ?? "'";
  return `${quote}${value}${quote}`;
}
