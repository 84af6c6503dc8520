import { isSections } from '../../../standalone/json5-document.ts';

/** What stands for a secret. */
export const MASK = '***';

/** Keys whose text is a secret: `token`, `refreshToken`, `appSecret`, `password`, `apiKey`. */
const SECRET_KEY = /(?:token|secret|password|apiKey)$/i;
/** Arguments of programs after which, or in which, a secret is expected: `--token x`, `-H x`, `--key=x`, `API_KEY=x`. */
const SECRET_FLAG =
  /^(-H|--?[\w-]*(?:token|secret|password|passwd|key|auth|header)[\w-]*|\w*(?:token|secret|password|passwd|key|auth)\w*(?==))(=.*)?$/is;
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
export function masked(
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
        const original = isSections(written) ? written[key] : undefined;
        if (key === 'args' && Array.isArray(inner)) return [key, this.#args(inner, original)];
        return [key, this.#value(inner, original, parent === 'headers' ? 'headers' : key)];
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
    return isSections(value) ? this.of(value, written, key) : value;
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

/** Whether the variable is the whole text: what stands beside it may be a part of a secret. */
function isAll(written: string): boolean {
  return written.replace(REFERENCE, '') === '';
}

/** Addresses without user names and passwords; one that is the whole text, or the value of a flag, without what it says in its query. */
function withoutAccess(text: string): string {
  const shown = text.replaceAll(/(:\/\/)[^/?#\s]*@/g, `$1${MASK}@`);
  if (!/^(?:--?[\w-]+=)?[a-z][a-z0-9+.-]*:\/\//i.test(shown)) return shown;
  return shown.replaceAll(/([?&#][^=&#]*=)[^&#]+/g, `$1${MASK}`);
}

function mapTexts(
  value: Record<string, unknown>,
  change: (text: string) => string,
): Record<string, unknown> {
  const of = (inner: unknown): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (Array.isArray(inner)) return inner.map(of);
    return isSections(inner) ? mapTexts(inner, change) : inner;
  };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, of(inner)]));
}
