import { X509Certificate } from 'node:crypto';
import { sendHttp } from '../../../../platform/http-client.ts';

/**
 * What stands at the address of a certificate: its PEM, or null when there is none (4xx).
 * @throws anything, when nobody can tell now.
 */
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

/** How long a certificate is used before it is fetched again; its own dates end it earlier. In milliseconds. */
const KEPT_FOR = 86_400_000;
/** How long nobody asks again for one that is not there, and for one that could not be had. In milliseconds. */
const ABSENT_FOR = 300_000;
const AWAY_FOR = 5000;
/** Of each kind; the oldest gives way. The addresses are a stranger's word, so no number of them may cost much. */
const MOST_KEPT = 32;
const MOST_ABSENT = 1000;
/** Fetches at once, and begun in any minute: what a flood of new addresses can make us ask of the host. */
const MOST_AT_ONCE = 4;
const MOST_A_MINUTE = 30;
const MINUTE = 60_000;

/** `absent`: there is none; `away`: it could not be fetched now, so the sender should try again. */
export type FoundCertificate = X509Certificate | 'absent' | 'away';

interface Kept<Value> {
  readonly value: Value;
  readonly until: number;
}

/** Certificates by their address. Whoever asks has checked that the address may be asked. */
export class Certificates {
  readonly #kept = new Map<string, Kept<X509Certificate>>();
  readonly #failed = new Map<string, Kept<'absent' | 'away'>>();
  readonly #fetching = new Map<string, Promise<FoundCertificate>>();
  #begun: number[] = [];

  constructor(private readonly fetch: FetchCertificate = fetchCertificate) {}

  /** Within its dates. One fetch serves all who ask meanwhile. @param now in milliseconds since 1970 */
  async get(url: URL, now: number): Promise<FoundCertificate> {
    const address = url.href;
    const kept = this.#kept.get(address);
    if (kept !== undefined && now < kept.until) return inForce(kept.value, now);
    const failed = this.#failed.get(address);
    if (failed !== undefined && now < failed.until) return failed.value;
    const fetching = this.#fetching.get(address) ?? this.#begin(url, now);
    const found = await fetching;
    return found instanceof X509Certificate ? inForce(found, now) : found;
  }

  #begin(url: URL, now: number): Promise<FoundCertificate> {
    this.#begun = this.#begun.filter((at) => now - at < MINUTE);
    const isFlood = this.#fetching.size >= MOST_AT_ONCE || this.#begun.length >= MOST_A_MINUTE;
    // An address that has had one is no stranger's invention: it is asked again whatever strangers do.
    if (isFlood && !this.#kept.has(url.href)) return Promise.resolve('away');
    this.#begun.push(now);
    const fetching = this.#fetch(url, now).finally(() => this.#fetching.delete(url.href));
    this.#fetching.set(url.href, fetching);
    return fetching;
  }

  async #fetch(url: URL, now: number): Promise<FoundCertificate> {
    const found = await this.#ask(url);
    if (found instanceof X509Certificate) {
      remember(this.#kept, url.href, { value: found, until: now + KEPT_FOR }, MOST_KEPT);
    } else {
      const until = now + (found === 'absent' ? ABSENT_FOR : AWAY_FOR);
      remember(this.#failed, url.href, { value: found, until }, MOST_ABSENT);
    }
    return found;
  }

  async #ask(url: URL): Promise<FoundCertificate> {
    try {
      return read(await this.fetch(url));
    } catch {
      return 'away';
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

/** One that is not yet or no longer valid proves nothing. */
function inForce(certificate: X509Certificate, now: number): FoundCertificate {
  const isValid =
    certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime();
  return isValid ? certificate : 'absent';
}

function remember<Value>(
  map: Map<string, Kept<Value>>,
  key: string,
  value: Kept<Value>,
  most: number,
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
