import { createHmac, timingSafeEqual } from 'node:crypto';

const LAST_MARKER = /<!-- nestjs-agent-hooks ([\w-]{22}) -->\s*$/;
/** What platforms may change about a text: blanks, line ends, and signs that they read or write in their own way. */
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/gu;

/**
 * The line by which a channel knows its own comments when a platform tells of them: a comment of HTML, which nobody is
 * shown and platforms of code keep, with a digest of the words before it under a key of the channel's own. So whoever
 * copies the line from one of ours to words of their own marks nothing, and nobody is left unheard for quoting us.
 */
export class Marker {
  readonly #key: Buffer;

  /** @param secret of the channel; comments that were written under another one are not known any more. */
  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('nestjs-agent-hooks comment').digest();
  }

  on(text: string): string {
    return `${text}\n\n<!-- nestjs-agent-hooks ${this.#digest(text)} -->`;
  }

  /** Whether the text ends in the line that belongs to it. */
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
