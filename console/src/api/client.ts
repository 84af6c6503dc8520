import createClient from 'openapi-fetch';
import type { components, paths } from '../../../docs/openapi.d.ts';
import { OPERATOR } from '../mount.ts';
import { away, session } from './session.ts';

// The operator API as the console uses it: one client, typed by docs/openapi.json, and one kind of failure.

type Schemas = components['schemas'];

/** A type of the operator API by its name in docs/openapi.json. */
export type Api<Name extends keyof Schemas> = Schemas[Name];

/** What the service refused, in its own words, or that it could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    /** Stable code of the service (docs/errors.md); `unreachable`: there was no answer. */
    readonly code: string,
    /** 0: there was no answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** The header that a page of another origin cannot send along: the service takes no changing call without it. */
const OWN_HEADER = { 'x-hooks-console': '1' };

const http = createClient<paths>({
  baseUrl: OPERATOR.href,
  headers: OWN_HEADER,
  credentials: 'same-origin',
});

export const api = {
  GET: http.GET,
  POST: http.POST,
  PUT: http.PUT,
  DELETE: http.DELETE,
};

/**
 * The answer's body. A session that has ended shows the log-in.
 * @throws ApiError
 */
export async function answer<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call.catch((): never => unreachable());
  // A proxy speaks for it.
  if (error !== undefined && GATEWAY.has(response.status) && !isOurs(error)) unreachable();
  away.value = false;
  if (response.ok) return data as T;
  const { code, sentence } = refusalOf(error, response);
  if (code === 'session_ended' || code === 'operator_unauthorized')
    session.value = { state: 'out' };
  throw new ApiError(sentence, code, response.status);
}

/** What a proxy answers while nobody is behind it. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

function unreachable(): never {
  away.value = true;
  throw new ApiError('The service does not answer. Is it running?', 'unreachable', 0);
}

function isOurs(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string';
}

/** Shows the log-in if the session has ended, for what is not told so by itself, e.g. a stream that breaks off. */
export async function checkSession(): Promise<void> {
  const { loggedIn } = await answer(api.GET('/ops/api/session'));
  if (!loggedIn) session.value = { state: 'out' };
}

function refusalOf(error: unknown, { status }: Response): { code: string; sentence: string } {
  const { code, error: sentence } = (error ?? {}) as { code?: string; error?: string };
  return {
    code: code ?? 'unknown',
    sentence: sentence ?? `The service answered ${status} without saying why.`,
  };
}
