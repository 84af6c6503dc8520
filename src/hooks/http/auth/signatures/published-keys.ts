import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { getField, getText, isRecord, parseJson } from '../../../../platform/objects.ts';

/** How long a set of keys is used before it is asked for again, in milliseconds. */
const KEPT_FOR = 3_600_000;
/** How seldom it is asked for, whatever keys strangers name, and where it could not be had. In milliseconds. */
const ASKED_EVERY = 60_000;
const AWAY_FOR = 5000;

/** `absent`: the issuer publishes none of that name; `away`: it cannot be asked now, so the sender should try again. */
export type FoundKey = KeyObject | 'absent' | 'away';

/** Keys that an issuer of tokens publishes at an address of its own (JWKS, RFC 7517), by their names. */
export class PublishedKeys {
  readonly #url: URL;
  readonly #fetch: (url: URL) => Promise<string | null>;
  #keys: ReadonlyMap<string, KeyObject> | null = null;
  #askedAt = -Infinity;
  #isAway = false;
  #asking: Promise<void> | null = null;

  /** @param fetch gives what stands there; null: nothing */
  constructor(url: URL, fetch: (url: URL) => Promise<string | null>) {
    this.#url = url;
    this.#fetch = fetch;
  }

  /** The key of that name. One question serves all who ask meanwhile. @param now in milliseconds since 1970 */
  get(name: string, now: number): FoundKey | Promise<FoundKey> {
    const age = Math.abs(now - this.#askedAt);
    const known = this.#keys?.get(name);
    if (known !== undefined && age < KEPT_FOR) return known;
    const isSettled = this.#asking === null && age < (this.#isAway ? AWAY_FOR : ASKED_EVERY);
    if (isSettled) return known ?? this.#missing();
    this.#asking ??= this.#ask(now).finally(() => (this.#asking = null));
    return this.#asking.then(() => this.#keys?.get(name) ?? this.#missing());
  }

  #missing(): FoundKey {
    return this.#keys === null ? 'away' : 'absent';
  }

  /** Where it cannot be asked, what it said last still counts. */
  async #ask(now: number): Promise<void> {
    this.#askedAt = now;
    const keys = await this.#fetch(this.#url).then(
      (text) => readKeys(text ?? ''),
      () => null,
    );
    this.#isAway = keys === null;
    this.#keys = keys ?? this.#keys;
  }
}

/** RSA keys and those of P-256, but for what is published for encryption. @returns null for anything but a set of keys */
function readKeys(text: string): Map<string, KeyObject> | null {
  const listed = getField(parseJson(text), 'keys');
  if (!Array.isArray(listed)) return null;
  const keys = new Map<string, KeyObject>();
  for (const key of listed) {
    const name = getText(key, 'kid');
    const isOfUse = getText(key, 'kty') === 'RSA' || getText(key, 'crv') === 'P-256';
    if (!isRecord(key) || name === undefined || !isOfUse || key['use'] === 'enc') continue;
    try {
      keys.set(name, createPublicKey({ key, format: 'jwk' }));
    } catch {
      // The others may be right.
    }
  }
  return keys;
}
