/* A reply that only says "seen" is sent to nobody. Models dress the word up, or put it beside what has to be sent. */

type Message = { readonly text: string; readonly reason?: undefined } | { readonly reason: string };

/** Behaviour.md §5 "Acknowledgement". @param ackMaxChars how many other characters an acknowledgement may have */
export function messageOf(reply: string, ackMaxChars: number): Message {
  if (reply.trim() === '') return { reason: 'the reply is empty' };
  const text = withoutAcknowledgement(reply);
  const isSeen = text !== reply && (text.length <= ackMaxChars || !/[\p{L}\p{N}]/u.test(text));
  return isSeen ? { reason: SEEN } : { text };
}

const SEEN = 'the reply is a heartbeat acknowledgement';

/** In capitals also without its underscore, which Markdown may escape. */
const WORD = String.raw`(?:HEARTBEAT(?:\\?_|[ -])OK|heartbeat\\?_ok|Heartbeat\\?_O[Kk])`;
const MARK = String.raw`[*_~\x60"'“”‘’()[\]{}]|</?[a-z][^<>]{0,40}>|&nbsp;`;
const AT_START = new RegExp(
  String.raw`^((?:${MARK}|[\s#>-]){0,20}?)${WORD}(?!_?[\p{L}\p{N}])`,
  'u',
);
const AT_END = new RegExp(
  String.raw`(?<![\p{L}\p{N}]_?)${WORD}[.!,;:…]{0,8}((?:${MARK}|\s){0,20})$`,
  'u',
);
const MARKS_AT_START = new RegExp(`^(?:${MARK}){1,20}`, 'u');
const MARKS_AT_END = new RegExp(`(?:${MARK}){1,20}$`, 'u');
/** The end of a text in which {@link AT_END} is looked for: more than it can match. No longer JSON is an acknowledgement. */
const TAIL = 1000;

/** A reply in JSON is sent whole or not at all. */
const JSON_TEXT = /^(?:```(?:json)?\s{0,9})?([{[][^]*[}\]])(?:\s{0,9}```)?$/i;

/** The reply without HEARTBEAT_OK at its start and end, and without the markup around that; the same text when it has none. */
function withoutAcknowledgement(reply: string): string {
  const json = fromJson(reply.trim());
  if (json !== undefined) return reply.length <= TAIL && isSeenIn(json) ? '' : reply;
  let text = reply;
  // One at the start, one at the end, and a few more of a model that repeats itself.
  for (let times = 0; times < 10; times += 1) {
    const left = withoutWord(text.trim());
    if (left === null) break;
    text = left;
  }
  return text;
}

/** Undefined: it is none. */
function fromJson(text: string): unknown {
  const json = JSON_TEXT.exec(text)?.[1];
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether one of its texts is the word, and the others say nothing. */
function isSeenIn(json: unknown): boolean {
  const leaves = leavesOf(json);
  const isSeen = (leaf: unknown) => typeof leaf === 'string' && messageOf(leaf, 0).reason === SEEN;
  const isNothing = (leaf: unknown) => leaf === null || leaf === false || leaf === '';
  return leaves.some(isSeen) && leaves.every((leaf) => isSeen(leaf) || isNothing(leaf));
}

function leavesOf(value: unknown): unknown[] {
  const isLeaf = value === null || typeof value !== 'object';
  return isLeaf ? [value] : Object.values(value).flatMap(leavesOf);
}

/** Null: neither its start nor its end is the word. */
function withoutWord(text: string): string | null {
  const start = AT_START.exec(text);
  if (start !== null) {
    const rest = closed(text.slice(start[0].length), (start[1] ?? '').trim());
    return rest.replace(/^[ \t]*(?:[.!,;:…–—]{1,8}|- )?\s*/, '');
  }
  const tail = text.slice(-TAIL);
  const end = AT_END.exec(tail);
  if (end === null) return null;
  const rest = text.slice(0, text.length - tail.length + end.index);
  return opened(rest, (end[1] ?? '').trim())
    .trimEnd()
    .replace(/\s[–—-]$/, '');
}

/** Markup that only the word had goes with it; markup that goes on behind it stays. */
function closed(rest: string, before: string): string {
  if (before === '') return rest;
  const isPair = MARKS_AT_START.test(rest);
  if (isPair) return rest.replace(MARKS_AT_START, '');
  return rest.includes(before) ? before + rest.trimStart() : rest;
}

function opened(rest: string, behind: string): string {
  if (behind === '') return rest;
  const head = rest.trimEnd();
  const isPair = MARKS_AT_END.test(head.slice(-TAIL));
  if (isPair) return head.replace(MARKS_AT_END, '');
  return head.includes(behind) ? head + behind : rest;
}
