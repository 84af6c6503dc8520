import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const LAST_MARKER = /<!-- nestjs-agent-hooks ([\w-]{22}) -->\s*$/;
/** What platforms may change about a text: blanks, line ends, and signs that they read or write in their own way. */
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/gu;

/**
 * The line by which a channel knows its own comments: an HTML comment, which nobody is shown and platforms of code keep,
 * with a digest of the words before it under a key of the channel's own. Copied to other words it marks nothing.
 */
export class Marker {
  readonly #key: Buffer;

  /** @param secret of the channel; comments that were written under another one are not known any more. */
  constructor(secret: string) {
    this.#key = keyOf(secret);
  }

  on(text: string): string {
    return `${text}\n\n<!-- nestjs-agent-hooks ${this.#digest(text)} -->`;
  }

  isOn(text: string): boolean {
    const [line, digest = ''] = LAST_MARKER.exec(text) ?? [];
    if (line === undefined) return false;
    const own = this.#digest(text.slice(0, text.length - line.length));
    return timingSafeEqual(Buffer.from(own), Buffer.from(digest));
  }

  #digest(text: string): string {
    const words = text.normalize('NFKC').replace(BETWEEN_WORDS, '');
    return createHmac('sha256', this.#key).update(words).digest('base64url').slice(0, 22);
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** UUIDs (version 4) whose second half is a keyed digest of the first. The same message has the same one each time. */
export class OwnIds {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = keyOf(secret);
  }

  of(message: string): string {
    return this.#complete(createHash('sha256').update(message).digest().subarray(0, 8));
  }

  isOwn(id: string): boolean {
    if (!UUID.test(id)) return false;
    const own = this.#complete(Buffer.from(id.slice(0, 18).replaceAll('-', ''), 'hex'));
    return timingSafeEqual(Buffer.from(own), Buffer.from(id.toLowerCase()));
  }

  #complete(first: Buffer): string {
    const half = Buffer.from(first);
    half[6] = (half[6]! & 0x0f) | 0x40;
    const other = createHmac('sha256', this.#key).update(half).digest().subarray(0, 8);
    other[0] = (other[0]! & 0x3f) | 0x80;
    const hex = Buffer.concat([half, other]).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}

function keyOf(secret: string): Buffer {
  return createHmac('sha256', secret).update('nestjs-agent-hooks comment').digest();
}
