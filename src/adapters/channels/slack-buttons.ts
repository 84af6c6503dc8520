import type { Buttons, Tap } from '../../hooks/ports/channel.ts';
import { getField, getText } from '../../platform/objects.ts';
import { piecesOf } from './markdown.ts';

// Buttons of Slack: blocks below a text, and a signed form (`payload`) to the app's Request URL for interactivity, which
// wants its 200 within three seconds. https://docs.slack.dev/reference/block-kit/blocks/markdown-block,
// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload

/** Shown in notifications alone; nothing of what is asked stands there, since mentions in it would notify. */
const ASKED = 'A run waits for a decision.';
const SETTLED = 'This question is settled.';

const ACTIONS: Readonly<Record<string, Tap['verdict']>> = {
  hooks_approve: 'approved',
  hooks_deny: 'denied',
};

/** Blocks of more than some 11,000 characters are refused (`msg_blocks_too_long`; slackapi/bolt-js#2509 and #2867). */
const LONGEST = 8000;

/** Written out they are decoded: https://docs.slack.dev/messaging/formatting-message-text#escaping. */
const DECODED = /&(?:amp|lt|gt);/;

/**
 * A message as blocks. What stands in blocks of code is the text of an element of its own, of which Slack reads no sign as
 * anything (https://docs.slack.dev/reference/block-kit/block-elements/rich-text-preformatted-element); the rest is Markdown.
 */
function messageBlocks(markdown: string): object[] {
  return piecesOf(markdown).map(({ text, isCode }) => {
    if (!isCode) return { type: 'markdown', text };
    const elements = [{ type: 'text', text }];
    return { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements }] };
  });
}

export function questionBlocks(text: string, code: string): object {
  const button = (action_id: string, label: string, style: string) => ({
    type: 'button',
    action_id,
    value: code,
    style,
    text: { type: 'plain_text', text: label },
  });
  const elements = [
    button('hooks_approve', 'Approve', 'primary'),
    button('hooks_deny', 'Deny', 'danger'),
  ];
  return {
    text: ASKED,
    blocks: [...messageBlocks(text), { type: 'actions', elements }],
  };
}

export function settledBlocks(text: string): object {
  return { text: SETTLED, blocks: messageBlocks(text) };
}

type Whisper = (to: string, user: string, text: string, signal: AbortSignal) => Promise<void>;

export class SlackButtons implements Buttons {
  readonly people = 'slack';

  constructor(private readonly whisper: Whisper) {}

  isPrivate(to: string): boolean {
    return /^[DUW]/.test(to);
  }

  blocks(part: string): readonly string[] {
    const blocks = piecesOf(part).flatMap(({ text, isCode }) => (isCode ? [text] : []));
    return part.length > LONGEST || blocks.some((code) => DECODED.test(code)) ? [] : blocks;
  }

  read(body: unknown): readonly Tap[] {
    const payload = getField(body, 'payload');
    if (getField(payload, 'type') !== 'block_actions') return [];
    const verdict = ACTIONS[getText(payload, 'actions', 0, 'action_id') ?? ''];
    const [user, code] = [getText(payload, 'user', 'id'), getText(payload, 'actions', 0, 'value')];
    if (verdict === undefined || user === undefined || code === undefined) return [];
    const to = getText(payload, 'channel', 'id') ?? '';
    const messageId = messageName(to, getText(payload, 'message', 'ts'));
    return [{ id: user, code, verdict, by: `slack:${user}`, to, messageId }];
  }

  answer({ id, to }: Tap, words: string, signal: AbortSignal): Promise<void> {
    return this.whisper(to, id, words, signal);
  }
}

/** A message by the conversation that it was posted in, which may be another than the recipient, and its time. */
export function messageName(channel = '', ts = ''): string {
  return `${channel}/${ts}`;
}
