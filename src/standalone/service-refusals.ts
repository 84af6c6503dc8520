/**
 * What the service answers outside the hooks and the operator API: code, status and what to do.
 * `docs/errors.md` mirrors it.
 */
export const SERVICE_REFUSALS = {
  bad_request: { status: 400, sentence: 'Send a well-formed HTTP/1.1 request.' },
  bad_url: { status: 400, sentence: 'Send a URL whose percent-encoding is valid.' },
  not_found: {
    status: 404,
    sentence: 'Nothing is served at this address; correct the path or the method.',
  },
  request_timeout: { status: 408, sentence: 'Send the whole request faster.' },
  url_too_long: { status: 414, sentence: 'Send a shorter URL.' },
  headers_too_large: { status: 431, sentence: 'Send fewer or shorter headers.' },
  internal_error: {
    status: 500,
    sentence:
      'Something broke while this request was handled; send it again, and tell the operator if it repeats.',
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ServiceRefusalCode = keyof typeof SERVICE_REFUSALS;

/** The JSON shape of every refusal and failure of the service. */
export interface ErrorBody {
  readonly ok: false;
  readonly error: string;
  readonly code: string;
}

/** The body of one refusal. */
export function errorBody(code: ServiceRefusalCode): ErrorBody {
  return { ok: false, error: SERVICE_REFUSALS[code].sentence, code };
}
