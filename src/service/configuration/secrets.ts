import { isDigest, passwordIn } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import type { ConfigurationFiles } from './files.ts';
import type { Inspection } from './inspect.ts';
import type { TokenFile } from './token-file.ts';

/*
 * The secrets of a configuration: what its keys call so, and what variables and files of their own bring into it.
 */

/**
 * Keys whose text is a secret: `token`, `refreshToken`, `appSecret`, `password`, `apiKey`, each one of `tokens` and `secrets`;
 * `tokenUrl` of `msteams` is none.
 */
const SECRET_KEY = /(?:tokens?|secrets?|password|apiKey)$/i;
/** A reference, and not the escape `$${NAME}`. */
const VARIABLE = /(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** Whether a text, as it was written, refers to a variable. */
export function namesVariable(written: string): boolean {
  return written.search(VARIABLE) >= 0;
}

/** Whether it is one variable and nothing else: what stands beside one may be a part of a secret. */
export function isVariable(written: string): boolean {
  return written.replace(VARIABLE, '') === '' && (written.match(VARIABLE)?.length ?? 0) === 1;
}

/** Names of the variables that the files refer to, each once. */
export function variablesOf({ gateway = '', fragments = [] }: ConfigurationFiles): string[] {
  const texts = [gateway, ...fragments.map(({ text }) => text)];
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(VARIABLE), ([, name = '']) => name),
  );
  return [...new Set(names)];
}

/**
 * What came into the configuration from outside of its files, in every form in which a text may hold it: shown nowhere,
 * be it a secret or not.
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

/** A secret of the configuration and where it stands. */
export interface Secret {
  readonly key: string;
  readonly value: string;
  /** The file in which it is written out; undefined when it comes from a variable, or was generated. */
  readonly file: string | undefined;
}

/** Every secret of the configuration, the generated operator token among them. */
export function listSecrets({ sections, written, merged, resolved }: Inspection): Secret[] {
  const found = secretsIn(sections, written, '').map(({ key, value, isLiteral }) => {
    return { key, value, file: isLiteral ? merged.filesOf(key)[0] : undefined };
  });
  const isGiven = found.some(({ key }) => key === 'gateway.auth.token');
  const kept = isGiven ? undefined : resolved?.operatorTokenFile.read();
  if (kept === undefined) return found;
  return [...found, { key: 'operator-token', value: kept, file: undefined }];
}

interface FoundSecret {
  readonly key: string;
  readonly value: string;
  readonly isLiteral: boolean;
}

function secretsIn(value: unknown, written: unknown, place: string): FoundSecret[] {
  if (Array.isArray(value)) {
    const originals: readonly unknown[] = Array.isArray(written) ? written : [];
    return value.flatMap((item, index) => secretsIn(item, originals[index], `${place}[${index}]`));
  }
  if (typeof value === 'string') return secretOf(value, written, place);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = place === '' ? name : `${place}.${name}`;
    return secretsIn(inner, isRecord(written) ? written[name] : undefined, key);
  });
}

/** A text that its key, or that of its list, calls a secret, or the password in an address. */
function secretOf(value: string, written: unknown, key: string): FoundSecret[] {
  const isNamed = isSecretKey(key.replace(/\[\d+\]$/, ''));
  const secret = isNamed ? value.trim() : passwordIn(value);
  // Who reads a digest cannot speak with it.
  if (isDigest(secret)) return [];
  // An escape is no variable: `$${NAME}` stands for itself.
  const isLiteral = typeof written === 'string' && !namesVariable(written);
  return secret === '' ? [] : [{ key, value: secret, isLiteral }];
}
