import { json, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = '123456:AAsecretsecretsecret';

/** https://core.telegram.org/bots/api: `POST /bot<token>/sendRichMessage`; refusals are JSON, their status twice. */
export const telegram: PlatformSpeech = {
  provider: 'telegram',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot }),
  secret: TOKEN,
  to: '-1001234567890',
  unfit: ['+49 170', 'Ada', '@ab', '12 34', ''],
  limit: 4096,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, body }) => {
    const call = /^\/bot123456:AAsecretsecretsecret\/(\w+)$/.exec(path)?.[1];
    if (method !== 'POST') return undefined;
    if (call === 'sendRichMessage') {
      return { to: say(body, 'chat_id'), text: say(body, 'rich_message', 'markdown') };
    }
    return call === 'sendMessage'
      ? { to: say(body, 'chat_id'), text: say(body, 'text') }
      : undefined;
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(404, telegramError(404, 'Not Found').body)
      : json(200, { ok: true, result: { message_id: n, date: 1_700_000_000 } }),
  limited: (seconds) =>
    telegramError(429, 'Too Many Requests', seconds === undefined ? {} : { retry_after: seconds }),
  refusals: [
    ['a wrong token', telegramError(401, 'Unauthorized'), 'auth', '401'],
    ['an unknown chat', telegramError(400, 'Bad Request: chat not found'), 'permanent', '400'],
    ['a blocked bot', telegramError(403, 'Forbidden: bot was blocked by the user'), 'permanent'],
    ['its own trouble', telegramError(500, 'Internal Server Error'), 'unknown', '500'],
  ],
};

/** A refusal as the Bot API words it: status and body together. */
export function telegramError(code: number, description: string, parameters?: object) {
  return { status: code, body: { ok: false, error_code: code, description, parameters } };
}
