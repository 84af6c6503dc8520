import { Catch, HttpException, Logger } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_NAMES, LedgerUnavailable, Rejection, inWordsOf } from '../hooks/index.ts';
import type { OptionNames } from '../hooks/index.ts';
import { describeError } from '../platform/errors.ts';
import { removedOperation } from '../platform/removed.ts';

// How the service says no: all catalogues, that of the hooks (hooks/ports/rejection.ts) too, share the shape of their
// bodies.

/**
 * Every refusal of the operator API; `{detail}` is filled in where the code is raised. A test compares both catalogues
 * with docs/errors.md.
 */
export const OPS_REFUSALS = {
  operator_unauthorized: {
    status: 401,
    sentence:
      'Send the operator token as "Authorization: Bearer <token>"; the hook token is not accepted here.',
  },
  operator_token_ended: {
    status: 401,
    sentence:
      'This token of an operator has ended; have a new one made: hooks token new --operator {detail}.',
  },
  session_ended: {
    status: 401,
    sentence: 'The session of this browser has ended; log in again with the operator token.',
  },
  foreign_origin: {
    status: 403,
    sentence:
      'Only the console itself may ask with its session: open it at this address. Behind a proxy, have it pass on Host and X-Forwarded-Proto, and name it in gateway.trustedProxies.',
  },
  console_header_missing: {
    status: 403,
    sentence:
      'Send "x-hooks-console: 1" with whatever changes something by the session of the console.',
  },
  role_too_low: {
    status: 403,
    sentence: 'The role of this token does not allow that: {detail} (ops.tokens).',
  },
  loopback_only: {
    status: 403,
    sentence:
      'The operator API answers on loopback only; ask from the same machine, or set ops.exposed.',
  },
  host_not_allowed: {
    status: 421,
    sentence:
      'The operator API is not served under this host name; ask by IP address or as localhost, or add the name to ops.hosts.',
  },
  too_many_auth_failures: {
    status: 429,
    sentence:
      'Too many failed authentications from this address; correct the token and wait as long as Retry-After says.',
  },
  invalid_query: { status: 400, sentence: 'Correct the query: {detail}.' },
  invalid_body: { status: 400, sentence: 'Correct the body: {detail}.' },
  body_too_large: { status: 413, sentence: 'Send at most {detail}.' },
  unknown_event: { status: 404, sentence: 'No event has this id; it may have been forgotten.' },
  unknown_wait: {
    status: 404,
    sentence: 'Nothing of this id waits or waited; GET /ops/api/waits lists what waits.',
  },
  decided_before: {
    status: 409,
    sentence: 'Somebody has decided this already; the story says who.',
  },
  wait_over: {
    status: 409,
    sentence: 'It is too late: the time to decide was over, or the event was forgotten.',
  },
  unknown_run: { status: 404, sentence: 'No run has this id; it may have been forgotten.' },
  unknown_session: {
    status: 404,
    sentence:
      'Nothing was ever written under this key; give the full one, such as agent:main:main.',
  },
  unknown_channel: {
    status: 404,
    sentence: 'No provider serves this channel; configure it under channels.',
  },
  no_configuration_files: {
    status: 501,
    sentence:
      'The application that imports the hooks configures them; there are no files to show or to change.',
  },
  unknown_sample: {
    status: 404,
    sentence: 'There is no such sample; GET /ops/api/samples lists those that there are.',
  },
  no_main_session: {
    status: 404,
    sentence:
      'Only main sessions of configured agents have routes; give a key such as agent:main:main.',
  },
  unknown_sender: {
    status: 404,
    sentence: 'No sender of this name has tokens; GET /ops/api/tokens lists those that have.',
  },
  sender_elsewhere: {
    status: 409,
    sentence: 'This sender stands in {detail}, and files of yours are not edited: change it there.',
  },
  several_tokens: {
    status: 409,
    sentence: 'This sender has {detail} tokens: say which=old to keep the newest, or which=all.',
  },
  demo_configuration: {
    status: 409,
    sentence:
      'Nothing is configured here, and the demo cannot be changed; write a gateway.json5 first (hooks setup).',
  },
  configuration_broken: {
    status: 409,
    sentence:
      'The files of the configuration have problems themselves; correct these first (hooks config check).',
  },
  configuration_read_only: {
    status: 501,
    sentence:
      'The service may not write its configuration directory ({detail}); change the files where they are written.',
  },
  unknown_mapping: {
    status: 404,
    sentence:
      'No mapping of this name was saved here; GET /ops/api/mappings lists those that were.',
  },
  unknown_preset: {
    status: 404,
    sentence:
      'No preset of this name can be enabled here; GET /ops/api/samples lists most of them, and hooks setup --list all.',
  },
  file_not_ours: {
    status: 409,
    sentence:
      '{detail} was written, or changed since, by a person, and files of yours are not edited: change it there, or take another name.',
  },
  configuration_changed: {
    status: 409,
    sentence:
      'Somebody else has written {detail} meanwhile, and nothing was changed: look at what is there now.',
  },
  another_secret: {
    status: 409,
    sentence:
      '{detail} has another secret already; a second one beside it is added by: hooks setup <preset> --rotate.',
  },
  secrets_elsewhere: {
    status: 409,
    sentence:
      'The secrets of this sender belong to {detail}, and files of yours are not edited: change them there.',
  },
  secrets_present: {
    status: 409,
    sentence: 'This hook has secrets already; none that arrives by handshake is taken beside them.',
  },
  no_secret_window: {
    status: 404,
    sentence: 'Nobody waits for a secret of this hook, and none was taken.',
  },
  cannot_sign: {
    status: 409,
    sentence:
      'Only the sender of this hook can sign: what is configured can only check it. Preview the request, or send it as yourself.',
  },
  nothing_to_sign: {
    status: 409,
    sentence:
      'Requests to this hook are not signed: they show a token or a secret, which is told to nobody; put it in yourself.',
  },
  no_token_kept: {
    status: 409,
    sentence:
      'Of the tokens of this hook only digests are kept, so none can be shown; send it as yourself.',
  },
  test_failed: { status: 502, sentence: 'The test message was not sent: {detail}.' },
  nothing_to_retry: {
    status: 409,
    sentence: 'Nothing of this event is dead or waits; there is nothing to retry.',
  },
  event_under_way: {
    status: 409,
    sentence:
      'A run or a delivery that shows this event is under way, and nothing was erased; try again when it has ended.',
  },
  nothing_to_dismiss: {
    status: 409,
    sentence: 'Nothing of this event is dead; there is nothing to dismiss.',
  },
  payload_pruned: {
    status: 410,
    sentence:
      'The payload of this event was forgotten (store.payloadDays); it can be neither replayed nor previewed.',
  },
  search_off: {
    status: 501,
    sentence: 'Search is switched off; set store.search to true and start the service again.',
  },
  search_unavailable: {
    status: 503,
    sentence: 'Events cannot be searched at the moment, and everything else can be done: {detail}.',
  },
  metrics_unavailable: { status: 501, sentence: 'There are no metrics: {detail}.' },
  too_many_streams: {
    status: 503,
    sentence: 'Close one of the 20 streams of events that are open, or ask GET /ops/api/events.',
  },
  not_ready: { status: 503, sentence: 'The service cannot store events at the moment.' },
  stopping: {
    status: 503,
    sentence:
      'The service is stopping: it takes requests until it has ended; send further ones elsewhere.',
  },
} as const satisfies Catalogue;

export const SERVICE_REFUSALS = {
  bad_request: { status: 400, sentence: 'Send a well-formed HTTP/1.1 request.' },
  bad_url: { status: 400, sentence: 'Send a URL whose percent-encoding is valid.' },
  not_found: {
    status: 404,
    sentence: 'Nothing is served at this address; correct the path or the method.',
  },
  console_not_built: {
    status: 404,
    sentence: 'The console is not part of this installation; build it with: npm run build.',
  },
  request_timeout: { status: 408, sentence: 'Send the whole request faster.' },
  url_too_long: { status: 414, sentence: 'Send a shorter URL.' },
  headers_too_large: {
    status: 431,
    sentence:
      'Send fewer or shorter headers; a browser does once the cookies of this host are deleted.',
  },
  internal_error: {
    status: 500,
    sentence:
      'Something broke while this request was handled; send it again, and tell the operator if it repeats.',
  },
} as const satisfies Catalogue;

const REFUSALS = { ...OPS_REFUSALS, ...SERVICE_REFUSALS };

type Catalogue = Readonly<Record<string, { readonly status: number; readonly sentence: string }>>;

export type RefusalCode = keyof typeof REFUSALS;

/** The JSON shape of every refusal and failure of the service, that of the hooks included. */
export interface ErrorBody {
  readonly ok: false;
  readonly error: string;
  readonly code: string;
}

/** A refusal of the service as an exception. Where there is no handler to throw in, its parts can be sent as they are. */
export class Refusal extends HttpException {
  constructor(
    /** For programs; never changes its meaning. */
    readonly code: RefusalCode,
    detail = '',
    /** For `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(Refusal.body(code, detail), Refusal.status(code));
  }

  static status(code: RefusalCode): number {
    return REFUSALS[code].status;
  }

  /** @param detail ends the sentence, for codes whose sentence has a place for it */
  static body(code: RefusalCode, detail = ''): ErrorBody {
    return { ok: false, error: REFUSALS[code].sentence.replace('{detail}', () => detail), code };
  }
}

/** Every error of the service that the hooks have not answered themselves, in the same JSON shape. */
@Catch()
export class JsonErrorsFilter implements ExceptionFilter {
  readonly #logger = new Logger('Service');

  /** @param names of options, for whoever asks */
  constructor(private readonly names: OptionNames = GATEWAY_NAMES) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { status, body, retryAfterSeconds } = errorAnswer(error);
    const { method, url } = host.switchToHttp().getRequest<FastifyRequest>();
    const removed =
      status === 404 ? removedOperation(method, url.replace(/[?#].*/s, '')) : undefined;
    // Without the stack, which holds paths of the machine. 501 to 503 are no failures of the program.
    if (error instanceof Refusal && status === 502) this.#logger.warn(body.error);
    else if (status >= 500 && status !== 501 && status !== 503) {
      this.#logger.error(`a request failed: ${describeError(error)}`);
    }
    if (reply.sent) return;
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    if (retryAfterSeconds !== undefined)
      void reply.header('retry-after', String(retryAfterSeconds));
    void reply.code(status).send({ ...body, error: removed ?? inWordsOf(this.names, body.error) });
  }
}

interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterSeconds?: number | undefined;
}

/** What is answered for anything that was thrown: its own words when it has some for a client, else a fixed text. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof LedgerUnavailable) return errorAnswer(new Rejection('store_unavailable'));
  if (error instanceof Rejection) {
    const { status, code, message, retryAfterSeconds } = error;
    return { status, body: { ok: false, error: message, code }, retryAfterSeconds };
  }
  const own = ownBody(error);
  const status = errorStatus(error);
  if (own !== undefined) return { status, body: own, retryAfterSeconds: retryAfter(error) };
  if (isRefusedByHost(error, status)) {
    return { ...errorAnswer(new Rejection('refused_by_host')), status };
  }
  const code = codeForStatus(status);
  return {
    status: code === 'bad_request' ? status : Refusal.status(code),
    body: Refusal.body(code),
  };
}

function errorStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error) || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' ? error.statusCode : 500;
}

/** A guard of the application around the console said no; the status is its word. Ours bring bodies of their own. */
function isRefusedByHost(error: unknown, status: number): boolean {
  return error instanceof HttpException && status > 400 && status < 500 && status !== 404;
}

/** A refusal of a module of ours brings its body along. */
function ownBody(error: unknown): ErrorBody | undefined {
  const body = error instanceof HttpException ? error.getResponse() : undefined;
  return isErrorBody(body) ? body : undefined;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'ok' in body && 'code' in body;
}

/** Seconds, for errors that say when to come back. */
function retryAfter(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('retryAfterSeconds' in error)) return undefined;
  return typeof error.retryAfterSeconds === 'number' ? error.retryAfterSeconds : undefined;
}

function codeForStatus(status: number): RefusalCode {
  if (status === 404) return 'not_found';
  if (status === 414) return 'url_too_long';
  return status >= 400 && status < 500 ? 'bad_request' : 'internal_error';
}
