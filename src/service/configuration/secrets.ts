import { isDigest } from '../../hooks/index.ts';
import { isCredential } from '../../platform/credentials.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Inspection } from './inspect.ts';

/*
 * The secrets of a configuration: which texts are some, where they stand, and a copy of the configuration in which
 * none of them can be read.
 */

/** What stands for a secret. */
export const MASK = '***';

/**
 * Keys whose text is a secret: `token`, `refreshToken`, `appSecret`, `password`, `apiKey`, each one of `tokens` and `secrets`;
 * `tokenUrl` of `msteams` is none.
 */
const SECRET_KEY = /(?:tokens?|secrets?|password|apiKey)$/i;
/** Arguments of programs after which, or in which, a secret is expected: `--token x`, `-H x`, `--key=x`, `API_KEY=x`. */
const SECRET_FLAG =
  /^(-H|--?[\w-]*(?:token|secret|password|passwd|key|auth|header)[\w-]*|\w*(?:token|secret|password|passwd|key|auth)\w*(?==))(=.*)?$/is;
/** Lists of arguments. */
const ARGUMENTS: ReadonlySet<string> = new Set(['args', 'resumeArgs']);
/** What holds of requests, by places in them: one may compare a secret that its sender shows. */
const CONDITIONS = 'when';
/** Stands for the name of whatever such a condition says. */
const SECRET_CONDITION = 'when token';
/** A part of a path that nobody can remember: an address that holds one is a secret. */
const SECRET_PART = /(?<=\/)(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{16,}(?=[/?#]|$)/gi;
/** A reference, and not the escape `$${NAME}`. */
const VARIABLE = /(?<!\$)\$\{[A-Za-z_][A-Za-z0-9_]*\}/;
const REFERENCE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;
/** A header's value that only places are filled into: `{agent}`. */
const PLACES = /^(?:\{\w+\})+$/;
/** Shorter texts occur by chance. */
const SHORTEST_SECRET = 6;

/**
 * A configuration that can be shown: texts that hold a variable are as they were written, secrets are `***` wherever
 * they occur.
 * @param written the same before variables were replaced and defaults filled in
 */
export function maskSecrets(
  configuration: Record<string, unknown>,
  written: unknown,
): Record<string, unknown> {
  const masking = new Masking();
  return masking.withoutSecrets(masking.of(configuration, written, ''));
}

class Masking {
  readonly #secrets = new Set<string>();

  of(value: Record<string, unknown>, written: unknown, parent: string): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const original = isRecord(written) ? written[key] : undefined;
        if (ARGUMENTS.has(key) && Array.isArray(inner)) return [key, this.#args(inner, original)];
        if (parent === 'headers') return [key, this.#value(inner, original, 'headers')];
        if (parent === CONDITIONS && (key === 'and' || key === 'or')) {
          return [key, this.#value(inner, original, CONDITIONS)];
        }
        const ofSecret =
          parent === SECRET_CONDITION || (parent === CONDITIONS && isCredentialPlace(key));
        return [key, this.#value(inner, original, ofSecret ? SECRET_CONDITION : key)];
      }),
    );
  }

  /** A secret may stand in other texts, too. */
  withoutSecrets(value: Record<string, unknown>): Record<string, unknown> {
    const text = (found: string): string =>
      [...this.#secrets].reduce((shown, secret) => shown.replaceAll(secret, MASK), found);
    return mapTexts(value, text);
  }

  #value(value: unknown, written: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#text(value, written, key);
    if (Array.isArray(value)) {
      const originals: readonly unknown[] = Array.isArray(written) ? written : [];
      return value.map((item, index) => this.#value(item, originals[index], key));
    }
    return isRecord(value) ? this.of(value, written, key) : value;
  }

  #text(value: string, written: unknown, key: string): string {
    const isSecret =
      value !== '' && (SECRET_KEY.test(key) || (key === 'headers' && !PLACES.test(value)));
    const isReference = typeof written === 'string' && REFERENCE.test(written);
    if (isReference || isSecret) this.#remember(value);
    if (isReference && (!isSecret || isAll(written))) return withoutAccess(written);
    return isSecret ? MASK : withoutAccess(value);
  }

  #args(args: readonly unknown[], written: unknown): unknown[] {
    const originals: readonly unknown[] = Array.isArray(written) ? written : [];
    let isExpected = false;
    return args.map((arg, index) => {
      const [, flag, given] = (typeof arg === 'string' && SECRET_FLAG.exec(arg)) || [];
      const key = isExpected && flag === undefined ? 'token' : 'args';
      isExpected = flag !== undefined && given === undefined;
      return given === undefined ? this.#value(arg, originals[index], key) : `${flag}=${MASK}`;
    });
  }

  #remember(secret: string): void {
    if (secret.length >= SHORTEST_SECRET) this.#secrets.add(secret);
  }
}

/** By the last name of a place in a request: `headers.x-api-key`, `payload.client_secret`. */
function isCredentialPlace(place: string): boolean {
  return isCredential(/[^.[\]"']+(?=["'\]]*$)/.exec(place)?.[0]?.toLowerCase() ?? '');
}

/** Whether the variable is the whole text: what stands beside it may be a part of a secret. */
function isAll(written: string): boolean {
  return written.replace(REFERENCE, '') === '';
}

/** Addresses without user names and passwords; one that is the whole text, or the value of a flag, without what it says in its query. */
function withoutAccess(text: string): string {
  const shown = text.replaceAll(/(:\/\/)[^/?#\s]*@/g, `$1${MASK}@`);
  if (!/^(?:--?[\w-]+=)?[a-z][a-z0-9+.-]*:\/\//i.test(shown)) return shown;
  return shown.replaceAll(SECRET_PART, MASK).replaceAll(/([?&#][^=&#]*=)[^&#]+/g, `$1${MASK}`);
}

function mapTexts(
  value: Record<string, unknown>,
  change: (text: string) => string,
): Record<string, unknown> {
  const of = (inner: unknown): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (Array.isArray(inner)) return inner.map(of);
    return isRecord(inner) ? mapTexts(inner, change) : inner;
  };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, of(inner)]));
}

/** Of an address as `https://user:password@host`; empty: it has none. */
function passwordIn(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? (URL.parse(text)?.password ?? '') : '';
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
  const isNamed = SECRET_KEY.test(key.replace(/\[\d+\]$/, ''));
  const secret = isNamed ? value.trim() : passwordIn(value);
  // Who reads a digest cannot speak with it.
  if (isDigest(secret)) return [];
  // An escape is no variable: `$${NAME}` stands for itself.
  const isLiteral = typeof written === 'string' && !VARIABLE.test(written);
  return secret === '' ? [] : [{ key, value: secret, isLiteral }];
}
