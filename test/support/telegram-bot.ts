import { ScriptedServer } from './scripted-server.ts';
import type { Answer, RecordedRequest } from './scripted-server.ts';

export const BOT_TOKEN = '123456:AAsecretsecretsecret';

export interface BotMessage {
  readonly id: number;
  readonly chat: string;
  readonly text: string;
  /** What its buttons carry, by their words; empty: it has none. */
  readonly buttons: Readonly<Record<string, string>>;
}

interface Update {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

const MESSAGE_BY_DEFAULT = ['message', 'callback_query'];

/**
 * The Bot API as far as a set-up, a reply and a question need it (https://core.telegram.org/bots/api). Who waits for
 * updates, who is told 409 and what an offset or `allowed_updates` does is as in the server's own source
 * (tdlib/telegram-bot-api 10.0, Client.cpp: process_get_updates_query, do_get_updates, abort_long_poll).
 */
export class TelegramBot extends ScriptedServer {
  readonly messages: BotMessage[] = [];
  readonly told: { readonly id: string; readonly text: string }[] = [];
  hasWebhook = false;
  conflicts = 0;
  readonly #breaking = new Set<string>();
  readonly #hanging = new Set<string>();
  /** How long a second is to whoever waits for updates. */
  secondMs = 1000;
  /** What has happened to it, not yet confirmed by an offset. */
  #updates: Update[] = [];
  #allowed: readonly string[] = MESSAGE_BY_DEFAULT;
  #count = 100;
  #polling: ((isOver: boolean) => void) | undefined;

  constructor() {
    super((request, { status = 200 }) =>
      status === 200 ? this.#answer(request) : failed(status, 'scripted'),
    );
  }

  write(chat: object, text: string): void {
    this.#happens('message', { message_id: 1, date: 1, chat, text });
  }

  /** Somebody taps; a message that has no such button takes any data. @returns the id of the tap */
  tap(person: number, message: BotMessage, button: string): string {
    const id = `tap-${this.#count}`;
    const chat = {
      id: Number(message.chat),
      type: message.chat.startsWith('-') ? 'group' : 'private',
    };
    this.#happens('callback_query', {
      id,
      from: { id: person, is_bot: false, first_name: 'Ana' },
      message: { message_id: message.id, date: 1, chat, text: message.text },
      chat_instance: '1',
      data: message.buttons[button] ?? button,
    });
    return id;
  }

  /** The next request of each of these methods is not done, and not answered in any way that says so. */
  breakNext(...methods: readonly string[]): void {
    for (const method of methods) this.#breaking.add(method);
  }

  hang(method: string): void {
    this.#hanging.add(method);
  }

  get isHeard(): boolean {
    return this.#polling !== undefined;
  }

  get unconfirmed(): number {
    return this.#updates.length;
  }

  get sent(): readonly { readonly chat: string; readonly text: string }[] {
    return this.messages.map(({ chat, text }) => ({ chat, text }));
  }

  override async close(): Promise<void> {
    this.#polling?.(true);
    await super.close();
  }

  #happens(kind: string, what: object): void {
    this.#count += 1;
    if (!this.#allowed.includes(kind)) return;
    this.#updates.push({ update_id: this.#count, [kind]: what });
    this.#polling?.(true);
  }

  #answer(request: RecordedRequest): Answer | Promise<Answer> {
    const url = new URL(request.path, 'http://telegram');
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (token !== BOT_TOKEN) return failed(401, 'Unauthorized');
    if (this.#breaking.delete(method ?? '')) return failed(502, 'Bad Gateway');
    if (this.#hanging.delete(method ?? '')) return request.closed.then(() => fine(true));
    const asked = { ...Object.fromEntries(url.searchParams), ...(request.body as object) };
    switch (method) {
      case 'getMe':
        return fine({ id: 123_456, is_bot: true, first_name: 'Events', username: 'events_bot' });
      case 'getUpdates':
        return this.#tell(asked, request);
      case 'sendMessage':
        return this.#show(asked);
      case 'editMessageText':
        return this.#edit(asked);
      case 'editMessageReplyMarkup':
        return this.#edit({ ...asked, text: this.messages[Number(asked['message_id']) - 1]?.text });
      case 'answerCallbackQuery':
        this.told.push({ id: say(asked, 'callback_query_id'), text: say(asked, 'text') });
        return fine(true);
      default:
        return failed(404, 'Not Found: method not found');
    }
  }

  async #tell(asked: Asked, { closed }: RecordedRequest): Promise<Answer> {
    if (this.hasWebhook) {
      return failed(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    const { allowed_updates: allowed } = asked;
    if (allowed !== undefined) {
      this.#allowed = (typeof allowed === 'string' ? JSON.parse(allowed) : allowed) as string[];
    }
    const offset = Number(asked['offset'] ?? 0);
    this.#updates = this.#updates.filter((update) => update.update_id >= offset);
    const seconds = Number(asked['timeout'] ?? 0);
    if (seconds > 0 && this.#updates.length === 0) {
      this.#polling?.(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.#polling = resolve;
      const timer = setTimeout(resolve, seconds * this.secondMs, true);
      void closed.then(() => resolve(true));
      const isOver = await promise;
      clearTimeout(timer);
      if (this.#polling === resolve) this.#polling = undefined;
      if (!isOver) {
        this.conflicts += 1;
        return failed(
          409,
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
        );
      }
    }
    return fine(this.#updates.slice(0, Number(asked['limit'] ?? 100)));
  }

  #show(asked: Asked): Answer {
    const id = this.messages.length + 1;
    const chat = say(asked, 'chat_id');
    this.messages.push({ id, chat, text: say(asked, 'text'), buttons: buttonsOf(asked) });
    return fine({ message_id: id, date: 1 });
  }

  #edit(asked: Asked): Answer {
    const id = Number(asked['message_id']);
    const [found] = this.messages.filter((message) => message.id === id);
    if (found === undefined) return failed(400, 'Bad Request: message to edit not found');
    const text = say(asked, 'text');
    const buttons = buttonsOf(asked);
    if (text === found.text && Object.keys(buttons).length === Object.keys(found.buttons).length) {
      return failed(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    }
    this.messages[id - 1] = { ...found, text, buttons };
    return fine({ message_id: id, date: 1 });
  }
}

type Asked = Readonly<Record<string, unknown>>;

function say(asked: Asked, name: string): string {
  const value = asked[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function buttonsOf({ reply_markup: markup }: Asked): Record<string, string> {
  const rows = (markup as { inline_keyboard?: { text: string; callback_data: string }[][] })
    ?.inline_keyboard;
  return Object.fromEntries((rows ?? []).flat().map((one) => [one.text, one.callback_data]));
}

function fine(result: unknown): Answer {
  return json(200, { ok: true, result });
}

function failed(code: number, description: string): Answer {
  return json(code, { ok: false, error_code: code, description });
}

function json(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}
