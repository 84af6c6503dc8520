import { HttpException } from '@nestjs/common';

/**
 * Every refusal of the operator API: code, status, and what to do. `{detail}` is filled in where the code is raised.
 * `docs/errors.md` mirrors it.
 */
export const OPS_REFUSALS = {
  operator_unauthorized: {
    status: 401,
    sentence:
      'Send the operator token as "Authorization: Bearer <token>"; the hook token is not accepted here.',
  },
  loopback_only: {
    status: 403,
    sentence:
      'The operator API answers on loopback only; ask from the same machine, or set ops.exposed.',
  },
  too_many_auth_failures: {
    status: 429,
    sentence:
      'Too many failed authentications from this address; correct the token and wait as long as Retry-After says.',
  },
  invalid_query: { status: 400, sentence: 'Correct the query: {detail}.' },
  invalid_body: { status: 400, sentence: 'Correct the body: {detail}.' },
  body_too_large: { status: 413, sentence: 'Send at most 2 MB.' },
  unknown_event: { status: 404, sentence: 'No event has this id; it may have been forgotten.' },
  unknown_session: {
    status: 404,
    sentence:
      'Nothing was ever written under this key; give the full one, such as agent:main:main.',
  },
  unknown_channel: {
    status: 404,
    sentence: 'No provider serves this channel; configure it under channels.',
  },
  test_failed: { status: 502, sentence: 'The test message was not sent: {detail}.' },
  nothing_to_retry: {
    status: 409,
    sentence: 'Nothing of this event is dead; there is nothing to retry.',
  },
  payload_pruned: {
    status: 410,
    sentence:
      'The payload of this event was forgotten (store.payloadDays); it can be neither replayed nor previewed.',
  },
  not_ready: { status: 503, sentence: 'The service cannot store events at the moment.' },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type OpsRefusalCode = keyof typeof OPS_REFUSALS;

/** A refusal of the operator API, in the same JSON shape as every other of the service. */
export class OpsRefusal extends HttpException {
  constructor(
    readonly code: OpsRefusalCode,
    detail = '',
    /** For `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    const { status, sentence } = OPS_REFUSALS[code];
    const error = sentence.replace('{detail}', () => detail);
    super({ ok: false, error, code }, status);
  }
}
