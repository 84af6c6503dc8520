import { shownComment } from './comments.ts';
import { json, retryAfter } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'github_pat_secret_of_the_tests';
const PATH =
  /^\/repos\/([\w.-]+\/[\w.-]+)\/(?:issues\/(\d+)\/comments|pulls\/(\d+)\/comments\/(\d+)\/replies)$/;
const DOCS = 'https://docs.github.com/rest/issues/comments#create-an-issue-comment';

/**
 * https://docs.github.com/en/rest/issues/comments#create-an-issue-comment (github/rest-api-description,
 * issues/create-comment: 201, 403, 404, 410, 422) and pulls/create-reply-for-review-comment (201, 404); what errors say: content/rest/using-the-rest-api of github/docs,
 * troubleshooting-the-rest-api.md and rate-limits-for-the-rest-api.md.
 */
export const github: PlatformSpeech = {
  provider: 'github',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot, repositories: ['acme/*', 'octo/Shop'] }),
  secret: TOKEN,
  to: 'acme/shop#7',
  unfit: [
    'acme/shop',
    'acme/shop#0',
    'acme/shop#7/comments',
    'acme/shop#7/0',
    'acme/shop#7/1/2',
    'acme/shop!7',
    'acme/../shop#7',
    'acme/..#7',
    'acme/shop/deep#7',
    'https://github.com/acme/shop/issues/7',
    // Not among its repositories.
    'stranger/shop#7',
    'octo/other#7',
    'acme#7',
    '',
  ],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, repository, issue, pull, thread] = PATH.exec(path) ?? [];
    const number = issue ?? `${pull}/${thread}`;
    const isAsked =
      repository !== undefined &&
      method === 'POST' &&
      headers.authorization === `Bearer ${TOKEN}` &&
      headers['user-agent'] !== undefined &&
      headers['x-github-api-version'] === '2022-11-28';
    if (!isAsked) return undefined;
    return shownComment(`${repository}#${number}`, body);
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, refused(401, 'Bad credentials').body)
      : json(201, {
          id: n,
          body: shown.text,
          user: { login: 'acme-agent', type: 'User' },
        }),
  limited: (seconds) => ({
    ...refused(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.'),
    headers: retryAfter(seconds),
  }),
  refusals: [
    ['a wrong token', refused(401, 'Bad credentials'), 'auth'],
    [
      'a token without the permission',
      refused(403, 'Resource not accessible by personal access token'),
      'auth',
    ],
    [
      'an issue that is locked',
      refused(403, 'Unable to create comment because issue is locked.'),
      'permanent',
    ],
    ['an issue that is not there', refused(404, 'Not Found'), 'permanent'],
    ['an issue that was deleted', refused(410, 'This issue was deleted'), 'permanent'],
    ['a text it does not take', refused(422, 'Validation Failed'), 'permanent'],
    [
      'a limit that is used up',
      {
        ...refused(403, 'API rate limit exceeded for user ID 1.'),
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' },
      },
      'rate-limited',
    ],
    ['its own trouble', refused(500, 'Server Error'), 'unknown'],
  ],
};

function refused(status: number, message: string) {
  return { status, body: { message, documentation_url: DOCS, status: String(status) } };
}
