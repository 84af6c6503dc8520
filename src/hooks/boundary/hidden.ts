import { lazy } from '../../platform/lazy.ts';

/**
 * The rule for characters that nobody sees. Control, format, bidi, tag and private-use characters, joiners, variation
 * selectors, lone surrogates and Unicode line separators are shown as U+FFFD, a run of them as one.
 * **A joiner, variation selector or tag character survives only inside an emoji sequence that Unicode lists (RGI),
 * or as the only one beside a letter of a script that needs it.**
 *
 * In detail, "beside a letter of a script that needs it" is: U+200C and U+200D beside Arabic, Indic and the like;
 * U+200B between Thai, Lao, Khmer or Burmese letters; Mongolian selectors after a Mongolian letter; the first four
 * ideographic selectors after a Han ideograph. An emoji sequence may lack its U+FE0F, as many senders leave it out,
 * and a single emoji may have one selector. Tabs, line ends (LF, CRLF) and the visible Arabic number signs stay.
 */
const SHOWN_AS = '\ufffd';

const HIDDEN_CLASS = String.raw`[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]--[\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;
const HIDDEN = String.raw`(?:${HIDDEN_CLASS}|\r(?!\n))+`;
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?`;
/** Pictures that joiners hold together, or whatever else hides. */
const JOINED_OR_HIDDEN = new RegExp(`(${PICTURE}(?:\u200d${PICTURE})+)|${HIDDEN}`, 'gv');
const HIDDEN_RUN = new RegExp(HIDDEN, 'gv');
const ANY_HIDDEN = new RegExp(HIDDEN, 'v');

const LISTED = lazy(() => /^\p{RGI_Emoji}$/v);
/** More than the longest sequence Unicode lists. */
const LONGEST_LISTED = 32;
/** A picture that stands for text unless U+FE0F follows: where senders leave it out, it is put back for the look-up. */
const UNQUALIFIED = lazy(
  () => /(?=\p{Extended_Pictographic})\P{Emoji_Presentation}(?![\ufe0f\p{Emoji_Modifier}])/gv,
);
const ONE_EMOJI = /[\p{Emoji}--[\p{ASCII}\p{Emoji_Modifier}\p{Regional_Indicator}]]$/v;
const KEYCAP = /[0-9#*]$/;
const ENCLOSED = '\u20e3';
const FLAG = '\u{1f3f4}';

const NEEDS_JOINERS = lazy(
  () =>
    /[[\p{L}\p{M}]&&[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Phag}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}\p{scx=Adlm}\p{scx=Rohg}]]/v,
);
const NEEDS_SPACES = /[[\p{L}\p{M}]&&[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]]/v;
const NEEDS_SELECTORS = /[\p{L}&&\p{sc=Mong}]/v;
const IDEOGRAPH = /\p{sc=Han}/v;

export function hidesAnything(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** Whether anything hides in it that what stands around it does not need. */
export function hidesWithoutReason(text: string): boolean {
  let hides = false;
  showHidden(text, () => (hides = true));
  return hides;
}

/** @param onShown is called for each run that was replaced */
export function showHidden(text: string, onShown: () => void): string {
  if (!hidesAnything(text)) return text;
  return text.replace(JOINED_OR_HIDDEN, (match, joined: string | undefined, at: number) => {
    if (joined === undefined) return hasReason(match, text, at) ? match : shown(onShown);
    if (isListed(joined)) return joined;
    return joined.replace(HIDDEN_RUN, (run: string, within: number) =>
      hasReason(run, text, at + within) ? run : shown(onShown),
    );
  });
}

function shown(onShown: () => void): string {
  onShown();
  return SHOWN_AS;
}

function isListed(sequence: string): boolean {
  if (sequence.length > LONGEST_LISTED) return false;
  return LISTED().test(sequence) || LISTED().test(sequence.replace(UNQUALIFIED(), '$&\ufe0f'));
}

function hasReason(run: string, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + run.length, at + run.length + 2);
  switch (run) {
    case '\u200c':
    case '\u200d':
      return NEEDS_JOINERS().test(getLast(before)) || NEEDS_JOINERS().test(getFirst(after));
    case '\u200b':
      return NEEDS_SPACES.test(getLast(before)) && NEEDS_SPACES.test(getFirst(after));
    case '\ufe0e':
      return ONE_EMOJI.test(before);
    case '\ufe0f':
      return ONE_EMOJI.test(before) || (KEYCAP.test(before) && after.startsWith(ENCLOSED));
    default:
      return isSelected(run, before) || (before === FLAG && LISTED().test(FLAG + run));
  }
}

function isSelected(run: string, before: string): boolean {
  if (/^[\u180b-\u180f]$/.test(run)) return NEEDS_SELECTORS.test(getLast(before));
  return /^[\u{e0100}-\u{e0103}]$/u.test(run) && IDEOGRAPH.test(getLast(before));
}

function getFirst(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

function getLast(text: string): string {
  return Array.from(text).at(-1) ?? '';
}
