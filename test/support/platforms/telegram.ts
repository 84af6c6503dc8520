import { json, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = '123456:AAsecretsecretsecret';

/**
 * https://core.telegram.org/bots/api: `POST /bot<token>/sendMessage`; refusals are JSON, their status twice. Their words are
 * those of the server's source (tdlib/telegram-bot-api 10.0, Client.cpp; the topic's are reported in its issues 472, 798).
 */
export const telegram: PlatformSpeech = {
  provider: 'telegram',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot }),
  secret: TOKEN,
  to: '-1001234567890',
  unfit: ['+49 170', 'Ada', '@ab', '12 34', '-100/', '-100/0', '-100/a', '-100/4/2', ''],
  limit: 4096,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, body }) => {
    const call = /^\/bot123456:AAsecretsecretsecret\/(\w+)$/.exec(path)?.[1];
    if (method !== 'POST') return undefined;
    if (call === 'sendRichMessage') {
      return { to: recipient(body), text: say(body, 'rich_message', 'html') };
    }
    if (call === 'editMessageText') {
      const replaces = say(body, 'message_id');
      return { to: recipient(body), text: say(body, 'text'), replaces };
    }
    return call === 'sendMessage' ? { to: recipient(body), text: say(body, 'text') } : undefined;
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(404, telegramError(404, 'Not Found: method not found').body)
      : json(200, { ok: true, result: { message_id: n, date: 1_700_000_000 } }),
  limited: (seconds) =>
    telegramError(429, 'Too Many Requests', seconds === undefined ? {} : { retry_after: seconds }),
  refusals: [
    ['a closed topic', telegramError(400, 'Bad Request: TOPIC_CLOSED'), 'permanent'],
    ['no such topic', telegramError(400, 'Bad Request: message thread not found'), 'permanent'],
    ['a wrong token', telegramError(401, 'Unauthorized'), 'auth', '401'],
    ['an unknown chat', telegramError(400, 'Bad Request: chat not found'), 'permanent', '400'],
    ['a blocked bot', telegramError(403, 'Forbidden: bot was blocked by the user'), 'permanent'],
    ['its own trouble', telegramError(500, 'Internal Server Error'), 'unknown', '500'],
  ],
  gone: telegramError(400, 'Bad Request: message to edit not found'),
};

function recipient(body: unknown): string {
  const topic = say(body, 'message_thread_id');
  return say(body, 'chat_id') + (topic === '' ? '' : `/${topic}`);
}

/** A refusal as the Bot API words it: status and body together. */
export function telegramError(code: number, description: string, parameters?: object) {
  return { status: code, body: { ok: false, error_code: code, description, parameters } };
}

/** What a server says that is older than a method (Client.cpp). */
export const METHOD_NOT_FOUND = telegramError(404, 'Not Found: method not found');

/** A group that became a supergroup, with its new id (Client.cpp). */
export const UPGRADED = telegramError(
  400,
  'Bad Request: group chat was upgraded to a supergroup chat',
  { migrate_to_chat_id: -1_009_876_543_210 },
);
