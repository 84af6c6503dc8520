import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const PASSWORD = 'blue bubbles/secret';

/** https://documenter.getpostman.com/view/765844/UV5RnfwM: Send Text; the password is in the query. */
export const imessage: PlatformSpeech = {
  provider: 'imessage',
  settings: (apiRoot) => ({ apiRoot, password: PASSWORD }),
  secret: PASSWORD,
  to: '+491701234567',
  unfit: ['', ' '],
  limit: 4000,
  knowsKeys: false,
  // BlueBubbles server 1.9.9, pollers/MessagePoller.ts: resolves a sent message once it is in chat.db, sent or not yet.
  refusesLater: true,
  requestsBefore: 0,
  message: ({ method, path, body }) =>
    method === 'POST' && path === `/api/v1/message/text?password=blue%20bubbles%2Fsecret`
      ? { to: say(body, 'chatGuid'), text: say(body, 'message') }
      : undefined,
  answer: (_request, shown, n) =>
    shown === undefined
      ? json(401, blueError(401, 'Authentication Error').body)
      : json(200, { status: 200, message: 'Message sent!', data: { guid: `guid-${n}` } }),
  limited: (seconds) => ({ status: 429, headers: retryAfter(seconds), body: 'Too many requests' }),
  refusals: [
    ['a wrong password', blueError(401, 'Authentication Error'), 'auth', '401'],
    ['an unknown chat', blueError(400, 'Chat does not exist!'), 'permanent', '400'],
    ['its own trouble', blueError(500, 'iMessage Error'), 'unknown', '500'],
  ],
};

function blueError(status: number, message: string) {
  return {
    status,
    body: {
      status,
      message: 'You made a bad request',
      error: { type: 'Validation Error', message },
    },
  };
}
