import type { Script } from '../scripted-server.ts';
import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'signal-proxy-secret';
const ACCOUNT = '+491700000000';
const UNFIT = ['0170 1234567', '491701234567', 'Ada', 'ada.1', 'group.', ''];

/**
 * signal-cli 0.14.6 (https://github.com/AsamK/signal-cli/tree/c26e0632): method `send` over `POST /api/v1/rpc`. Codes in
 * jsonrpc/SignalJsonRpcCommandHandler.java, texts in commands/SendCommand.java and util/SendMessageResultUtils.java,
 * results in json/JsonSendMessageResult.java (a captcha is a RATE_LIMIT_FAILURE with a token, see
 * lib/…/api/SendMessageResult.java), 421 in http/HttpServerHandler.java.
 */
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
          result: { timestamp: 1_700_000_000_000 + n, results: [result('SUCCESS')] },
        }),
  limited: (retryAfterSeconds) =>
    rpcError(-5, 'Failed to send message due to rate limiting', [
      result('RATE_LIMIT_FAILURE', {
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      }),
    ]),
  refusals: [
    [
      'an unregistered number',
      rpcError(-1, 'Failed to send message', [result('UNREGISTERED_FAILURE')]),
      'permanent',
      'UNREGISTERED_FAILURE',
    ],
    [
      'an untrusted identity',
      rpcError(-4, 'Failed to send message due to untrusted identities', [
        result('IDENTITY_FAILURE'),
      ]),
      'permanent',
      'IDENTITY_FAILURE',
    ],
    [
      'keys that cannot be used',
      rpcError(-1, 'Failed to send message', [result('INVALID_PRE_KEY_FAILURE')]),
      'permanent',
      'INVALID_PRE_KEY_FAILURE',
    ],
    [
      'a network that is away',
      rpcError(-1, 'Failed to send message', [result('NETWORK_FAILURE')]),
      'retryable',
      'NETWORK_FAILURE',
    ],
    [
      'a group of which one member may be reached later',
      rpcError(-1, 'Failed to send message', [
        result('UNREGISTERED_FAILURE'),
        result('NETWORK_FAILURE'),
      ]),
      'retryable',
      'NETWORK_FAILURE',
    ],
    [
      'an account it does not know',
      rpcError(-32602, 'Specified account does not exist'),
      'permanent',
      '-32602',
    ],
    [
      'a group it does not know',
      rpcError(-1, 'Group not found: SGVsbG8gU2lnbmFsLCBoZWxsbyBncm91cCBvZiAzMiE='),
      'permanent',
      '-1',
    ],
    [
      'a recipient without a username of that name',
      rpcError(-1, 'The user u:ada.42 is not registered.'),
      'permanent',
      '-1',
    ],
    [
      'a device that was not online for long',
      rpcError(-32603, 'Failed to send message: No prekeys available (IOException)'),
      'retryable',
      '-32603',
    ],
    ['a proxy that asks for a password', { status: 401, body: 'no' }, 'auth', '401'],
  ],
};

/**
 * signal-cli-rest-api (https://github.com/bbernhard/signal-cli-rest-api/tree/a08db23): `POST /v2/send`, api/api.go SendV2.
 * It answers 400 to whatever is wrong: what signal-cli says over JSON-RPC (client/jsonrpc2.go), what it printed where it
 * is started for each message (client/cli.go), what the wrapper itself says (client/client.go).
 */
export const signalRest: PlatformSpeech = {
  ...signal,
  settings: (apiRoot) => ({ apiRoot, account: ACCOUNT, token: TOKEN, api: 'rest' }),
  message: ({ method, path, body }) =>
    method === 'POST' && path === '/v2/send' && say(body, 'number') === ACCOUNT
      ? { to: say(body, 'recipients', 0), text: say(body, 'message') }
      : undefined,
  // Since 6a225e6 of July 2026; before, the object alone.
  answer: (_request, shown, n) =>
    shown === undefined ? json(404, {}) : json(201, [{ timestamp: `${1_700_000_000_000 + n}` }]),
  // The wrapper passes no time on, a proxy before it may name one.
  limited: (seconds) => ({ ...restLimit(''), headers: retryAfter(seconds) }),
  refusals: [
    ['an outage', rest('Failed to send message'), 'retryable', '400'],
    ['a signal-cli that restarts', rest('write tcp: write: broken pipe'), 'retryable', '400'],
    ['an unknown username', rest('The user u:ada.42 is not registered.'), 'permanent', '400'],
    [
      'untrusted keys',
      rest('Unable to complete request due to untrusted recipient keys'),
      'permanent',
      '400',
    ],
    ['a bad group', rest('Invalid Signal group size (3'), 'permanent', '400'],
    ['a bad request', rest("Couldn't process request - invalid request"), 'permanent', '400'],
    [
      'an unregistered number, printed as JSON',
      printed('Failed to send message', result('UNREGISTERED_FAILURE')),
      'permanent',
      'UNREGISTERED_FAILURE',
    ],
    [
      'an outage, printed as JSON',
      printed('Failed to send message', result('NETWORK_FAILURE')),
      'retryable',
      'NETWORK_FAILURE',
    ],
    [
      'a limit, printed as text by wrappers before July 2026',
      rest(
        'Failed to send (some) messages:\n+491701234567: Rate limit failure for "+491701234567"',
      ),
      'rate-limited',
      '400',
    ],
    [
      'a group of which one member may be reached later, printed as text',
      rest(
        'Failed to send (some) messages:\n+491701234567: Unregistered user "+491701234567"\n+491701234568: Network failure for "+491701234568"',
      ),
      'retryable',
      '400',
    ],
    ['a signal-cli that was killed', rest('process killed as timeout reached'), 'unknown', '400'],
    ['an answer it cannot read', rest('unexpected end of JSON input'), 'unknown', '400'],
    ['a proxy that asks for a password', { status: 401, body: { error: 'no' } }, 'auth'],
  ],
};

/** An account that has to solve a captcha, as signal-cli says it over JSON-RPC. */
export function captcha(token: string, retryAfterSeconds: number): Script {
  const failed = result('RATE_LIMIT_FAILURE', { token, retryAfterSeconds });
  return rpcError(-5, 'Failed to send message due to rate limiting', [failed]);
}

/** The same, as the wrapper says it. */
export function restLimit(token: string): Script {
  const error =
    "Failed to send message due to rate limiting. Use the attached challenge tokens to lift the rate limit restrictions via the '/v1/accounts/{number}/rate-limit-challenge' endpoint.";
  return { status: 429, body: { error, challenge_tokens: [token], account: ACCOUNT } };
}

/** The same, as a signal-cli that a wrapper before July 2026 starts for each message prints it. */
export function printedCaptcha(token: string): Script {
  return rest(
    `Failed to send (some) messages:\n+491701234567: CAPTCHA proof required for sending to "+491701234567", available options "CAPTCHA" with challenge token "${token}", or wait "86400" seconds.\n`,
  );
}

function result(type: string, over: object = {}) {
  const recipientAddress = { uuid: null, number: '+491701234567', username: null };
  return { recipientAddress, type, ...over };
}

function rpcError(code: number, message: string, results?: object[]): Script {
  const data = results === undefined ? null : { response: { timestamp: 1, results } };
  return { status: 200, body: { jsonrpc: '2.0', id: '1', error: { code, message, data } } };
}

function rest(error: string): Script {
  return { status: 400, body: { error } };
}

function printed(text: string, ...results: object[]): Script {
  return rest(`${JSON.stringify({ timestamp: 1, results })}\n${text}\n`);
}
