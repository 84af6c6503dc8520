import { isUtf8 } from 'node:buffer';

/** What a Content-Type says of it. */
export function charsetOf(header = ''): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1];
}

/**
 * The charset that is said, UTF-8 where none is; undefined: it is of neither. What says ISO-8859-1 or ASCII and is UTF-8
 * is UTF-8: nobody chose those, they are the default of libraries.
 * @param charset as a sender writes it; one that nobody knows is none
 */
export function decodeText(bytes: Buffer, charset: string | undefined): string | undefined {
  const decoder = charset === undefined ? undefined : decoderOf(charset);
  const isChosen = decoder !== undefined && decoder.encoding !== 'windows-1252';
  if (!isChosen && isUtf8(bytes)) return bytes.toString();
  try {
    return decoder?.decode(bytes);
  } catch {
    return isUtf8(bytes) ? bytes.toString() : undefined;
  }
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

/** Where bytes cease to be UTF-8, counted from 1. */
export function firstNoUtf8(bytes: Buffer): number {
  // What is no UTF-8 is replaced, so the first byte that comes out otherwise is where it begins.
  const replaced = Buffer.from(bytes.toString());
  let at = 0;
  while (at < bytes.length && bytes[at] === replaced[at]) at += 1;
  return at + 1;
}

const MARK = Buffer.from('\uFEFF');

/** Without a byte order mark at the beginning, which is no content. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
}
