import type { RefusalKind } from './index.ts';

/**
 * Every refusal and failure a sender can meet; `{detail}` is filled in where it is raised. A test compares it with
 * docs/errors.md.
 */
export const REJECTIONS = {
  token_in_query: {
    status: 400,
    sentence: 'Send the token in the Authorization header; tokens in the query string are refused.',
  },
  method_not_allowed: { status: 405, sentence: 'Use {detail}.' },
  unauthorized: {
    status: 401,
    sentence:
      'The hook token is missing or wrong; send it as "Authorization: Bearer <token>" or in x-gateway-token.',
  },
  too_many_auth_failures: {
    status: 429,
    sentence:
      'Too many failed authentications from this address; correct the token and wait as long as Retry-After says.',
  },
  invalid_signature: { status: 401, sentence: 'The sender could not be verified: {detail}.' },
  verification_unavailable: {
    status: 503,
    sentence:
      'What the signature is verified with could not be fetched; send the request again later.',
  },
  verification_busy: {
    status: 503,
    sentence: 'Too many large bodies wait to be verified; send the request again later.',
  },
  intake_busy: {
    status: 503,
    sentence: 'Too many bytes are under way to the store; send the request again in a few seconds.',
  },
  unsupported_media_type: { status: 415, sentence: '{detail}.' },
  payload_too_large: { status: 413, sentence: 'Send at most {detail} bytes.' },
  body_timeout: { status: 408, sentence: 'Send the whole body within {detail} seconds.' },
  invalid_json: { status: 400, sentence: 'Send a body that is valid JSON in UTF-8: {detail}.' },
  invalid_body: { status: 400, sentence: 'Send a body that is {detail}.' },
  invalid_payload: { status: 400, sentence: '{detail}.' },
  unknown_hook: {
    status: 404,
    sentence: 'No hook has this name; use wake, agent or the path of a configured mapping.',
  },
  invalid_query: { status: 400, sentence: 'Correct the query: {detail}.' },
  unknown_run: {
    status: 404,
    sentence:
      'No run of yours has this id; ask with the token that it was made with, and before it is forgotten.',
  },
  run_unavailable: {
    status: 503,
    sentence: 'What became of the run cannot be looked up now; ask again in a few seconds.',
  },
  too_many_waits: {
    status: 429,
    sentence:
      'Too many requests wait for runs with this token; ask without wait, or when one of them has been answered.',
  },
  waits_full: {
    status: 503,
    sentence: 'Too many requests wait for runs; ask without wait, or again in a few seconds.',
  },
  session_key_not_allowed: { status: 400, sentence: '{detail}.' },
  agent_not_allowed: {
    status: 400,
    sentence: 'The agent {detail} is not in hooks.allowedAgentIds; name an allowed agent or none.',
  },
  model_not_allowed: { status: 400, sentence: '{detail}.' },
  refused_by_host: {
    status: 403,
    sentence: 'The application that serves this hook refused the request; ask its operator.',
  },
  invalid_idempotency_key: {
    status: 400,
    sentence: 'Send an idempotency key of 1 to 256 characters.',
  },
  idempotency_conflict: {
    status: 422,
    sentence:
      'This idempotency key came before with another body; use a fresh key for a new request.',
  },
  signature_reused: {
    status: 401,
    sentence: 'This signature came before with another body; sign each request anew.',
  },
  mapping_failed: {
    status: 500,
    sentence: 'The mapping of this hook broke; the event is kept as failed and can be replayed.',
  },
  transform_failed: {
    status: 500,
    sentence: 'The transform of this hook broke; the event is kept as failed and can be replayed.',
  },
  transform_timeout: {
    status: 504,
    sentence:
      'The transform of this hook took too long; the event is kept as failed and can be replayed.',
  },
  transform_queue_full: {
    status: 503,
    sentence: 'Too many requests wait for a transform; send the request again later.',
  },
  event_queue_full: {
    status: 503,
    sentence: 'Too many system events wait for the agent; send the request again later.',
  },
  hook_queue_full: {
    status: 503,
    sentence: 'Too many runs of this hook wait for their turn; send the request again later.',
  },
  budget_used_up: {
    status: 503,
    sentence:
      'The budget for what this request asks is used up; send it again after as long as Retry-After says.',
  },
  paused: {
    status: 503,
    sentence: 'The operator paused the intake; send the request again later.',
  },
  shutting_down: {
    status: 503,
    sentence: 'The service is shutting down; send the request again in a few seconds.',
  },
  store_unavailable: {
    status: 503,
    sentence: 'The event could not be stored; nothing was accepted, send the request again later.',
  },
  internal_error: {
    status: 500,
    sentence:
      'Something broke while this request was handled; send it again, and tell the operator if it repeats.',
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

/** The stable code of a refusal (docs/errors.md). */
export type RejectionCode = keyof typeof REJECTIONS;

/** Who has shown who it is and may not speak here all the same: for the operator alone, never sent. */
export interface KnownSender {
  readonly verifiedBy: string;
  readonly reason: string;
}

/**
 * A request refused, or failed, with one code of the catalogue. Never carries a payload, a token or a path of the
 * machine.
 */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: RejectionCode;
  readonly status: number;
  /** Seconds for `Retry-After`; every 503 has them. */
  readonly retryAfterSeconds: number | undefined;
  readonly detail: string;
  /** Who it was, where that is known though it was not let in. */
  readonly known: KnownSender | undefined;

  constructor(code: RejectionCode, detail = '', retryAfterSeconds?: number, known?: KnownSender) {
    // Without a stack: a refusal is an answer and no fault of the code, and a flood of them must stay cheap.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(REJECTIONS[code].sentence.replace('{detail}', () => detail));
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.detail = detail;
    this.known = known;
    this.status = REJECTIONS[code].status;
    this.retryAfterSeconds = retryAfterSeconds ?? (this.status === 503 ? 5 : undefined);
  }
}

/** For the operator: what was wrong with requests that are lost, and what to do. Other codes speak for themselves. */
const REMEDIES: Partial<Record<string, { readonly as: string; readonly todo: string }>> = {
  payload_too_large: {
    as: 'too large',
    todo: 'raise maxBodyBytes, or let the sender send less at a time (Alertmanager: max_alerts)',
  },
  unsupported_media_type: {
    as: 'the wrong content type',
    todo: 'let the sender send the Content-Type that the hook takes, uncompressed',
  },
  body_timeout: {
    as: 'too slow',
    todo: 'look at the connection of the sender, or raise bodyTimeoutSeconds',
  },
  invalid_json: { as: 'invalid JSON', todo: 'look at what the sender sends' },
};

/** Codes whose sentence may quote what the sender sent: it goes into the answer, and into no log. */
const QUOTING: ReadonlySet<string> = new Set<RejectionCode>([
  'invalid_payload',
  'session_key_not_allowed',
  'agent_not_allowed',
  'model_not_allowed',
]);

/** Whether the sentence of a refusal with this code may be logged. */
export function isLoggable(code: string): boolean {
  return !QUOTING.has(code);
}

/** Requests that were refused alike, and what to do: as one of many things, or with their count as a sentence. */
export function describeRefused(
  refused: { hook: string | null; code: string; status: number; kind?: RefusalKind },
  count?: number,
): { readonly what: string; readonly todo: string } {
  const { hook, code, status, kind } = refused;
  const { as, todo } = REMEDIES[code] ?? {
    as: code,
    todo: 'see why in the list of refused requests',
  };
  const where = hook === null ? 'to a hook that is not there' : `to ${hook}`;
  const how = `refused as ${as} (${status})`;
  if (count === undefined)
    return { what: `${kind === 'unverified' ? 'unverified ' : ''}request ${where} ${how}`, todo };
  const who = count === 1 ? '1 request' : `${count} requests`;
  return { what: `${who} ${where} ${count === 1 ? 'was' : 'were'} ${how}`, todo };
}
