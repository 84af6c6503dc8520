/** A title or a link: `ESC ]`, any text, and its end. One whose end never comes is no code. */
const COMMAND = String.raw`\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`;
/** A colour, a movement, a mode: `ESC [`, numbers, and the letter that says what. */
const SEQUENCE = String.raw`[\x1b\x9b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]`;
const CODES = new RegExp(`${COMMAND}|${SEQUENCE}`, 'g');

/**
 * The text without colours, links and the like, in linear time: `stripVTControlCharacters` of Node takes minutes for a
 * megabyte of beginnings without an end.
 */
export function withoutTerminalCodes(text: string): string {
  return text.replace(CODES, '');
}
