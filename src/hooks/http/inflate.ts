import type { IncomingHttpHeaders } from 'node:http';
import { createBrotliDecompress, createInflateRaw, createUnzip } from 'node:zlib';
import { Rejection } from '../ports/rejection.ts';

const PACKINGS = ['gzip', 'deflate', 'br'] as const;

/** How a body is packed. */
export type Packing = (typeof PACKINGS)[number];

/** Words of the header that say no more than that nothing was done; some write their charset there. */
const NOT_PACKED: ReadonlySet<string> = new Set(['', 'identity', 'utf-8', 'utf8']);

/**
 * Undefined: it is not packed.
 * @param forStranger true: nobody has verified the sender by then, and Brotli takes 16 MB for what a few bytes say
 * @throws Rejection unsupported_media_type for what we cannot unpack, and for what is packed twice
 */
export function packingOf(
  { 'content-encoding': header }: IncomingHttpHeaders,
  forStranger: boolean,
): Packing | undefined {
  if (header === undefined) return undefined;
  const written = header.split(',').map((name) => name.trim().toLowerCase());
  const [name, ...others] = written.filter((one) => !NOT_PACKED.has(one));
  if (name === undefined) return undefined;
  const packing = PACKINGS.find((one) => one === name.replace(/^x-/, ''));
  const isTaken = others.length === 0 && !(forStranger && packing === 'br');
  if (packing !== undefined && isTaken) return packing;
  const taken = forStranger ? 'gzip or deflate' : 'gzip, deflate or br';
  throw new Rejection('unsupported_media_type', `Send the body uncompressed, or once as ${taken}`);
}

/**
 * What was packed, asynchronously.
 * @param admit hears of the size after every 16 KB; what it throws ends it
 * @throws Rejection invalid_body for what is broken or something else
 */
export async function inflate(
  bytes: Buffer,
  packing: Packing,
  admit: (size: number) => void,
): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const inflater = openInflater(bytes, packing);
  const chunks: Buffer[] = [];
  let size = 0;
  inflater.end(bytes);
  try {
    for await (const chunk of inflater) {
      size += chunk.length;
      admit(size);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Rejection) throw error;
    const place = `it breaks off after ${size} bytes of content`;
    throw new Rejection('invalid_body', `${packing}, as its Content-Encoding says: ${place}`);
  }
  return Buffer.concat(chunks, size);
}

function openInflater(bytes: Buffer, packing: Packing) {
  if (packing === 'br') return createBrotliDecompress();
  // RFC 9110 has deflate in the format of zlib, whose head half of the senders leave out.
  const isRaw =
    packing === 'deflate' &&
    ((bytes[0]! & 0x0f) !== 8 || (bytes[0]! * 256 + (bytes[1] ?? 0)) % 31 !== 0);
  return isRaw ? createInflateRaw() : createUnzip();
}
