import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'EAAG-whatsapp-secret';

/** https://developers.facebook.com/docs/whatsapp/cloud-api: messages and error codes. */
export const whatsapp: PlatformSpeech = {
  provider: 'whatsapp',
  settings: (origin) => ({
    token: TOKEN,
    phoneNumberId: '106540352242922',
    apiRoot: `${origin}/v25.0`,
  }),
  secret: TOKEN,
  to: '+49 (170) 123-4567',
  unfit: ['0170 1234567', 'Ada', '+49', 'C0123456789', ''],
  limit: 4096,
  knowsKeys: false,
  // Cloud API, "Error codes": 131026, 131042, 131047 and 131049 come by the webhook `messages`, as a status `failed`.
  refusesLater: true,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) =>
    method === 'POST' &&
    path === '/v25.0/106540352242922/messages' &&
    headers.authorization === `Bearer ${TOKEN}` &&
    say(body, 'messaging_product') === 'whatsapp'
      ? { to: say(body, 'to'), text: say(body, 'text', 'body') }
      : undefined,
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(404, { error: { message: 'Unknown path components', code: 2500 } })
      : json(200, {
          messaging_product: 'whatsapp',
          contacts: [{ input: shown.to, wa_id: shown.to }],
          messages: [{ id: `wamid.${n}` }],
        }),
  limited: (seconds) => ({
    ...graphError(429, 130429, 'Rate limit hit'),
    headers: retryAfter(seconds),
  }),
  refusals: [
    ['a wrong token', graphError(401, 190, 'Invalid OAuth access token.'), 'auth', '190'],
    ['a missing permission', graphError(403, 10, 'Permission denied'), 'auth', '10'],
    ['an unknown recipient', graphError(400, 131026, 'Message undeliverable'), 'permanent'],
    ['a closed window', graphError(400, 131047, 'Re-engagement message'), 'permanent', '131047'],
    ['one recipient’s limit', graphError(400, 131056, '(Pair) rate limit hit'), 'retryable'],
    ['a limit under 400', graphError(400, 130429, 'Rate limit hit'), 'rate-limited', '130429'],
    ['its own trouble', graphError(500, 131000, 'Something went wrong'), 'retryable', '131000'],
  ],
};

function graphError(status: number, code: number, message: string) {
  const error_data = { messaging_product: 'whatsapp', details: message };
  return {
    status,
    body: {
      error: {
        message: `(#${code}) ${message}`,
        type: 'OAuthException',
        code,
        error_data,
        fbtrace_id: 'A',
      },
    },
  };
}
