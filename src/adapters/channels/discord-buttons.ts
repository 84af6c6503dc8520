import type { Buttons, Tap } from '../../hooks/ports/channel.ts';
import { getField, getText } from '../../platform/objects.ts';

// A signed interaction, answered within three seconds. https://docs.discord.com/developers/components/reference#button,
// https://docs.discord.com/developers/interactions/receiving-and-responding

const ACTION_ROW = 1;
const BUTTON = 2;
const SUCCESS = 3;
const DANGER = 4;
const MESSAGE_COMPONENT = 3;
const CHANNEL_MESSAGE = 4;
/** Message flag: one person alone sees it. */
const EPHEMERAL = 64;
/** Up to 100 characters. */
const CUSTOM_ID = /^(approve|deny) ([\w-]{22})$/;

export function buttonRow(code: string): object {
  const button = (word: string, style: number, label: string) => ({
    type: BUTTON,
    style,
    label,
    custom_id: `${word} ${code}`,
  });
  const components = [button('approve', SUCCESS, 'Approve'), button('deny', DANGER, 'Deny')];
  return { components: [{ type: ACTION_ROW, components }] };
}

export const NO_BUTTONS = { components: [] };

/** `codeBlock` of Discord's client bundle (2025): any three backticks end it, and behind it is Markdown again. */
const CODE_BLOCK = /```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][^]*?)\n*```/gi;

type Strip = (to: string, messageId: string, signal: AbortSignal) => Promise<void>;

export class DiscordButtons implements Buttons {
  readonly people = 'discord';

  constructor(private readonly strip: Strip) {}

  /** Ids of conversations with one person look as those of any channel, so who may tap has to be named. */
  isPrivate(): boolean {
    return false;
  }

  blocks(part: string): readonly string[] {
    return Array.from(part.matchAll(CODE_BLOCK), ([, code = '']) => code);
  }

  read(body: unknown): readonly Tap[] {
    if (getField(body, 'type') !== MESSAGE_COMPONENT) return [];
    const [, word, code] = CUSTOM_ID.exec(getText(body, 'data', 'custom_id') ?? '') ?? [];
    const user = getText(body, 'member', 'user', 'id') ?? getText(body, 'user', 'id');
    if (code === undefined || user === undefined) return [];
    return [
      {
        id: getText(body, 'id') ?? '',
        code,
        verdict: word === 'approve' ? 'approved' : 'denied',
        by: `discord:${user}`,
        to: getText(body, 'channel_id') ?? '',
        messageId: getText(body, 'message', 'id') ?? '',
      },
    ];
  }

  inAnswer(words: string): object {
    return { type: CHANNEL_MESSAGE, data: { content: words, flags: EPHEMERAL } };
  }

  /** It was answered already. */
  async answer(): Promise<void> {}

  clear({ to, messageId }: Tap, signal: AbortSignal): Promise<void> {
    return this.strip(to, messageId, signal);
  }
}
