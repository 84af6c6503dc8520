import { withoutTerminalCodes } from './terminal-codes.ts';

/** Values that must not be shown, by the name that stands for them. */
export type Secrets = Readonly<Record<string, string>>;

/** A shorter value cannot be told from an ordinary word. */
const SHORTEST_SECRET = 8;
/** Shorter lines of the input are found in any text. */
const SHORTEST_LINE = 4;
/** A line is looked for in the input in pieces of this length: 23 characters in a row are always found. */
const PIECE = 12;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]/g;

/** `: <error output>` on one line, or nothing; without secrets, and without lines that repeat what was asked. */
export function complaintOf(stderr: string, input: string, secrets: Secrets): string {
  const asked = new Set(linesOf(input).filter((line) => line.length >= SHORTEST_LINE));
  const own = linesOf(hidden(stderr, secrets)).filter((line) => !repeats(line, input, asked));
  return own.length === 0 ? '' : `: ${own.join(' / ')}`;
}

function linesOf(text: string): string[] {
  return withoutTerminalCodes(text)
    .split(/[\r\n]+/)
    .map((line) => line.replace(CONTROL, ' ').trim())
    .filter((line) => line !== '');
}

function repeats(line: string, input: string, asked: ReadonlySet<string>): boolean {
  if (input.includes(line)) return true;
  for (let at = 0; at + PIECE <= line.length; at += PIECE) {
    if (input.includes(line.slice(at, at + PIECE))) return true;
  }
  return asked.values().some((other) => line.includes(other));
}

/** A value of several lines is recognised by each of them. */
function hidden(text: string, secrets: Secrets): string {
  return Object.entries(secrets)
    .flatMap(([name, value]) => value.split(/[\r\n]+/).map((line) => ({ name, line: line.trim() })))
    .filter(({ line }) => line.length >= SHORTEST_SECRET)
    .reduce((rest, { name, line }) => rest.replaceAll(line, `[${name}]`), text);
}
