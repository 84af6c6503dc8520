import type { Script } from '../scripted-server.ts';
import { json, retryAfter, say } from './platform.ts';
import type { PlatformSpeech } from './platform.ts';

const PASSWORD = 'blue bubbles/secret';
const QUERY = '?password=blue%20bubbles%2Fsecret';

/** What every answer of `GET /api/v1/server/info` says before the message (generalInterface.ts, getServerMetadata). */
export function serverInfo(os_version: string): Script {
  const data = { os_version, server_version: '1.9.9', private_api: false, helper_connected: false };
  return { body: { status: 200, message: 'Success', data } };
}

/**
 * A Mac with this system behind the BlueBubbles server 1.9.9
 * (https://github.com/BlueBubblesApp/bluebubbles-server/tree/f2e22862/packages/server/src/server): routes in
 * api/http/api/v1/httpRoutes.ts, answers in routers/messageRouter.ts (sendText), refusals in responses/errors.ts. It shows
 * a message to a person only under the name that the Mac gives the conversation (bluebubbles-helper#48,
 * managers/outgoingMessageManager/messagePromise.ts, isSameChatGuid).
 */
export function imessageOn(version: string): PlatformSpeech {
  const service = Number.parseInt(version, 10) >= 16 ? 'any' : 'iMessage';
  return {
    provider: 'imessage',
    settings: (apiRoot) => ({ apiRoot, password: PASSWORD }),
    secret: PASSWORD,
    to: '+49 170 1234567',
    unfit: ['', ' '],
    limit: 4000,
    knowsKeys: false,
    // pollers/MessagePoller.ts resolves a message once it is in chat.db, sent or not yet.
    refusesLater: true,
    requestsBefore: 1,
    message: ({ method, path, body }) =>
      method === 'POST' &&
      path === `/api/v1/message/text${QUERY}` &&
      [`${service};-;+491701234567`, `${service};-;ada@example.com`, 'iMessage;+;chat123'].includes(
        say(body, 'chatGuid'),
      )
        ? { to: say(body, 'chatGuid'), text: say(body, 'message') }
        : undefined,
    answer: ({ method, path }, shown, n) => {
      if (method === 'GET' && path === `/api/v1/server/info${QUERY}`) {
        return json(200, serverInfo(version).body);
      }
      if (!path.endsWith(QUERY)) return json(401, blueError(401, 'Unauthorized').body);
      if (shown === undefined) return json(500, sendError({}).body);
      return json(200, { status: 200, message: 'Message sent!', data: { guid: `guid-${n}` } });
    },
    limited: (seconds) => ({
      status: 429,
      headers: retryAfter(seconds),
      body: 'Too many requests',
    }),
    refusals: [
      ['a wrong password', blueError(401, 'Unauthorized'), 'auth', '401'],
      ['a field that is missing', blueError(400, "A 'message' is required …"), 'permanent', '400'],
      // validators/messageValidator.ts, validateText
      ['an attempt under way', alreadyQueued('a1b2c3'), 'retryable', '400'],
      // routers/messageRouter.ts: the promise timed out, though people may see the message (bluebubbles-server#801)
      ['a send that timed out', sendError({}), 'unknown', '500'],
      // The column `error` of chat.db, as the server attaches the message
      ['somebody without iMessage', sendError({ data: { error: 22 } }), 'permanent', '22'],
      ['another error of Messages', sendError({ data: { error: 4 } }), 'unknown', '4'],
      // helpers/utils.ts, checkPrivateApiStatus
      [
        'no Private API',
        sendError({ error: 'iMessage Private API is not enabled!' }),
        'permanent',
        '500',
      ],
      [
        'a helper that is away',
        sendError({ error: 'iMessage Private API Helper is not connected!' }),
        'retryable',
        '500',
      ],
    ],
  };
}

export const imessage = imessageOn('26.1');

export function alreadyQueued(tempGuid: string): Script {
  return blueError(400, `Message is already queued to be sent! (Temp GUID: ${tempGuid})`);
}

function sendError({ error, data = null }: { error?: string; data?: object | null }): Script {
  const message = error ?? 'Failed to send message! See attached message error code.';
  return {
    status: 500,
    body: {
      status: 500,
      message: 'Message Send Error',
      error: { type: 'iMessage Error', message },
      data,
    },
  };
}

function blueError(status: number, message: string): Script {
  const type = status === 401 ? 'Authentication Error' : 'Validation Error';
  return {
    status,
    body: { status, message: 'You made a bad request', error: { type, message } },
  };
}
