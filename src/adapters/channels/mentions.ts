/** Shown as nothing, and no platform takes what is behind it for a name. */
const ZERO_WIDTH_SPACE = '\u200b';

/** `@name` that does not continue a word, as an e-mail address does. Full-width signs and written-out ones included. */
const AT_NAME = /(?<![\p{L}\p{N}])([@＠]|&(?:#0*64|#x0*40|commat);)(?=[\p{L}\p{N}_])/giu;

/** Slack's `<!channel>`, `<@U1>`, `<#C1>`, Discord's `<@1>` and `<@&1>`, the `<at>` of Teams. */
const ANGLE_NAME = /<(?=[!@#]|\/?at\b)/gi;

/** The text without anything that notifies people. It looks the same: what agents write mentions nobody. */
export function withoutMentions(text: string): string {
  return text.replace(ANGLE_NAME, `<${ZERO_WIDTH_SPACE}`).replace(AT_NAME, `$1${ZERO_WIDTH_SPACE}`);
}
