import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'MTk4.discord-secret';
const TOO_LONG = 'Must be 2000 or fewer in length.';

/** https://discord.com/developers/docs: Create Message, Edit Message, rate limits, JSON error codes. */
export const discord: PlatformSpeech = {
  provider: 'discord',
  settings: (origin) => ({ token: TOKEN, apiRoot: `${origin}/api` }),
  secret: TOKEN,
  to: '41771983423143937',
  unfit: ['general', '#general', '12345', '<#41771983423143937>', ''],
  limit: 2000,
  knowsKeys: true,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, to, replaces] = /^\/api\/v10\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
    const isFit =
      method === (replaces === undefined ? 'POST' : 'PATCH') &&
      headers.authorization === `Bot ${TOKEN}`;
    if (to === undefined || !isFit || say(body, 'nonce').length > 25) return undefined;
    if (replaces !== undefined) return { to, text: say(body, 'content'), replaces };
    return { to, text: say(body, 'content'), key: say(body, 'nonce') };
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, { message: '401: Unauthorized', code: 0 })
      : json(200, { id: `${n}`, channel_id: shown.to, content: shown.text, nonce: shown.key }),
  limited: (seconds) => ({
    status: 429,
    headers: {
      ...retryAfter(seconds),
      'x-ratelimit-global': 'true',
      'x-ratelimit-scope': 'global',
    },
    body: { message: 'You are being rate limited.', retry_after: seconds, global: true },
  }),
  refusals: [
    ['a wrong token', discordError(401, 0, '401: Unauthorized'), 'auth', '0'],
    ['an unknown channel', discordError(404, 10003, 'Unknown Channel'), 'permanent', '10003'],
    ['a channel it may not see', discordError(403, 50001, 'Missing Access'), 'permanent', '50001'],
    [
      'the limit of one channel',
      {
        status: 429,
        headers: { 'retry-after': '3', 'x-ratelimit-scope': 'user' },
        body: { message: 'You are being rate limited.', retry_after: 2.5, global: false },
      },
      'retryable',
    ],
    [
      'a form with a mistake in it',
      invalidForm({ content: mistakes(TOO_LONG) }),
      'permanent',
      '50035',
    ],
    ['its own trouble', discordError(500, 0, '500: Internal Server Error'), 'retryable'],
  ],
  gone: discordError(404, 10008, 'Unknown Message'),
};

/** https://discord.com/developers/docs/reference#error-messages: a list of mistakes below the name of each field. */
export function invalidForm(errors: unknown) {
  return { status: 400, body: { code: 50035, message: 'Invalid Form Body', errors } };
}

export function mistakes(message: string) {
  return { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message }] };
}

function discordError(status: number, code: number, message: string) {
  return { status, body: { message, code } };
}
