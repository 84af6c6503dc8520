import type { Buttons, Tap } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';

// From mattermost/mattermost (server): public/model/integration_action.go, clients are never sent an action's
// `integration`; channels/app/integration_action.go, the request is not signed, goes to no private address unless
// AllowedUntrustedInternalConnections has it, and has to be answered 200 (`ephemeral_text`).

interface Hearing {
  readonly url: string;
  readonly secret: string;
}

export function attachedActions(code: string, { url, secret }: Hearing): object {
  const action = (name: string, style: string, verdict: Tap['verdict']) => ({
    type: 'button',
    name,
    style,
    integration: { url, context: { code, verdict, secret } },
  });
  const actions = [action('Approve', 'good', 'approved'), action('Deny', 'danger', 'denied')];
  return { attachments: [{ actions }] };
}

export const NO_ACTIONS = { attachments: [] };

/** `block.gfm.fences` of mattermost/marked (lib/marked.js), and CommonMark: as many signs as began it end it. */
const CODE_BLOCK = /(?<=^|\n) {0,3}(`{3,}|~{3,})[^`~\n]*\n([^]*?)\n {0,3}\1[`~]* *(?=\n|$)/g;
/** mattermost/marked makes a line break of it (`Lexer.prototype.lex`). */
const LINE_FEED_SIGN = '\u2424';
/** Columns of a telephone: wider is cut off without a sign (mattermost/mattermost-mobile, markdown_code_block). */
const COLUMNS = 30;

type Strip = (messageId: string, signal: AbortSignal) => Promise<void>;

export class MattermostButtons implements Buttons {
  readonly people = 'mattermost';

  constructor(private readonly strip: Strip) {}

  /** Ids of conversations with one person look as those of any channel, so who may tap has to be named. */
  isPrivate(): boolean {
    return false;
  }

  blocks(part: string): readonly string[] {
    const text = part.replaceAll(LINE_FEED_SIGN, '\n');
    const blocks = Array.from(text.matchAll(CODE_BLOCK), ([, , code = '']) => code);
    const lines = blocks[0]?.split('\n') ?? [];
    return lines.some((line) => mostColumns(line) > COLUMNS) ? [] : blocks;
  }

  readonly fit = (text: string): string => text.replace(/[^\n]+/g, wrapped);

  read(body: unknown): readonly Tap[] {
    const [user, code] = [getText(body, 'user_id'), getText(body, 'context', 'code')];
    const verdict = getText(body, 'context', 'verdict');
    if (verdict !== 'approved' && verdict !== 'denied') return [];
    if (user === undefined || code === undefined) return [];
    const to = getText(body, 'channel_id') ?? '';
    const messageId = getText(body, 'post_id') ?? '';
    return [{ id: messageId, code, verdict, by: `mattermost:${user}`, to, messageId }];
  }

  inAnswer(words: string): object {
    return { ephemeral_text: words, skip_slack_parsing: true };
  }

  /** It was answered already. */
  async answer(): Promise<void> {}

  clear({ messageId }: Tap, signal: AbortSignal): Promise<void> {
    return this.strip(messageId, signal);
  }
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Latin, Greek and Cyrillic letters, with their accents, and common punctuation. */
const NARROW = /^[ -~\u00a1-\u052f\u2010-\u2027\u2030-\u205e]\p{M}*$/u;
/** Ligatures of whole phrases, long dashes, cuneiform and hieroglyphs: as wide as it pleases a font. */
const WIDEST = /[\u2e3a\u2e3b\ufdf0-\ufdfd\u{12000}-\u{1345f}]/u;

/** Most columns that a line can take: two for each character of a letter that is not known to be narrow. */
function mostColumns(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length;
  if (WIDEST.test(line)) return Infinity;
  let columns = 0;
  for (const { segment } of LETTERS.segment(line)) columns += widthOf(segment);
  return columns;
}

function widthOf(letter: string): number {
  return NARROW.test(letter) ? 1 : 2 * letter.replace(/\u200b|(?!^)\p{M}/gu, '').length;
}

function wrapped(line: string): string {
  if (mostColumns(line) <= COLUMNS) return line;
  const lines: string[] = [];
  let last = '';
  let used = 0;
  const makeRoom = (columns: number): void => {
    if (used === 0 || used + columns <= COLUMNS) return;
    lines.push(last);
    last = '';
    used = 0;
  };
  for (const word of line.split(/(?<=\s)(?=\S)/u)) {
    makeRoom(mostColumns(word.trimEnd()));
    for (const { segment } of LETTERS.segment(word)) {
      makeRoom(widthOf(segment));
      last += segment;
      used += widthOf(segment);
    }
  }
  return [...lines, last].join('\n');
}
