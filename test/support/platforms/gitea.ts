import { shownComment } from './comments.ts';
import { json, retryAfter } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'gitea-secret-of-the-tests';
const PATH = /^\/api\/v1\/repos\/([\w.-]+\/[\w.-]+)\/issues\/(\d+)\/comments$/;

/**
 * github:go-gitea/gitea routers/api/v1/repo/issue_comment.go, CreateIssueComment: 201, 403 (locked, blocked), 404, 423
 * (archived); services/context/api.go, APIError: {message, url}.
 */
export const gitea: PlatformSpeech = {
  provider: 'gitea',
  settings: (apiRoot) => ({ token: TOKEN, apiRoot, repositories: ['acme/shop'] }),
  secret: TOKEN,
  to: 'acme/shop#7',
  unfit: [
    'acme/shop',
    'acme/shop!7',
    'acme/shop#7/8',
    'acme/shops#7',
    'acme/shop/deep#7',
    'acme/.#7',
    '',
  ],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, repository, number] = PATH.exec(path) ?? [];
    const isAsked =
      repository !== undefined && method === 'POST' && headers.authorization === `token ${TOKEN}`;
    if (!isAsked) return undefined;
    return shownComment(`${repository}#${number}`, body);
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, refused(401, 'invalid username, password or token').body)
      : json(201, {
          id: n,
          body: shown.text,
          user: { login: 'acme-agent' },
        }),
  limited: (seconds) => ({ status: 429, headers: retryAfter(seconds), body: 'limited by a proxy' }),
  refusals: [
    ['a wrong token', refused(401, 'invalid username, password or token'), 'auth'],
    [
      'a token without the scope',
      refused(403, 'token does not have at least one of required scope(s): [write:issue]'),
      'auth',
    ],
    [
      'an issue that is locked',
      refused(403, 'Only contributors can comment on this issue.'),
      'permanent',
    ],
    ['an unknown repository', refused(404, "The target couldn't be found."), 'permanent'],
    ['a repository that is archived', refused(423, 'Repo is archived'), 'permanent'],
    ['its own trouble', refused(500, 'Internal Server Error'), 'unknown'],
  ],
};

function refused(status: number, message: string) {
  return { status, body: { message, url: 'https://git.example.org/api/swagger' } };
}
