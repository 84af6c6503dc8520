/* What a model thinks is no reply. Servers that do not part the two leave the thought at the beginning of the answer. */

const NAMES = '(?:seed:|antml:)?(?:think(?:ing)?|thoughts?|reasoning(?:_scratchpad)?|antthinking)';
const OPENED = new RegExp(String.raw`^\s*(?:<${NAMES}(?:\s[^<>]{0,100})?>|\[THINK\])`, 'i');
const CLOSED = String.raw`(?:</${NAMES}\s*>|\[/THINK\])`;
const FIRST_CLOSED = new RegExp(CLOSED, 'i');
/** Templates of DeepSeek and Qwen open the thought in the prompt. Inside of a sentence it is a word about thoughts. */
const CLOSED_ALONE = new RegExp(String.raw`(?<=^\s{0,20}|[\n.!?])${CLOSED}`, 'i');
const FENCE = /^ {0,3}(?:`{3}|~{3})/gm;

/** https://github.com/openai/harmony/blob/main/docs/format.md: people are shown the channel `final` alone. */
const HARMONY = /^\s*(?:<\|start\|>\w{1,20})?<\|channel\|>/;
const FINAL = /<\|channel\|>final\b[^<>]{0,100}(?:<\|constrain\|>\w{1,20})?<\|message\|>/;
const NEXT_MESSAGE = /<\|(?:end|return|start|channel)\|>/;
/** The same from servers that leave out the tokens, and not the words between them. */
const WORDS_OF_HARMONY = ['analysis', 'assistantfinal'] as const;

/** The end of a thought in what was asked, or what the boundary has put in its place. */
const SAID = new RegExp(String.raw`${CLOSED}|assistantfinal|\(model token `, 'i');

/** Tokens with which models end a turn, and some servers the text. */
const END_TOKENS =
  /(?<![ \t])(?:<\|(?:im_end|end|return|eot_id|eom_id|endoftext|end_of_text)\|>\s*)+$/;
/** The end of a text in which they are looked for. */
const TAIL = 200;

/**
 * The same text when it holds none. A thought that does not end leaves nothing.
 * @param prompt whose own words an answer may repeat: what stands there ends no thought that nothing began
 */
export function withoutThoughts(answer: string, prompt: string): string {
  const text = withoutEndTokens(HARMONY.test(answer) ? finalOf(answer) : answer);
  const [first, last] = WORDS_OF_HARMONY;
  const isSaid = SAID.test(prompt);
  const final = text.startsWith(first) && !isSaid ? text.indexOf(last) : -1;
  if (final > 0) return text.slice(final + last.length);
  if (OPENED.test(text)) return behindBlocks(text);
  const alone = isSaid ? null : CLOSED_ALONE.exec(text);
  if (alone === null || endsInCode(text.slice(0, alone.index))) return text;
  return text.slice(alone.index + alone[0].length).trimStart();
}

function behindBlocks(text: string): string {
  let rest = text;
  while (OPENED.test(rest)) {
    const end = FIRST_CLOSED.exec(rest);
    if (end === null) return '';
    rest = rest.slice(end.index + end[0].length);
  }
  return rest.trimStart();
}

function finalOf(text: string): string {
  const final = FINAL.exec(text);
  if (final === null) return '';
  const rest = text.slice(final.index + final[0].length);
  return rest.slice(0, NEXT_MESSAGE.exec(rest)?.index);
}

function withoutEndTokens(text: string): string {
  const tail = text.slice(-TAIL);
  const end = END_TOKENS.exec(tail);
  return end === null ? text : text.slice(0, text.length - tail.length + end.index);
}

function endsInCode(text: string): boolean {
  return Array.from(text.matchAll(FENCE)).length % 2 === 1;
}
