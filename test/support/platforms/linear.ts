import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'lin_api_secret_of_the_tests';

/**
 * `POST /graphql` (github:linear/linear packages/sdk/src/schema.graphql: agentActivityCreate, commentCreate;
 * error.ts: types of errors). A personal key goes without `Bearer`, and a limit is a 400
 * (https://linear.app/developers/rate-limiting). An id that is there: «conflict on insert of Comment», with 200, as
 * several programs have it from the real server.
 */
export const linear: PlatformSpeech = {
  provider: 'linear',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot }),
  secret: TOKEN,
  to: 'WEB-44',
  unfit: ['web-44', 'WEB', 'WEB-0', 'WEB-44/1', 'session/1', 'session/', '44', ''],
  limit: 20_000,
  knowsKeys: true,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const isAsked = method === 'POST' && path === '/graphql' && headers.authorization === TOKEN;
    if (!isAsked) return undefined;
    const input = (...key: string[]) => say(body, 'variables', 'input', ...key);
    const key = input('id');
    if (say(body, 'query').includes('agentActivityCreate(')) {
      return { to: `session/${input('agentSessionId')}`, text: input('content', 'body'), key };
    }
    const place = [input('issueId'), input('parentId')].filter((id) => id !== '').join('/');
    return { to: place, text: input('body'), key };
  },
  answer: (_request, shown, _n, isRepeat) => {
    if (shown === undefined) return json(401, failed('authentication error', 'Not authenticated'));
    return isRepeat === true
      ? json(200, failed('invalid input', `conflict on insert of Comment`))
      : json(200, { data: { done: { success: true } } });
  },
  limited: (seconds) => ({
    status: 400,
    headers: retryAfter(seconds),
    body: failed('ratelimited', 'Rate limit exceeded'),
  }),
  refusals: [
    [
      'a wrong token',
      { status: 401, body: failed('authentication error', 'Authentication required') },
      'auth',
    ],
    ['a token without the scope', { body: failed('forbidden', 'Invalid scope: `write`') }, 'auth'],
    [
      'an unknown issue',
      { body: failed('invalid input', 'Entity not found: Issue') },
      'permanent',
      'invalid input',
    ],
    ['a lock that it waits for', { body: failed('lock timeout', 'Lock timeout') }, 'retryable'],
    ['its own trouble', { status: 500, body: {} }, 'retryable'],
  ],
};

function failed(type: string, message: string) {
  return { data: null, errors: [{ message, extensions: { type, code: 'INPUT_ERROR' } }] };
}
