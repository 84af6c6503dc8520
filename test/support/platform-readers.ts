import type { RecordedRequest } from './scripted-server.ts';

// What people see of a question, by the rules with which the platforms' own clients read a message.

export interface SeenQuestion {
  readonly hasButtons: boolean;
  readonly blocks: readonly string[];
  readonly rest: string;
}

function split(text: string, rule: RegExp, group: number): Pick<SeenQuestion, 'blocks' | 'rest'> {
  const blocks = Array.from(text.matchAll(rule), (found) => found[group] ?? '');
  return { blocks, rest: text.replaceAll(rule, '\n') };
}

/** `codeBlock` of the rules that Discord's client gives to simple-markdown, in its own bundles: as others have copied them, too. */
const DISCORD = /```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][^]*?)\n*```/gi;

/** https://docs.discord.com/developers/resources/message#create-message */
export function seenOnDiscord({ body }: RecordedRequest): SeenQuestion {
  const { content, components = [] } = body as { content: string; components?: unknown[] };
  return { hasButtons: components.length > 0, ...split(content, DISCORD, 2) };
}

/** `block.gfm.fences` of mattermost/marked, lib/marked.js, behind what `Lexer.prototype.lex` does first. */
const MATTERMOST =
  /(?<=^|\n) {0,3}(`{3,}|~{3,})([^`~\n]*)\n(?:|([\s\S]*?)\n)(?: {0,3}\1[~`]* *(?:\n+|(?![\s\S]))|(?![\s\S]))/g;

/** https://api.mattermost.com, Create a post. */
export function seenOnMattermost({ body }: RecordedRequest): SeenQuestion {
  const { message, props } = body as { message: string; props?: { attachments?: unknown[] } };
  const text = message
    .replace(/\r\n|\r/g, '\n')
    .replace(/\t/g, '    ')
    .replace(/\u00a0/g, ' ')
    .replace(/\u2424/g, '\n');
  return { hasButtons: (props?.attachments ?? []).length > 0, ...split(text, MATTERMOST, 3) };
}

interface SlackBlock {
  readonly type: string;
  readonly text?: string;
  readonly elements?: { type: string; elements?: { type: string; text: string }[] }[];
}

/** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block: its elements hold text, and no markup of it. */
export function seenOnSlack({ body }: RecordedRequest): SeenQuestion {
  const { blocks: given } = body as { blocks?: string | SlackBlock[] };
  const all = (typeof given === 'string' ? JSON.parse(given) : (given ?? [])) as SlackBlock[];
  const preformatted = all
    .flatMap(({ type, elements = [] }) => (type === 'rich_text' ? elements : []))
    .filter(({ type }) => type === 'rich_text_preformatted');
  return {
    hasButtons: all.some(({ type }) => type === 'actions'),
    // https://docs.slack.dev/messaging/formatting-message-text#escaping
    blocks: preformatted.map(({ elements = [] }) =>
      decoded(elements.map((it) => it.text).join('')),
    ),
    rest: all.map(({ type, text = '' }) => (type === 'markdown' ? text : '')).join('\n'),
  };
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** https://core.telegram.org/bots/api#messageentity: a text is what it is, and entities say where what stands. */
export function seenOnTelegram({ body }: RecordedRequest): SeenQuestion {
  const { text, entities, reply_markup } = body as {
    text: string;
    entities?: { type: string; offset: number; length: number }[];
    reply_markup?: unknown;
  };
  const pres = (entities ?? []).filter(({ type }) => type === 'pre');
  const blocks = pres.map(({ offset, length }) => text.slice(offset, offset + length));
  const rest = pres.toReversed().reduce((left, { offset, length }) => {
    return `${left.slice(0, offset)}\n${left.slice(offset + length)}`;
  }, text);
  return { hasButtons: reply_markup !== undefined, blocks, rest };
}
