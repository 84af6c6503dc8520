import { type Answer, type RecordedRequest, ScriptedServer } from './scripted-server.ts';

/** One message as the Bot API was asked to send it. */
export interface SentMessage {
  readonly chat_id: string;
  readonly text: string;
}

/** Speaks Telegram's Bot API: `POST /bot<token>/sendMessage`, with its limit and its own words for errors. */
export class TelegramServer extends ScriptedServer {
  private lastId = 0;

  constructor() {
    super((request) => this.usual(request));
  }

  /** What the channel's `apiRoot` must be. */
  get apiRoot(): string {
    return this.origin;
  }

  /** Every message it was asked to send, whatever it answered. */
  get messages(): readonly SentMessage[] {
    return this.requests.map(({ body }) => messageIn(body));
  }

  private usual({ path, body }: RecordedRequest): Answer {
    if (!/^\/bot[^/]+\/sendMessage$/.test(path)) return json(telegramError(404, 'Not Found'));
    const { chat_id, text } = messageIn(body);
    if (text.trim() === '') {
      return json(telegramError(400, 'Bad Request: message text is empty'));
    }
    if (text.length > 4096) return json(telegramError(400, 'Bad Request: message is too long'));
    this.lastId += 1;
    const chat = { id: Number(chat_id), type: 'private' };
    const result = { message_id: this.lastId, date: 1_700_000_000, chat, text };
    return json({ status: 200, body: { ok: true, result } });
  }
}

/** A running server; close it after the test. */
export async function startTelegramServer(): Promise<TelegramServer> {
  const server = new TelegramServer();
  await server.listen();
  return server;
}

/** A refusal as the Bot API words it: status and body together. */
export function telegramError(code: number, description: string, parameters?: object) {
  return { status: code, body: { ok: false, error_code: code, description, parameters } };
}

function messageIn(body: unknown): SentMessage {
  const value = typeof body === 'object' && body !== null ? body : {};
  return {
    chat_id: String(Reflect.get(value, 'chat_id') ?? ''),
    text: String(Reflect.get(value, 'text') ?? ''),
  };
}

function json({ status, body }: { status: number; body: unknown }): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(body)],
  };
}
