import { oneLine } from './reader/bounded.ts';

/** How much of a message that nobody can read is looked at. */
const LOOKED_AT_BYTES = 65_536;
const LONGEST = 500;

/** Sender and subject of a message that cannot be read, as they are written in its first lines. */
export function knownHeaders(source: Uint8Array): { from: string; subject: string } {
  const head = new TextDecoder().decode(source.subarray(0, LOOKED_AT_BYTES));
  const lines = head.split(/\r?\n/u);
  const end = lines.indexOf('');
  const headers = end < 0 ? lines : lines.slice(0, end);
  return { from: headerOf(headers, 'from'), subject: headerOf(headers, 'subject') };
}

function headerOf(lines: readonly string[], name: string): string {
  const prefix = `${name}:`;
  const found = lines.find((line) => line.slice(0, prefix.length).toLowerCase() === prefix);
  return oneLine(found?.slice(prefix.length) ?? '', LONGEST);
}
