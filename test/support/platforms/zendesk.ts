import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'zendesk-secret-of-the-tests';
const ACCOUNT = 'agent@acme.example';
const PATH = /^\/api\/v2\/tickets\/(\d+)\.json$/;

/**
 * https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/ (comments are made by updating the
 * ticket; `public: false` is an internal note) and …/introduction/requests/ (401, 404, 422, 429 and their words).
 */
export const zendesk: PlatformSpeech = {
  provider: 'zendesk',
  settings: (apiRoot) => ({ token: TOKEN, account: ACCOUNT, apiRoot }),
  secret: TOKEN,
  to: '35436',
  unfit: ['0', '#35436', '35436/1', 'https://acme.zendesk.com/agent/tickets/1', ''],
  limit: 20_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    const [, ticket] = PATH.exec(path) ?? [];
    const basic = Buffer.from(`${ACCOUNT}/token:${TOKEN}`).toString('base64');
    const isAsked =
      method === 'PUT' && ticket !== undefined && headers.authorization === `Basic ${basic}`;
    const comment: unknown = isAsked ? body : undefined;
    return isAsked && JSON.stringify(body).includes('"public":false')
      ? { to: ticket, text: say(comment, 'ticket', 'comment', 'body') }
      : undefined;
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, { error: "Couldn't authenticate you" })
      : json(200, { ticket: { id: Number(shown.to) }, audit: { id: n, ticket_id: shown.to } }),
  limited: (seconds) => ({
    status: 429,
    headers: retryAfter(seconds),
    body: { error: 'APIRateLimitExceeded', description: 'Number of allowed requests exceeded' },
  }),
  refusals: [
    ['a wrong token', { status: 401, body: { error: "Couldn't authenticate you" } }, 'auth'],
    [
      'a ticket that the agent may not see',
      {
        status: 403,
        body: { error: { title: 'Forbidden', message: 'You do not have access to this page.' } },
      },
      'auth',
    ],
    [
      'an unknown ticket',
      { status: 404, body: { error: 'RecordNotFound', description: 'Not found' } },
      'permanent',
    ],
    [
      'a ticket that is closed',
      {
        status: 422,
        body: {
          error: 'RecordInvalid',
          description: 'Record validation errors',
          details: { status: [{ description: 'Status: closed prevents ticket update' }] },
        },
      },
      'permanent',
    ],
    ['its own trouble', { status: 500, body: { error: 'InternalError' } }, 'unknown'],
  ],
};
