import { isCredential } from '../../platform/credentials.ts';
import { isRecord } from '../../platform/objects.ts';
import { MASK, isSecretAfter, maskArgument, maskText } from './secret-texts.ts';
import { isSecretKey, isVariable, namesVariable } from './secrets.ts';

/*
 * A configuration in which no secret can be read. Texts are secrets by their key, by what stands beside them, by their
 * look, or because they came from a variable, and are then masked wherever else they occur.
 */

/** Lists of arguments. */
const ARGUMENTS: ReadonlySet<string> = new Set(['args', 'resumeArgs']);
/** Whoever knows the address under it may use it: of a webhook that somebody else serves, of an MCP server. */
const CAPABILITY = 'url';
/** What holds of requests, by places in them: one may compare a secret that its sender shows. */
const CONDITIONS = 'when';
/** Stands for the name of whatever such a condition says. */
const SECRET_CONDITION = 'when token';
/** A header's value that only places are filled into: `{agent}`. */
const PLACES = /^(?:\{\w+\})+$/;
/** Shorter texts occur by chance. */
const SHORTEST_SECRET = 6;

/**
 * A configuration that can be shown: texts that hold a variable are as they were written, secrets are `***` wherever
 * they occur.
 * @param written the same before variables were replaced and defaults filled in
 * @param known further secrets: values of variables, and what stands in files of its own
 */
export function maskSecrets(
  configuration: Record<string, unknown>,
  written: unknown,
  known: readonly string[] = [],
): Record<string, unknown> {
  const masking = new Masking(known);
  return masking.withoutSecrets(masking.of(configuration, written, ''));
}

class Masking {
  readonly #secrets = new Set<string>();

  constructor(known: readonly string[]) {
    for (const secret of known) this.#remember(secret);
  }

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
    const secrets = [...this.#secrets];
    return mapTexts(value, (text) => maskOccurrences(text, secrets));
  }

  #value(value: unknown, written: unknown, key: string): unknown {
    // Also where the text of a variable became a number or a list.
    if (typeof written === 'string' && namesVariable(written)) {
      return this.#reference(value, written, key);
    }
    if (typeof value === 'string') return this.#text(value, key);
    if (Array.isArray(value)) {
      const originals: readonly unknown[] = Array.isArray(written) ? written : [];
      return value.map((item, index) => this.#value(item, originals[index], key));
    }
    return isRecord(value) ? this.of(value, written, key) : value;
  }

  #reference(value: unknown, written: string, key: string): string {
    if (typeof value === 'string') this.#remember(value);
    // What stands beside a variable may be a part of a secret.
    if (isSecretText(written, key) && !isVariable(written)) return MASK;
    return this.#shown(written, key);
  }

  #text(value: string, key: string): string {
    if (!isSecretText(value, key)) return this.#shown(value, key);
    this.#remember(value);
    for (const word of value.split(/\s+/)) this.#remember(word);
    return MASK;
  }

  #shown(text: string, key: string): string {
    const found = (secret: string): void => this.#remember(secret);
    if (ARGUMENTS.has(key)) return maskArgument(text, found);
    return maskText(text, key === CAPABILITY, found);
  }

  #args(args: readonly unknown[], written: unknown): unknown[] {
    const originals: readonly unknown[] = Array.isArray(written) ? written : [];
    return args.map((arg, index) => {
      const before = args[index - 1];
      const isSecret =
        typeof arg === 'string' && typeof before === 'string' && isSecretAfter(before, arg);
      return this.#value(arg, originals[index], isSecret ? 'token' : 'args');
    });
  }

  #remember(secret: string): void {
    if (secret.length >= SHORTEST_SECRET) this.#secrets.add(secret);
  }
}

/** Whether all of a text is one: of headers whatever is written out. */
function isSecretText(text: string, key: string): boolean {
  if (text === '') return false;
  if (key === SECRET_CONDITION || isSecretKey(key)) return true;
  return key === 'headers' && !PLACES.test(text);
}

/** By the last name of a place in a request: `headers.x-api-key`, `payload.client_secret`. */
function isCredentialPlace(place: string): boolean {
  return isCredential(/[^.[\]"']+(?=["'\]]*$)/.exec(place)?.[0]?.toLowerCase() ?? '');
}

/** Secrets may be parts of each other, or begin in one another: whatever belongs to any of them goes. */
function maskOccurrences(text: string, secrets: readonly string[]): string {
  const isSecret = new Uint8Array(text.length);
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
      isSecret.fill(1, at, at + secret.length);
    }
  }
  let shown = '';
  for (let at = 0; at < text.length; at += 1) {
    if (isSecret[at] === 0) shown += text[at];
    else if (at === 0 || isSecret[at - 1] === 0) shown += MASK;
  }
  return shown;
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
