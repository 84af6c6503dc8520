import { isUtf8 } from 'node:buffer';

// Bytes above 127 that no part of a message declares: headers, and text whose charset is missing or wrong. Erasable
// syntax only.

const DECLARED = /\bcharset\s*=\s*["']?([\w.:+-]+)/i;
const UTF8 = /^(?:utf-?8|us-ascii|ascii)$/i;

/** Names of header fields stay as they are: no charset makes one of something else. */
const LINE = /^([!-9;-~]+:)?([^]*)$/;

/**
 * The message with the lines that are not UTF-8 written in it: from the charset that the message declares first, else,
 * or where that cannot be, from the mailbox's. Of a message with another charset than UTF-8 the head alone: its parser
 * reads the rest.
 */
export function toUtf8(source: Uint8Array, mailboxCharset: string): Uint8Array {
  if (isUtf8(source)) return source;
  const text = Buffer.from(source).toString('latin1');
  const [, declared = 'utf-8'] = DECLARED.exec(text) ?? [];
  const head = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const end = UTF8.test(declared) ? text.length : head;
  const lines = text.slice(0, end).split('\n');
  const decoders = [declared, mailboxCharset].flatMap((charset) => toDecoder(charset) ?? []);
  const written = lines.map((line) => lineToUtf8(line, decoders));
  return Buffer.from(written.join('\n') + text.slice(end), 'latin1');
}

/** Bytes as characters, as they go in and out. */
function lineToUtf8(line: string, decoders: readonly TextDecoder[]): string {
  const [, name = '', value = ''] = LINE.exec(line) ?? [];
  const bytes = Buffer.from(value, 'latin1');
  if (isUtf8(bytes)) return line;
  for (const decoder of decoders) {
    const decoded = decoder.decode(bytes);
    if (!decoded.includes('\ufffd')) return name + Buffer.from(decoded).toString('latin1');
  }
  return line;
}

/** Undefined: nobody knows that charset, or it is none of lines, as UTF-16 is. */
export function toDecoder(charset: unknown): TextDecoder | undefined {
  try {
    const decoder = new TextDecoder(String(charset));
    return decoder.encoding.startsWith('utf-16') ? undefined : decoder;
  } catch {
    return undefined;
  }
}
