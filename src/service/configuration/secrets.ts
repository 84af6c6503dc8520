import { isDigest, secretsIn } from '../../hooks/index.ts';
import { getField } from '../../platform/objects.ts';
import { sectionFiles } from './files.ts';
import type { ConfigurationFiles } from './files.ts';
import type { Inspection } from './inspect.ts';
import { CONFIGURATION } from './sections.ts';
import type { TokenFile } from './token-file.ts';

/** A reference, and not the escape `$${NAME}`. */
const VARIABLE = /(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Whether a text, as it was written, refers to a variable. */
export function namesVariable(written: string): boolean {
  return written.search(VARIABLE) >= 0;
}

/** Whether it is one variable and nothing else: what stands beside one may be a part of a secret. */
export function isVariable(written: string): boolean {
  return written.replace(VARIABLE, '') === '' && (written.match(VARIABLE)?.length ?? 0) === 1;
}

/** Names of the variables that the files refer to, each once. */
export function variablesOf(files: ConfigurationFiles): string[] {
  const names = sectionFiles(files).flatMap(({ text }) =>
    Array.from(text.matchAll(VARIABLE), ([, name = '']) => name),
  );
  return [...new Set(names)];
}

/**
 * What came into the configuration from outside of its files, in every form a text may hold it: shown nowhere, secret
 * or not.
 */
export function interpolatedValues({ files, env, resolved }: Inspection): string[] {
  const values = variablesOf(files).map((name) => env[name] ?? '');
  return [...new Set([...values, keptToken(resolved?.operatorTokenFile)].flatMap(formsOf))];
}

/** Empty where there is none, or where it is not for whoever asks. */
function keptToken(file: TokenFile | undefined): string {
  try {
    return file?.read() ?? '';
  } catch {
    return '';
  }
}

/** As it is, line by line, and as JSON and addresses write it. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines].flatMap((text) => [
    text,
    text.toLowerCase(),
    JSON.stringify(text).slice(1, -1),
    encodeURI(text.toWellFormed()),
    encodeURIComponent(text.toWellFormed()),
  ]);
}

export interface Secret {
  readonly key: string;
  readonly value: string;
  /** The file in which it is written out; undefined when it comes from a variable, or was generated. */
  readonly file: string | undefined;
}

/** Every secret of the configuration, the generated operator token among them. */
export function listSecrets({ sections, written, merged, resolved }: Inspection): Secret[] {
  const found = secretsIn(sections, CONFIGURATION).flatMap(({ place, text, by }): Secret[] => {
    const value = text.trim();
    // Who reads a digest cannot speak with it.
    if (by === 'name' || value === '' || isDigest(value)) return [];
    const original = getField(written, ...place.path);
    // An escape is no variable: `$${NAME}` stands for itself.
    const isLiteral = typeof original === 'string' && !namesVariable(original);
    const { key } = place;
    return [{ key, value, file: isLiteral ? merged.filesOf(key)[0] : undefined }];
  });
  const isGiven = found.some(({ key }) => key === 'gateway.auth.token');
  const kept = isGiven ? undefined : resolved?.operatorTokenFile.read();
  if (kept === undefined) return found;
  return [...found, { key: 'operator-token', value: kept, file: undefined }];
}
