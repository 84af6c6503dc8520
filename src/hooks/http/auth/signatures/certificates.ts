import { X509Certificate } from 'node:crypto';
import { sendHttp } from '../../../../platform/http-client.ts';
import { KEPT_CERTIFICATES } from '../../../ports/index.ts';
import type { Intake } from '../../../ports/index.ts';
import { PublishedKeys } from './published-keys.ts';

/** The PEM at an address; null: there is none (4xx). @throws anything, when nobody can tell now */
export type FetchCertificate = (url: URL) => Promise<string | null>;

const TIMEOUT_MS = 5000;
const MAX_BYTES = 32_768;

/** From the network: 5 s, 32 KB, and no redirect is followed, so that the host is the one that was allowed. */
export const fetchCertificate: FetchCertificate = async (url) => {
  const answer = await sendHttp(url, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  if (answer.status === 200) return answer.text;
  const isGone = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  if (isGone) return null;
  throw new Error(`the certificate's server answered ${answer.status}`);
};

/** Where certificates that once verified a request stay over restarts. */
export type CertificateMemory = Pick<Intake, 'certificates' | 'keepCertificate'>;

const NO_MEMORY: CertificateMemory = {
  certificates: () => Promise.resolve([]),
  keepCertificate: () => Promise.resolve(),
};

/** How long a certificate is used before it is fetched again; its own dates end it earlier. In milliseconds. */
const KEPT_FOR = 86_400_000;
/** How long nobody asks again for one that is not there, and for one that could not be had. In milliseconds. */
const ABSENT_FOR = 300_000;
const AWAY_FOR = 5000;
/** How many nobody has proved yet, and how many that are not there; the oldest gives way. */
const MOST_UNPROVED = 32;
const MOST_ABSENT = 1000;
/** Fetches of unproved addresses at once, and begun in any minute: what all strangers can make us ask of the host. */
const MOST_AT_ONCE = 8;
const MOST_A_MINUTE = 60;
/** From then on only for clients that have begun none in this minute: a few strangers do not keep out a new sender. */
const MOST_A_MINUTE_OF_SAME = 30;
/** The same of one client: a stranger uses up its own. */
const MOST_AT_ONCE_OF_ONE = 2;
const MOST_A_MINUTE_OF_ONE = 5;
/** Clients that sent something that was verified. */
const MOST_PROVED_CLIENTS = 1000;
const MINUTE = 60_000;

/** `absent`: there is none; `away`: it could not be fetched now, so the sender should try again. */
type FoundCertificate = X509Certificate | 'absent' | 'away';

interface Kept<Value> {
  readonly value: Value;
  readonly until: number;
}

interface Fetched {
  readonly certificate: X509Certificate;
  readonly pem: string;
  readonly at: number;
  isWritten: boolean;
}

interface Place {
  readonly at: number;
  readonly client: string;
  isOver: boolean;
}

/**
 * Certificates by their address, which is a stranger's word: fetches are budgeted by client until a signature of the
 * certificate was right. From then on it is remembered, over restarts too, and no stranger has a part in fetching it.
 */
export class Certificates {
  readonly #proved = new Map<string, Fetched>();
  readonly #unproved = new Map<string, Fetched>();
  readonly #failed = new Map<string, Kept<'absent' | 'away'>>();
  readonly #fetching = new Map<string, Promise<FoundCertificate>>();
  #places: Place[] = [];
  /** Whose requests were verified: what all strangers together may does not bind them. */
  readonly #provedClients = new Map<string, true>();
  readonly #published = new Map<string, PublishedKeys>();
  #recalling: { readonly at: number; readonly done: Promise<void> } | undefined;

  constructor(
    private readonly fetch: FetchCertificate = fetchCertificate,
    private readonly memory: CertificateMemory = NO_MEMORY,
  ) {}

  /** Within its dates; one fetch serves all who ask meanwhile. `now` in milliseconds since 1970. */
  async get(url: URL, now: number, client: string): Promise<FoundCertificate> {
    const address = url.href;
    if (!this.#proved.has(address)) await this.#recall(now);
    const kept = this.#proved.get(address) ?? this.#unproved.get(address);
    if (kept !== undefined && now < kept.at + KEPT_FOR) return inForce(kept.certificate, now);
    const failed = this.#failed.get(address);
    const found =
      failed !== undefined && now < failed.until
        ? failed.value
        : await (this.#fetching.get(address) ?? this.#begin(url, now, client));
    if (found instanceof X509Certificate) return inForce(found, now);
    // Its host cannot be asked, which says nothing against what it said last.
    const proved = found === 'away' ? this.#proved.get(address) : undefined;
    return proved === undefined ? found : inForce(proved.certificate, now);
  }

  /** Keys that an issuer of tokens publishes there; the address is the operator's or ours, never a stranger's. */
  publishedAt(address: string): PublishedKeys {
    const known = this.#published.get(address);
    const keys = known ?? new PublishedKeys(new URL(address), this.fetch);
    this.#published.set(address, keys);
    return keys;
  }

  /** The certificate of that address has verified a request of the client: neither is a stranger's invention. */
  notePassed(url: URL, client: string): void {
    const address = url.href;
    remember(this.#provedClients, client, true, MOST_PROVED_CLIENTS);
    const fetched = this.#unproved.get(address) ?? this.#proved.get(address);
    if (fetched === undefined) return;
    this.#unproved.delete(address);
    remember(this.#proved, address, fetched, KEPT_CERTIFICATES);
    if (fetched.isWritten) return;
    fetched.isWritten = true;
    const { pem, at: fetchedAt } = fetched;
    // What could not be written is written with the next request that it verifies.
    this.memory
      .keepCertificate({ address, pem, fetchedAt })
      .catch(() => (fetched.isWritten = false));
  }

  /** What another process, or the one before, has proved; asked again once there was time for news. */
  #recall(now: number): Promise<void> {
    const { at = -Infinity } = this.#recalling ?? {};
    if (this.#recalling === undefined || Math.abs(now - at) >= AWAY_FOR) {
      this.#recalling = { at: now, done: this.#readMemory() };
    }
    return this.#recalling.done;
  }

  async #readMemory(): Promise<void> {
    try {
      for (const { address, pem, fetchedAt: at } of await this.memory.certificates()) {
        const certificate = read(pem);
        if (!(certificate instanceof X509Certificate) || this.#proved.has(address)) continue;
        const fetched = { certificate, pem, at, isWritten: true };
        remember(this.#proved, address, fetched, KEPT_CERTIFICATES);
      }
    } catch {
      // Then they are fetched like any other.
    }
  }

  #begin(url: URL, now: number, client: string): Promise<FoundCertificate> {
    const isProved = this.#proved.has(url.href);
    const place = { at: now, client, isOver: false };
    if (!isProved) {
      if (!this.#hasPlace(now, client)) return Promise.resolve('away');
      this.#places.push(place);
    }
    const fetching = this.#fetch(url, now).finally(() => {
      place.isOver = true;
      this.#fetching.delete(url.href);
    });
    this.#fetching.set(url.href, fetching);
    return fetching;
  }

  #hasPlace(now: number, client: string): boolean {
    const isRecent = ({ at }: Place): boolean => Math.abs(now - at) < MINUTE;
    this.#places = this.#places.filter((place) => isRecent(place) || !place.isOver);
    const isFree = (places: readonly Place[], atOnce: number, aMinute: number): boolean =>
      places.filter(({ isOver }) => !isOver).length < atOnce &&
      places.filter(isRecent).length < aMinute;
    const own = this.#places.filter((place) => place.client === client);
    if (!isFree(own, MOST_AT_ONCE_OF_ONE, MOST_A_MINUTE_OF_ONE)) return false;
    const aMinute = own.some(isRecent) ? MOST_A_MINUTE_OF_SAME : MOST_A_MINUTE;
    return this.#provedClients.has(client) || isFree(this.#places, MOST_AT_ONCE, aMinute);
  }

  async #fetch(url: URL, at: number): Promise<FoundCertificate> {
    const { href } = url;
    const { found, pem } = await this.#ask(url);
    if (!(found instanceof X509Certificate)) {
      const until = at + (found === 'absent' ? ABSENT_FOR : AWAY_FOR);
      remember(this.#failed, href, { value: found, until }, MOST_ABSENT);
      return found;
    }
    const fetched = { certificate: found, pem, at, isWritten: false };
    if (this.#proved.has(href)) this.#proved.set(href, fetched);
    else remember(this.#unproved, href, fetched, MOST_UNPROVED);
    return found;
  }

  async #ask(url: URL): Promise<{ found: FoundCertificate; pem: string }> {
    try {
      const pem = await this.fetch(url);
      return { found: read(pem), pem: pem ?? '' };
    } catch {
      return { found: 'away', pem: '' };
    }
  }
}

/** The first of a chain is the one that signs. */
function read(pem: string | null): FoundCertificate {
  if (pem === null) return 'absent';
  try {
    return new X509Certificate(pem);
  } catch {
    return 'away';
  }
}

function inForce(certificate: X509Certificate, now: number): FoundCertificate {
  const isValid =
    certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime();
  return isValid ? certificate : 'absent';
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
