import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Buttons, HeardTaps, Tap } from '../../hooks/ports/channel.ts';
import { getField, getText } from '../../platform/objects.ts';
import type { TelegramApi } from './telegram-api.ts';

// Taps come by long polling: no public address is needed. https://core.telegram.org/bots/api#getupdates,
// #answercallbackquery. From tdlib/telegram-bot-api 10.0 (Client.cpp): what an `offset` has passed is gone, and comes
// again until then; of two that ask at the same time the earlier one is answered 409, and so is whoever asks while a
// webhook is set.

/** How long the server keeps a question of ours that it has no answer to; at most 50. */
const POLL_S = 25;
/** Longest wait for its answer: a connection may be dead without our hearing of it. */
export const POLL_TIMEOUT_MS = (POLL_S + 15) * 1000;
/** What the bot's other readers are told is theirs. It holds until somebody asks for other things. */
const ALLOWED = { allowed_updates: ['callback_query'] };
/** Up to 64 bytes. */
const DATA = /^(approve|deny) ([\w-]{22})$/;

/** Below a message; https://core.telegram.org/bots/api#inlinekeyboardbutton. @param code what a tap brings back */
export function keyboard(code: string): object {
  const row = [
    { text: 'Approve', callback_data: `approve ${code}` },
    { text: 'Deny', callback_data: `deny ${code}` },
  ];
  return { reply_markup: { inline_keyboard: [row] } };
}

export const NO_KEYBOARD = { reply_markup: { inline_keyboard: [] } };

type Ask = <T>(signal: AbortSignal, method: (api: TelegramApi) => Promise<T>) => Promise<T>;

export class TelegramButtons implements Buttons {
  readonly people = 'telegram';
  readonly polling = {
    poll: (isWaiting: boolean, signal: AbortSignal) => this.#poll(isWaiting, signal),
    // Nothing of what comes then is confirmed by it, so it comes again.
    confirm: async (mark: string, signal: AbortSignal) => {
      await this.#updates({ offset: Number(mark), timeout: 0, limit: 1 }, signal);
    },
  };

  constructor(
    readonly blocks: Buttons['blocks'],
    private readonly ask: Ask,
  ) {}

  /** Ids of groups and channels are negative; a person's chat has the person's id. */
  isPrivate(to: string): boolean {
    return /^\d/.test(to);
  }

  read(body: unknown): readonly Tap[] {
    const tap = toTap(getField(body, 'callback_query'));
    return tap === null || tap.code === '' ? [] : [tap];
  }

  answer({ id }: Tap, words: string, signal: AbortSignal): Promise<void> {
    return this.#try(signal, (api) => api.answerCallbackQuery(id, { text: words }, signal));
  }

  clear({ to, messageId }: Tap, signal: AbortSignal): Promise<void> {
    const id = Number(messageId);
    return this.#try(signal, (api) => api.editMessageReplyMarkup(to, id, NO_KEYBOARD, signal));
  }

  async #poll(isWaiting: boolean, signal: AbortSignal): Promise<HeardTaps> {
    const updates = await this.#updates({ timeout: isWaiting ? POLL_S : 0 }, signal);
    const ids = updates.map((update) => Number(getField(update, 'update_id')));
    const taps = updates.flatMap((update) => toTap(getField(update, 'callback_query')) ?? []);
    return ids.length === 0 ? { taps } : { taps, mark: String(Math.max(...ids) + 1) };
  }

  #updates(what: object, signal: AbortSignal): Promise<readonly unknown[]> {
    return this.ask(signal, (api) => api.getUpdates({ ...what, ...ALLOWED }, signal));
  }

  /** What is refused has come too late: "query is too old", a message that is gone or has no buttons any more. */
  async #try(signal: AbortSignal, method: (api: TelegramApi) => Promise<unknown>): Promise<void> {
    try {
      await this.ask(signal, method);
    } catch (error) {
      if (!(error instanceof DeliveryError && error.code === '400')) throw error;
    }
  }
}

/** Null: it is none, such as a message that came before only taps were asked for. */
function toTap(query: unknown): Tap | null {
  const [id, person] = [getText(query, 'id'), getField(query, 'from', 'id')];
  if (id === undefined || typeof person !== 'number') return null;
  const [, word, code = ''] = DATA.exec(getText(query, 'data') ?? '') ?? [];
  return {
    id,
    code,
    verdict: word === 'approve' ? 'approved' : 'denied',
    by: `telegram:${person}`,
    to: getText(query, 'message', 'chat', 'id') ?? '',
    messageId: getText(query, 'message', 'message_id') ?? '',
  };
}
