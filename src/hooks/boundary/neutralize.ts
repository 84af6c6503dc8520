/**
 * Anything that can stand between the letters of a marker without being seen as part of it: blanks, invisible and
 * bidi characters, variation selectors, tags, and what a control character was replaced by.
 */
const GAP = String.raw`[\s_\-\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufffd\u{e0000}-\u{e01ef}]*`;
const MARKER_WORDS = Array.from('EXTERNALUNTRUSTEDCONTENT').join(GAP);
/** Begins with a letter and not with a gap or a bracket: a long run of those would cost quadratic time. */
const MARKER = new RegExp(`(?:E${GAP}N${GAP}D${GAP})?${MARKER_WORDS}`, 'giu');

/** C0 controls but tab and line ends (LF, CRLF), DEL, C1 controls. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/gu;

/** Takes from foreign text what could pass as the fence around it: marker look-alikes and control characters. */
export function neutralize(text: string): string {
  return text.replace(CONTROLS, '\ufffd').replace(MARKER, '[marker removed]');
}

/** The same for a value that has to stay on one line; never cut inside a surrogate pair. */
export function neutralizeLine(text: string, maxLength = 200): string {
  return neutralize(text)
    .replace(/[\s\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/u, '');
}
