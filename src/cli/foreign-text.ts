/**
 * What a terminal would obey, reorder or hide instead of showing it: control characters (ESC, the C1 set, DEL), bidi
 * controls, invisible and tag characters, Unicode line separators, lone surrogates. Joiners and the selectors of emoji
 * stay: they move nothing, and writing needs them.
 */
const UNSHOWABLE =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\u{fe0e}\u{fe0f}\u{200c}\u{200d}]]/gv;

const TAB = '    ';

/** Foreign text as one line: line breaks and runs of blanks become one blank, everything unshowable is written out. */
export function asLine(text: string): string {
  return written(text.replaceAll(/[\t\n\r ]+/g, ' ').trim());
}

/** The same, of so many characters at most; a longer line ends in `…`. */
export function asShortLine(text: string, longest: number): string {
  const line = asLine(text);
  const characters = Array.from(line);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}

/** Foreign text as the lines it has; within them everything unshowable is written out. */
export function asLines(text: string): string[] {
  return text.split(/\r\n|\n/).map((line) => written(line.replaceAll('\t', TAB)));
}

/** JSON that any terminal may be shown: parsed again it is the very same value. @param indent blanks per level. */
export function safeJson(value: unknown, indent?: number): string {
  // JSON.stringify leaves its own line breaks as the only control characters.
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text
    .split('\n')
    .map((line) => written(line))
    .join('\n');
}

/** `\u001b` for ESC; beyond the first plane two escapes, as JSON has it. */
function written(text: string): string {
  return text.replace(UNSHOWABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escape(character.charCodeAt(at))).join(''),
  );
}

function escape(unit: number): string {
  return String.raw`\u${unit.toString(16).padStart(4, '0')}`;
}
