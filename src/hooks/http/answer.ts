import { HttpException } from '@nestjs/common';
import type { Accepted } from '../actions/accept.ts';
import { Rejection } from '../rejection.ts';

/**
 * What is sent back: decided as data, written by the `AnswerWriter`.
 * @publicApi
 */
export interface HookAnswer {
  readonly status: number;
  /** Absent for 204. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log. */
  readonly eventId?: string;
}

/** What the sender of an accepted event is told (behaviour.md §2). A repeat gets the same words as the first time. */
export function toAnswer({ receipt, isReplay }: Accepted): HookAnswer {
  const { eventId, actions, warnings } = receipt;
  const replayed: Record<string, string> = isReplay ? { 'idempotent-replayed': 'true' } : {};
  const [first] = actions;
  if (first === undefined) {
    // Without a body, a header is the only place for the event's id.
    return { status: 204, eventId, headers: { 'event-id': eventId, ...replayed } };
  }
  const runIds = actions.flatMap((action) => (action.kind === 'agent' ? [action.runId] : []));
  const body = {
    ok: true,
    ...(first.kind === 'wake' ? { mode: first.mode } : { runId: first.runId }),
    ...(actions.length > 1 && runIds.length > 0 && { runIds }),
    eventId,
    ...(warnings.length > 0 && { warnings }),
  };
  return { status: 200, body, eventId, ...(isReplay && { headers: replayed }) };
}

/** A rejection as the sender sees it; with `eventId`, what came of it is kept as a failed event. */
export function toRefusal(rejection: Rejection, eventId?: string): HookAnswer {
  const { status, message, code, retryAfterSeconds } = rejection;
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 405) headers['allow'] = 'POST';
  if (retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  }
  const body = { ok: false, error: message, code, ...(eventId !== undefined && { eventId }) };
  return { status, headers, body, ...(eventId !== undefined && { eventId }) };
}

/** What is sent for anything thrown; null: not a refusal but a failure, which answers `internal_error`. */
export function parseRefusal(error: unknown): HookAnswer | null {
  if (error instanceof Rejection) return toRefusal(error);
  if (error instanceof HttpException && error.getStatus() >= 400 && error.getStatus() < 500) {
    // A guard or an interceptor of the host's own said no; the status is its word.
    return { ...toRefusal(new Rejection('refused_by_host')), status: error.getStatus() };
  }
  return null;
}
