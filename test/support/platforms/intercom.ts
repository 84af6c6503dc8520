import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'intercom-secret-of-the-tests';
const PATH = /^\/conversations\/(\d+)\/reply$/;

/**
 * github:intercom/Intercom-OpenAPI descriptions/2.11/api.intercom.io.yaml, replyConversation (admin_reply with
 * `message_type: note`: 200 with the conversation; 401, 403, 404 are lists of errors);
 * https://developers.intercom.com/docs/references/rest-api/errors/error-codes.
 */
export const intercom: PlatformSpeech = {
  provider: 'intercom',
  settings: (apiRoot) => ({ token: TOKEN, account: '493881', apiRoot }),
  secret: TOKEN,
  to: '215470000000001',
  unfit: ['last', '#215', '215/1', ''],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, conversation] = PATH.exec(path) ?? [];
    const isNote =
      method === 'POST' &&
      conversation !== undefined &&
      headers.authorization === `Bearer ${TOKEN}` &&
      say(body, 'message_type') === 'note' &&
      say(body, 'type') === 'admin' &&
      say(body, 'admin_id') === '493881';
    return isNote ? { to: conversation, text: asText(say(body, 'body')) } : undefined;
  },
  answer: (_request, shown) =>
    shown === undefined
      ? json(401, errors('unauthorized', 'Access Token Invalid'))
      : json(200, { type: 'conversation', id: shown.to, state: 'open' }),
  limited: (seconds) => ({
    status: 429,
    headers: retryAfter(seconds),
    body: errors('rate_limit_exceeded', 'Exceeded rate limit'),
  }),
  refusals: [
    [
      'a wrong token',
      { status: 401, body: errors('unauthorized', 'Access Token Invalid') },
      'auth',
      'unauthorized',
    ],
    [
      'a plan without the API',
      { status: 403, body: errors('api_plan_restricted', 'Active subscription needed.') },
      'auth',
    ],
    [
      'an unknown conversation',
      { status: 404, body: errors('not_found', 'Resource not found') },
      'permanent',
    ],
    [
      'a text it does not take',
      { status: 422, body: errors('unprocessable_entity', 'Body is too long') },
      'permanent',
    ],
    [
      'its own trouble',
      { status: 500, body: errors('server_error', 'Something went wrong') },
      'unknown',
    ],
  ],
};

function errors(code: string, message: string) {
  return { type: 'error.list', request_id: 'r', errors: [{ code, message }] };
}

/** The note as teammates read it. */
function asText(html: string): string {
  return html
    .replace(/^<p>|<\/p>$/g, '')
    .replaceAll('<br>', '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
