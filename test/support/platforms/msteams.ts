import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const SECRET = 'teams~client~secret';
const TOKEN = 'eyJ-access-token';

/** https://learn.microsoft.com/azure/bot-service/rest-api: a token by client credentials, then Send to Conversation. */
export const msteams: PlatformSpeech = {
  provider: 'msteams',
  settings: (origin) => ({
    appId: 'app-1',
    appSecret: SECRET,
    apiRoot: `${origin}/emea`,
    tokenUrl: `${origin}/token`,
  }),
  secret: SECRET,
  to: '19:abc_DEF@thread.tacv2',
  unfit: ['general', '+491701234567', 'no spaces: here', ''],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 1,
  message: ({ method, path, headers, body }) =>
    method === 'POST' &&
    path.startsWith('/emea/v3/conversations/') &&
    headers.authorization === `Bearer ${TOKEN}` &&
    say(body, 'textFormat') === 'markdown'
      ? { to: decodeURIComponent(path.split('/')[4] ?? ''), text: say(body, 'text') }
      : undefined,
  answer: ({ path, body }, shown, n) => {
    if (shown !== undefined) return json(201, { id: `${n}` });
    const isFit = path === '/token' && say(body, 'client_secret') === SECRET;
    return isFit
      ? json(200, { token_type: 'Bearer', expires_in: 3599, access_token: TOKEN })
      : json(400, { error: 'invalid_request' });
  },
  limited: (seconds) => ({
    ...botError(429, 'Throttled', 'Too Many Requests'),
    headers: retryAfter(seconds),
  }),
  refusals: [
    ['a wrong token', botError(401, 'Unauthorized', 'Authorization denied'), 'auth'],
    ['a bot that is not there', botError(403, 'BotNotInConversationRoster', 'No'), 'permanent'],
    ['an unknown conversation', botError(404, 'ConversationNotFound', 'No'), 'permanent'],
    ['a message that is too big', botError(413, 'MessageSizeTooBig', 'No'), 'permanent'],
    ['a conflict', botError(412, 'PreconditionFailed', 'No'), 'retryable'],
    ['its own trouble', botError(502, 'BadGateway', 'No'), 'unknown'],
  ],
};

function botError(status: number, code: string, message: string) {
  return { status, body: { error: { code, message } } };
}
