import { hash } from 'node:crypto';
import { cut } from '../../platform/shorten.ts';
import { between } from './frame.ts';
import { neutralize } from './neutralize.ts';
import { withoutPadding } from './padding.ts';

/** Most UTF-16 units of an excerpt without its markers. */
export const EXCERPT_CHARS = 600;
/** Most lines, likewise. */
const EXCERPT_LINES = 12;
const READ_CHARS = 16 * EXCERPT_CHARS;

interface ExcerptForm {
  readonly most?: number;
  readonly form?: (text: string) => string;
}

/**
 * Foreign text between markers, neutralized and without padding; above them how long it is where it is cut. `seed`:
 * what no sender knows before it writes; the same one makes the same markers. `most`: UTF-16 units.
 */
export function showExcerpt(
  text: string,
  seed: string,
  { most = EXCERPT_CHARS, form = (plain) => plain }: ExcerptForm = {},
): string {
  const read = cut(text, READ_CHARS).replaceAll('\r\n', '\n').normalize('NFC');
  const all = neutralize(form(withoutPadding(read).trim()));
  const lines = all.split('\n').slice(0, EXCERPT_LINES).join('\n');
  const shown = neutralize(cut(lines, most).trimEnd());
  const isCut = lines.length > most || lines.length < all.length || text.length > READ_CHARS;
  let drawn = 0;
  const marked = between(shown, () => hash('sha256', `${seed} ${drawn++}`).slice(0, 32));
  const length = text.length.toLocaleString('en');
  return isCut ? `The beginning of ${length} characters:\n${marked}` : marked;
}
