import type { Script } from '../scripted-server.ts';
import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'signal-proxy-secret';
const ACCOUNT = '+491700000000';
const UNFIT = ['0170 1234567', '491701234567', 'Ada', 'group.', ''];

/** signal-cli-jsonrpc(5): method `send` over `POST /api/v1/rpc`. */
export const signal: PlatformSpeech = {
  provider: 'signal',
  settings: (apiRoot) => ({ apiRoot, account: ACCOUNT, token: TOKEN }),
  secret: TOKEN,
  to: '+49 170 1234567',
  unfit: UNFIT,
  limit: 2000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, body }) =>
    method === 'POST' &&
    path === '/api/v1/rpc' &&
    say(body, 'method') === 'send' &&
    say(body, 'params', 'account') === ACCOUNT
      ? { to: say(body, 'params', 'recipient', 0), text: say(body, 'params', 'message') }
      : undefined,
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(404, {})
      : json(200, {
          jsonrpc: '2.0',
          id: '1',
          result: { timestamp: 1_700_000_000_000 + n, results: [result('SUCCESS', shown.to)] },
        }),
  limited: (seconds) => ({ ...rpcError(-5, 'Rate limited', []), headers: retryAfter(seconds) }),
  refusals: [
    ['an unregistered number', failed('UNREGISTERED_FAILURE'), 'permanent', 'UNREGISTERED_FAILURE'],
    [
      'an untrusted identity',
      rpcError(-4, 'Untrusted', [failure('IDENTITY_FAILURE')]),
      'permanent',
    ],
    ['a network that is away', failed('NETWORK_FAILURE'), 'retryable', 'NETWORK_FAILURE'],
    ['an account it does not know', rpcError(-1, 'Specified account does not exist'), 'permanent'],
    ['a captcha', rpcError(-1, 'Failed', [failure('PROOF_REQUIRED_FAILURE')]), 'rate-limited'],
    ['an error of its disk', rpcError(-3, 'Failed to send message'), 'retryable', '-3'],
    ['a proxy that asks for a password', { status: 401, body: 'no' }, 'auth', '401'],
    ['its own trouble', { status: 500, body: 'oops' }, 'unknown', '500'],
  ],
};

/** https://bbernhard.github.io/signal-cli-rest-api: `POST /v2/send`. */
export const signalRest: PlatformSpeech = {
  ...signal,
  settings: (apiRoot) => ({ apiRoot, account: ACCOUNT, token: TOKEN, api: 'rest' }),
  message: ({ method, path, body }) =>
    method === 'POST' && path === '/v2/send' && say(body, 'number') === ACCOUNT
      ? { to: say(body, 'recipients', 0), text: say(body, 'message') }
      : undefined,
  answer: (_request, shown, n) =>
    shown === undefined ? json(404, {}) : json(201, { timestamp: `${1_700_000_000_000 + n}` }),
  limited: (seconds) => ({
    status: 429,
    headers: retryAfter(seconds),
    body: { error: 'Rate limit exceeded', challenge_tokens: ['c'], account: ACCOUNT },
  }),
  refusals: [
    ['an unregistered number', rest(400, 'Unregistered user +491701234567'), 'permanent', '400'],
    ['a limit under 400', rest(400, 'Failed to send (413) Rate Limit Exceeded'), 'rate-limited'],
    ['a proxy that asks for a password', rest(401, 'no'), 'auth'],
    ['its own trouble', rest(500, 'Internal'), 'unknown', '500'],
  ],
};

function failure(type: string) {
  return result(type, '+491701234567');
}

function result(type: string, number: string) {
  return { recipientAddress: { uuid: '0', number }, type };
}

function failed(type: string): Script {
  return {
    status: 200,
    body: { jsonrpc: '2.0', id: '1', result: { timestamp: 1, results: [failure(type)] } },
  };
}

function rpcError(code: number, message: string, results: object[] = []): Script {
  const data = { response: { timestamp: 1, results } };
  return { status: 200, body: { jsonrpc: '2.0', id: '1', error: { code, message, data } } };
}

function rest(status: number, error: string): Script {
  return { status, body: { error } };
}
