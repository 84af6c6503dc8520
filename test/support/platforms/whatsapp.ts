import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const TOKEN = 'EAAG-whatsapp-secret';

/**
 * Meta's Cloud API (https://developers.facebook.com/documentation/business-messaging/whatsapp, "Messages" and "Error
 * codes" of May 2026, with the status of each code; Graph API, "Rate limits", for 17, 32 and 613).
 */
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
  // 131026, 131042, 131047 and 131049 come by the webhook `messages`, as a status `failed` ("Error codes").
  refusesLater: true,
  requestsBefore: 0,
  message: ({ method, path, headers, body }) =>
    method === 'POST' &&
    path === '/v25.0/106540352242922/messages' &&
    headers.authorization === `Bearer ${TOKEN}` &&
    say(body, 'messaging_product') === 'whatsapp' &&
    (say(body, 'type') !== 'interactive' || areReplyButtons(body))
      ? { to: say(body, 'to'), text: say(body, 'text', 'body') || say(body, ...BODY_TEXT) }
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
    ['a missing capability', graphError(500, 3, 'Capability or permissions issue.'), 'auth', '3'],
    ['an unknown recipient', graphError(400, 131026, 'Message undeliverable'), 'permanent'],
    ['a closed window', graphError(400, 131047, 'Re-engagement message'), 'permanent', '131047'],
    ['a display name', graphError(400, 131037, 'Display name not approved'), 'permanent', '131037'],
    ['an unpaid bill', graphError(500, 131042, 'Payment issue'), 'permanent', '131042'],
    ['a number to register', graphError(500, 131045, 'Incorrect certificate'), 'permanent'],
    ['half a deregistration', graphError(500, 133000, 'Incomplete Deregistration'), 'permanent'],
    ['a number that is gone', graphError(400, 33, 'Parameter value is not valid'), 'permanent'],
    ['one recipient’s limit', graphError(400, 131056, '(Pair) rate limit hit'), 'retryable'],
    ['a limit under 400', graphError(400, 130429, 'Rate limit hit'), 'rate-limited', '130429'],
    ['a limit of the app', graphError(400, 4, 'Application request limit reached'), 'rate-limited'],
    ['a limit of the user', graphError(400, 17, 'User request limit reached'), 'rate-limited'],
    ['a limit of the page', graphError(400, 32, 'Page request limit reached'), 'rate-limited'],
    ['a limit of this call', graphError(400, 613, 'Calls to this api have …'), 'rate-limited'],
    ['its own trouble', graphError(500, 131000, 'Something went wrong'), 'unknown', '131000'],
    ['a service that is away', graphError(500, 131016, 'Service unavailable'), 'retryable'],
  ],
};

const BODY_TEXT = ['interactive', 'body', 'text'] as const;

/** …/whatsapp/messages/interactive-reply-buttons-messages of May 2026: limits in characters, and up to three buttons. */
function areReplyButtons(body: unknown): boolean {
  const button = (n: number, name: string) =>
    say(body, 'interactive', 'action', 'buttons', n, 'reply', name);
  const ids = [0, 1, 2].map((n) => button(n, 'id')).filter((id) => id !== '');
  const text = say(body, ...BODY_TEXT);
  return (
    say(body, 'interactive', 'type') === 'button' &&
    text !== '' &&
    text.length <= 1024 &&
    ids.length > 0 &&
    new Set(ids).size === ids.length &&
    ids.every((id, n) => id.length <= 256 && /^.{1,20}$/.test(button(n, 'title'))) &&
    say(body, 'interactive', 'action', 'buttons', 3, 'type') === ''
  );
}

const TEMPLATE = { name: 'gateway_alert', language: 'en_US' };

/** The same with a template: "Templates", "Template messages", and 132018 for what no variable may hold. */
export const whatsappTemplate: PlatformSpeech = {
  ...whatsapp,
  settings: (origin) => ({ ...whatsapp.settings(origin), template: TEMPLATE }),
  limit: 900,
  message: (request) => {
    const shown = whatsapp.message(request);
    const template = (...path: (string | number)[]) => say(request.body, 'template', ...path);
    const text = template('components', 0, 'parameters', 0, 'text');
    const isRight =
      say(request.body, 'type') === 'template' &&
      template('name') === TEMPLATE.name &&
      template('language', 'code') === TEMPLATE.language &&
      template('components', 0, 'type') === 'body' &&
      template('components', 0, 'parameters', 0, 'type') === 'text' &&
      !/[\n\r\t]| {5}/.test(text);
    return shown !== undefined && isRight ? { to: shown.to, text } : undefined;
  },
  refusals: [
    ['a template that is not there', graphError(404, 132001, 'No template'), 'permanent', '132001'],
    ['a template of two variables', graphError(400, 132000, 'Parameters'), 'permanent', '132000'],
    ['a template that is too long', graphError(400, 132005, 'Hydrated text'), 'permanent'],
    ['a template that is paused', graphError(400, 132015, 'Template is Paused'), 'permanent'],
  ],
};

export function graphError(status: number, code: number, message: string) {
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
