import type { IncomingHttpHeaders } from 'node:http';

export interface RequestHead {
  readonly method: string;
  /** The request-target as it came, never decoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request with the bytes that were signed: exactly those that came, before anybody parsed them. */
export interface SignedRequest extends RequestHead {
  readonly body: Buffer;
  /** Who is charged for what has to be fetched. @default one for all */
  readonly client?: string;
}

/**
 * - `missing`: none of the scheme's headers is there.
 * - `malformed`: there is something, but no signature of this scheme.
 * - `stale`: its timestamp is too far from our clock, either way.
 * - `mismatch`: no configured secret made it over these bytes.
 * - `unavailable`: a certificate cannot be fetched now; the sender should try again.
 */
export type SignatureFault = 'missing' | 'malformed' | 'stale' | 'mismatch' | 'unavailable';

export interface VerifiedSignature {
  readonly scheme: string;
  /** Whose secret it is, of `verify.senders`; absent: the path's own. */
  readonly sender?: string;
  /** The sender's durable id of this delivery; `isSigned`: it stands in what was signed, so nobody else can choose it. */
  readonly deliveryId?: { readonly id: string; readonly isSigned: boolean };
  /**
   * SHA-256 in Base64 of exactly what was signed, timestamp and id included: the same for two deliveries of one signed
   * text. Absent where the scheme signs nothing (a shared secret, Basic): whoever holds that needs no replay.
   */
  readonly signedDigest?: string;
  /** True: nobody without the secret can change a byte of the body. */
  readonly coversBody: boolean;
}

/** Longest distance for senders that name none: replays within it are known by their digest, which is kept longer. */
export const ONE_DAY = 86_400;
