import { randomInt } from 'node:crypto';
import type { Tap } from '../ports/index.ts';

// What people type below a question where a platform has no buttons: `approve 4821-7730`. Eight digits are typed on any
// keyboard, and no word is one by chance; that nobody guesses them is due to the few tries (docs/design/waiting.md).

const WORDS: Readonly<Record<string, Tap['verdict']>> = { approve: 'approved', deny: 'denied' };
/** Nothing else stands there; keyboards make dashes of other kinds. */
const ANSWER = /^\s*(approve|deny)\s+(\d{4})[\s\p{Pd}]*(\d{4})[\s.!]*$/iu;

export function drawTypedCode(): string {
  const digits = String(randomInt(100_000_000)).padStart(8, '0');
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}

export function howToType(code: string): string {
  return `Answer \`approve ${code}\` or \`deny ${code}\`.`;
}

/** What somebody has typed, with the code as it was drawn; null: it is no answer to a question. */
export function readTyped(text: string): Pick<Tap, 'verdict' | 'code'> | null {
  const [, word = '', first, second] = ANSWER.exec(text) ?? [];
  const verdict = WORDS[word.toLowerCase()];
  return verdict === undefined ? null : { verdict, code: `${first}-${second}` };
}
