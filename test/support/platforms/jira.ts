import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'ATATT-secret-of-the-tests';
const ACCOUNT = 'agent@acme.example';
const PATH = /^\/rest\/api\/3\/issue\/([A-Z]+-\d+)\/comment$/;

/**
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/: Add comment (201, 400, 401, 404,
 * 413); the body is a document (ADF), and what errors say stands in `errorMessages`.
 */
export const jira: PlatformSpeech = {
  provider: 'jira',
  settings: (apiRoot) => ({
    token: TOKEN,
    account: ACCOUNT,
    accountId: '712020:agent',
    projects: ['SHOP', 'DESK'],
    apiRoot,
  }),
  secret: TOKEN,
  to: 'SHOP-15',
  unfit: ['SHOP', 'shop-15', 'SHOP-0', 'SHOP-15/10000', 'OTHER-1', '10400', 'SHOP-15/../x', ''],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, to] = PATH.exec(path) ?? [];
    const basic = Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64');
    const isAsked = method === 'POST' && headers.authorization === `Basic ${basic}`;
    if (!isAsked || to === undefined) return undefined;
    const isInternal = say(body, 'properties', 0, 'key') === 'sd.public.comment';
    return isInternal ? { to, text: textOf(body) } : undefined;
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, { errorMessages: ['Client must be authenticated to access this resource.'] })
      : json(201, { id: `${n}`, jsdPublic: false }),
  limited: (seconds) => ({
    status: 429,
    headers: retryAfter(seconds),
    body: { errorMessages: ['Rate limit exceeded.'] },
  }),
  refusals: [
    [
      'a wrong token',
      refused(401, 'Client must be authenticated to access this resource.'),
      'auth',
    ],
    [
      'an issue that is not there',
      refused(404, 'Issue does not exist or you do not have permission to see it.'),
      'permanent',
    ],
    [
      'a text it does not take',
      {
        status: 400,
        body: { errorMessages: [], errors: { comment: 'Comment body is not valid!' } },
      },
      'permanent',
    ],
    ['a comment that is too long', refused(413, 'Comment too long'), 'permanent'],
    ['its own trouble', refused(500, 'Internal server error'), 'unknown'],
  ],
};

function textOf(body: unknown): string {
  const node = (body as { body: Node }).body;
  return (node.content ?? [])
    .map(({ content = [] }) =>
      content.map(({ type, text = '' }) => (type === 'hardBreak' ? '\n' : text)).join(''),
    )
    .join('\n\n');
}

interface Node {
  readonly type: string;
  readonly text?: string;
  readonly content?: readonly Node[];
}

function refused(status: number, message: string) {
  return { status, body: { errorMessages: [message], errors: {} } };
}
