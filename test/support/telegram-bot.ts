import { ScriptedServer } from './scripted-server.ts';
import type { Answer, RecordedRequest } from './scripted-server.ts';

export const BOT_TOKEN = '123456:AAsecretsecretsecret';

/**
 * The Bot API as far as a set-up and a reply need it: `getMe`, `getUpdates` and `sendMessage`
 * (https://core.telegram.org/bots/api).
 */
export class TelegramBot extends ScriptedServer {
  /** What people have written to it, not yet confirmed by an offset. */
  #updates: { readonly update_id: number; readonly message: object }[] = [];
  #count = 100;

  constructor() {
    super((request) => this.#answer(request));
  }

  /** Somebody writes to the bot. */
  write(chat: object, text: string): void {
    this.#count += 1;
    this.#updates.push({ update_id: this.#count, message: { message_id: 1, date: 1, chat, text } });
  }

  /** What it was asked to send, as chat and text. */
  get sent(): readonly { readonly chat: string; readonly text: string }[] {
    return this.requests
      .filter(({ path }) => path.endsWith('/sendMessage'))
      .map(({ body }) => {
        const { chat_id: chat, text } = body as { chat_id: unknown; text: unknown };
        return { chat: String(chat), text: String(text) };
      });
  }

  #answer({ path }: RecordedRequest): Answer {
    const url = new URL(path, 'http://telegram');
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (token !== BOT_TOKEN) return failed(401, 'Unauthorized');
    if (method === 'getMe') {
      return fine({ id: 123_456, is_bot: true, first_name: 'Events', username: 'events_bot' });
    }
    if (method === 'getUpdates') {
      const offset = Number(url.searchParams.get('offset') ?? 0);
      this.#updates = this.#updates.filter((update) => update.update_id >= offset);
      return fine(this.#updates);
    }
    if (method === 'sendMessage') return fine({ message_id: 1, date: 1 });
    return failed(404, 'Not Found: method not found');
  }
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
