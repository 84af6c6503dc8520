import type { ServerResponse } from 'node:http';

/** Everything that the relay itself says to a sender (docs/errors.md). */
export const RELAY_REFUSALS = {
  not_found: { status: 404, sentence: 'Only hooks are relayed; correct the path.' },
  relay_busy: { status: 503, sentence: 'Too many requests of this address are under way.' },
  listener_away: { status: 503, sentence: 'The service behind this relay is away; send it again.' },
} as const;
const RETRY_AFTER_SECONDS = { not_found: undefined, relay_busy: 1, listener_away: 30 };

export function refuse(response: ServerResponse, code: keyof typeof RELAY_REFUSALS): void {
  const { status, sentence: error } = RELAY_REFUSALS[code];
  const seconds = RETRY_AFTER_SECONDS[code];
  const headers = seconds === undefined ? undefined : { 'retry-after': String(seconds) };
  answer(response, status, { ok: false, error, code }, headers);
}

/** 200 and no other: for Mailgun, Meta and some others any other one of 2xx is a failure. */
export function answerKept(response: ServerResponse): void {
  answer(response, 200, { ok: true, kept: true });
}

function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
    // What is left of a body that was refused early is not a request of its own.
    ...(response.req.complete ? {} : { connection: 'close' }),
  });
  response.end(JSON.stringify(body));
}
