import { shownComment } from './comments.ts';
import { json, retryAfter } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'glpat-secret-of-the-tests';
const PATH =
  /^\/api\/v4\/projects\/([^/]+)\/(issues|merge_requests)\/(\d+)(?:\/discussions\/([0-9a-f]{40}))?\/notes$/;

/**
 * github:gitlabhq/gitlabhq doc/api/notes.md (Create new issue note, Create new merge request note),
 * doc/api/discussions.md (Add note to existing … thread: 201) and
 * doc/api/rest/troubleshooting.md (what errors look like); a note has at most 1,000,000 characters.
 */
export const gitlab: PlatformSpeech = {
  provider: 'gitlab',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot, repositories: ['acme/*'] }),
  secret: TOKEN,
  to: 'acme/web/shop!7',
  unfit: [
    'acme/shop',
    'acme/shop#',
    'acme/shop&7',
    'acme/../shop#7',
    'other/shop#7',
    '15#7',
    'acme/shop!7/8',
    '',
  ],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, project, kind, number, discussion] = PATH.exec(path) ?? [];
    const isAsked = method === 'POST' && headers['private-token'] === TOKEN;
    if (!isAsked || project === undefined) return undefined;
    const item = `${decodeURIComponent(project)}${kind === 'issues' ? '#' : '!'}${number}`;
    return shownComment(discussion === undefined ? item : `${item}/${discussion}`, body);
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, { message: '401 Unauthorized' })
      : json(201, {
          id: n,
          body: shown.text,
          author: { username: 'acme-agent' },
          system: false,
        }),
  limited: (seconds) => ({ status: 429, headers: retryAfter(seconds), body: 'Retry later' }),
  refusals: [
    ['a wrong token', { status: 401, body: { message: '401 Unauthorized' } }, 'auth'],
    [
      'a token without the scope',
      {
        status: 403,
        body: {
          error: 'insufficient_scope',
          error_description:
            'The request requires higher privileges than provided by the access token.',
          scope: 'api',
        },
      },
      'auth',
    ],
    [
      'an unknown project',
      { status: 404, body: { message: '404 Project Not Found' } },
      'permanent',
    ],
    [
      'a text it does not take',
      { status: 400, body: { message: { note: ["can't be blank"] } } },
      'permanent',
    ],
    ['its own trouble', { status: 500, body: { message: '500 Internal Server Error' } }, 'unknown'],
  ],
};
