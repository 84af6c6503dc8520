import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'xoxb-slack-secret';

/** https://docs.slack.dev/reference/methods/chat.postMessage and …/chat.update: almost everything is a 200. */
export const slack: PlatformSpeech = {
  provider: 'slack',
  settings: (origin) => ({ token: TOKEN, apiRoot: `${origin}/api` }),
  secret: TOKEN,
  to: 'C0123456789',
  unfit: ['#general', 'general', 'c0123456789', 'C01', 'C0123456789/12', 'C0123456789/', ''],
  limit: 12_000,
  knowsKeys: false,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) => {
    if (method !== 'POST' || headers.authorization !== `Bearer ${TOKEN}`) return undefined;
    const blocks: unknown = JSON.parse(say(body, 'blocks') || '[]');
    const text = say(blocks, 0, 'text') || say(body, 'markdown_text') || say(body, 'text');
    if (path === '/api/chat.update') return { to: threadOf(body), text, replaces: say(body, 'ts') };
    const isAsked = path === '/api/chat.postMessage' && say(body, 'unfurl_links') === 'false';
    return isAsked ? { to: threadOf(body), text } : undefined;
  },
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(200, { ok: false, error: 'unknown_method' })
      : json(200, { ok: true, channel: shown.to, ts: `${n}.000100`, message: {} }),
  limited: (seconds) => ({
    status: 429,
    headers: retryAfter(seconds),
    body: { ok: false, error: 'ratelimited' },
  }),
  refusals: [
    ['a wrong token', said('invalid_auth'), 'auth', 'invalid_auth'],
    ['a missing scope', said('missing_scope'), 'auth', 'missing_scope'],
    ['an unknown channel', said('channel_not_found'), 'permanent', 'channel_not_found'],
    ['a channel it is not in', said('not_in_channel'), 'permanent', 'not_in_channel'],
    // Of these two: "It's possible some aspect of the operation succeeded before the error was raised."
    ['a message without threads', said('cannot_reply_to_message'), 'permanent'],
    ['its own trouble', said('internal_error'), 'unknown', 'internal_error'],
    ['a catastrophic error', said('fatal_error'), 'unknown', 'fatal_error'],
    ['a service that is away', said('service_unavailable'), 'retryable', 'service_unavailable'],
    ['a request that came in part', said('request_timeout'), 'retryable', 'request_timeout'],
    ['no JSON under 503', { status: 503, body: 'upstream connect error' }, 'unknown', '503'],
  ],
  gone: said('message_not_found'),
};

/** `thread_ts` is the `ts` of the thread's first message. */
function threadOf(body: unknown): string {
  return [say(body, 'channel'), say(body, 'thread_ts')].filter((id) => id !== '').join('/');
}

function said(error: string) {
  return { status: 200, body: { ok: false, error } };
}
