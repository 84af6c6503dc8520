import type { HttpAnswer, HttpError, HttpFailure } from '../../platform/http-client.ts';
import { isRecord } from '../../platform/objects.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';

/* The service answers no (`ServiceRefusal`, 1), or what answers, if anything, is not it (`ServiceUnreachable`, 3). */

const UNKNOWN_HOOK =
  'Is its preset in hooks.presets (hooks setup <preset>)? See why no mapping takes it: hooks preview <hook> --payload FILE';

/** What an operator does about a refusal, by its code; the service's own sentence stands before it. */
const HINTS: Readonly<Record<string, string>> = {
  operator_unauthorized:
    'The service has another operator token than this configuration: set GATEWAY_CONFIG_DIR to its directory, or give --token-file.',
  unauthorized:
    'The service has another hook token than this configuration: set GATEWAY_CONFIG_DIR to its directory.',
  invalid_signature:
    'A sender signs there. The service has another secret than this configuration, or none of it was used: set GATEWAY_CONFIG_DIR to its directory; a sample is signed by: hooks send <preset> <event>',
  role_too_low: 'Ask with the token of somebody who may: --token-file.',
  loopback_only: 'Ask on the machine of the service, without a proxy between.',
  host_not_allowed: 'Or give --ops-url an address that it is served under.',
  unknown_event: 'See which there are: hooks events list',
  unknown_channel: 'See which there are: hooks channels list',
  unknown_session: 'See which there are: hooks sessions',
  unknown_hook: UNKNOWN_HOOK,
  not_found:
    'Is hooks.enabled true? Is hooks.path (or --url) what the service has? A change of the path needs a restart. With ops.listen, the operator API is at --ops-url.',
  idempotency_conflict: 'Give another --idempotency-key, or none.',
  paused: 'An operator resumes it: hooks resume',
  no_secret_window:
    'A window closes after ten minutes, and what it took is forgotten after an hour or by a restart. Begin again: hooks setup <preset>',
  nothing_to_retry: 'To send its request once more: hooks events replay ID',
};

const LONGEST_SENTENCE = 2000;

/** The service answered no: 1. */
export class ServiceRefusal extends CliError {
  constructor(
    readonly status: number,
    readonly code: string,
    sentence: string,
  ) {
    const hint = HINTS[code] ?? (status >= 500 ? 'The log of the service says more.' : undefined);
    super(asLine(sentence).slice(0, LONGEST_SENTENCE), hint, EXIT.failed);
  }
}

/** There is no service, or none that answers: 3. */
export class ServiceUnreachable extends CliError {
  /**
   * @param place as people read it.
   * @param reason a code of the system or of TLS, or `TIMEOUT`, `TOO_LARGE`, `STRANGER` or `REDIRECT`.
   */
  constructor(
    place: string,
    readonly reason: string,
  ) {
    const [what, hint] = explain(reason);
    super(`The service at ${place} ${what}.`, hint, EXIT.unreachable);
  }

  static because(place: string, { kind, code = 'unknown' }: HttpError): ServiceUnreachable {
    return new ServiceUnreachable(place, REASONS[kind] ?? code);
  }
}

const REASONS: Readonly<Partial<Record<HttpFailure, string>>> = {
  'timed-out': 'TIMEOUT',
  'too-large': 'TOO_LARGE',
};

/** Whether a service that restarts or is short of something answers like this: asking again may help. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceRefusal) return error.status >= 500;
  return error instanceof ServiceUnreachable && error.reason !== 'STRANGER';
}

const START_IT = 'Start it with: hooks start';

function explain(reason: string): readonly [what: string, hint: string] {
  switch (reason) {
    case 'TIMEOUT':
      return ['did not answer in time', 'Is it busy or stopped? Its log says more.'];
    case 'TOO_LARGE':
      return ['answered with more than 64 MB', 'Ask it by hand; such an answer is not read.'];
    case 'STRANGER':
      return [
        'is not this service',
        'Something else listens there; correct gateway.port, ops.listen or --url.',
      ];
    case 'REDIRECT':
      return ['redirects', 'Redirects are not followed, tokens would go elsewhere; correct --url.'];
    case 'ENOENT':
      return ['cannot be reached (ENOENT: there is no such socket)', START_IT];
    case 'EACCES':
      return [
        'cannot be reached (EACCES: this user may not connect)',
        "Run it as the service's user, or as one of its group.",
      ];
    case 'ECONNREFUSED':
      return ['cannot be reached (ECONNREFUSED: nothing listens there)', START_IT];
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return [`cannot be reached (${reason}: it speaks no TLS)`, 'Write --url with http://.'];
    case 'ECONNRESET':
    case 'EPIPE':
      return [`broke off (${reason})`, `Was it stopped or restarted? ${START_IT}`];
    default:
      return [`cannot be reached (${asLine(reason)})`, `Correct --url, or: ${START_IT}`];
  }
}

export interface Receipt {
  readonly status: number;
  /** Null: an answer without a body that names none. */
  readonly eventId: string | null;
  /** True: the same key came before, and nothing new was done. */
  readonly isRepeat: boolean;
  readonly warnings: readonly string[];
  /** Set when the request was kept as a failed event: why it failed. */
  readonly failure?: { readonly code: string; readonly error: string };
}

/** @throws ServiceRefusal unless an event was kept; ServiceUnreachable */
export function readReceipt(answer: HttpAnswer, place: string): Receipt {
  const { status, headers } = answer;
  const isRepeat = headers.get('idempotent-replayed') === 'true';
  if (status === 204) {
    return { status, eventId: toText(headers.get('event-id')), isRepeat, warnings: [] };
  }
  const body = parseAnswer(answer, place);
  const { eventId, warnings, code, error } = body;
  const id = toText(eventId);
  if (status >= 400 && id !== null) {
    const failure = { code: toText(code) ?? '', error: toText(error) ?? '' };
    return { status, eventId: id, isRepeat, warnings: [], failure };
  }
  throwIfRefused(answer, body, place);
  return { status, eventId: id, isRepeat, warnings: toTexts(warnings) };
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** An answer as JSON object. @throws ServiceUnreachable when it is none that this service gives */
function parseAnswer({ status, json }: HttpAnswer, place: string): Record<string, unknown> {
  if (status >= 300 && status < 400) throw new ServiceUnreachable(place, 'REDIRECT');
  if (isRecord(json)) return json;
  throw new ServiceUnreachable(place, 'STRANGER');
}

/** An answer of 2xx with a JSON object. @throws ServiceRefusal, ServiceUnreachable */
export function checked(answer: HttpAnswer, place: string): object {
  const body = parseAnswer(answer, place);
  throwIfRefused(answer, body, place);
  return body;
}

/** @throws ServiceRefusal, ServiceUnreachable when the status is none of success. */
function throwIfRefused(
  { status }: HttpAnswer,
  { error, code }: Record<string, unknown>,
  place: string,
): void {
  if (status >= 200 && status < 300) return;
  if (typeof error !== 'string' || typeof code !== 'string') {
    throw new ServiceUnreachable(place, 'STRANGER');
  }
  throw new ServiceRefusal(status, code, error);
}
