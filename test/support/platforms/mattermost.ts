import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'mattermost-secret-token';
const ID = 'qmd5oqtwoibz8cuzxzg5ekshgr';
const BOT = 'b7mtbxsw4iy9bg4r3mz7nq1zyo';

/** https://api.mattermost.com: Create a post; errors are AppErrors with an id of their own. */
export const mattermost: PlatformSpeech = {
  provider: 'mattermost',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot }),
  secret: TOKEN,
  to: ID,
  unfit: ['town-square', '~town-square', 'QMD5OQTWOIBZ8CUZXZG5EKSHGR', 'qmd5', `${ID}/1`, ''],
  limit: 16_383,
  knowsKeys: true,
  requestsBefore: 1,
  message: ({ method, path, headers, body }) =>
    method === 'POST' && path === '/api/v4/posts' && headers.authorization === `Bearer ${TOKEN}`
      ? {
          to: [say(body, 'channel_id'), say(body, 'root_id')].filter((id) => id !== '').join('/'),
          text: say(body, 'message'),
          key: say(body, 'pending_post_id'),
        }
      : undefined,
  answer: ({ path }, shown, n) =>
    shown === undefined
      ? path === '/api/v4/users/me'
        ? json(200, { id: BOT })
        : json(401, appError(401, 'api.context.session_expired.app_error', 'Invalid session').body)
      : json(201, { id: `post${n}`, user_id: BOT, channel_id: shown.to, message: shown.text }),
  limited: (seconds) => ({ status: 429, headers: retryAfter(seconds), body: 'limit exceeded' }),
  refusals: [
    ['a wrong token', appError(401, 'api.context.session_expired', 'Invalid session'), 'auth'],
    ['a missing permission', appError(403, 'api.context.permissions', 'No permission'), 'auth'],
    ['an unknown channel', appError(404, 'app.channel.get.existing', 'No channel'), 'permanent'],
    ['a text it does not take', appError(400, 'api.post.too_long', 'Too long'), 'permanent'],
    // server/channels/app/post.go, CreatePost: a root that is not there, or is a reply itself
    [
      'a thread that is none',
      appError(400, 'api.post.create_post.root_id.app_error', 'Invalid RootId parameter.'),
      'permanent',
    ],
    ['its own trouble', appError(500, 'app.post.save.app_error', 'Unable to save'), 'retryable'],
  ],
};

function appError(status_code: number, id: string, message: string) {
  return {
    status: status_code,
    body: { id, message, detailed_error: '', request_id: 'r', status_code },
  };
}
