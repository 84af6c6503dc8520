import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { DOTENV_FILE } from './files.ts';
import { replaceFile } from './fragments.ts';

export type Variables = Readonly<Record<string, string>>;

/**
 * `.env` with these variables: known ones get the new value on their line, others follow at the end.
 * @throws RangeError for a value that no line can say
 */
export function withVariables(text: string | undefined, variables: Variables): string {
  let next = text ?? '';
  if (next !== '' && !next.endsWith('\n')) next += '\n';
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${quoted(value)}`;
    const own = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm');
    next = own.test(next) ? next.replace(own, () => line) : `${next}${line}\n`;
  }
  const read = parseEnv(next);
  for (const [name, value] of Object.entries(variables)) {
    if (read[name] !== value || /[\r\n]/.test(value))
      throw new RangeError(`${DOTENV_FILE} cannot hold this ${name}`);
  }
  return next;
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
