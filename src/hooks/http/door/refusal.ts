import { HttpException } from '@nestjs/common';
import { Rejection } from '../../rejections/index.ts';
import type { Answer } from '../answer.ts';

/** What is sent for anything thrown; null: not a refusal but a failure, which answers `internal_error`. */
export function refusalOf(error: unknown): Answer | null {
  if (error instanceof Rejection) return answerOf(error);
  if (error instanceof HttpException && error.getStatus() >= 400 && error.getStatus() < 500) {
    // A guard or an interceptor of the host's own said no; the status is its word.
    return { ...answerOf(new Rejection('refused_by_host')), status: error.getStatus() };
  }
  return null;
}

/** A rejection as the sender sees it. */
export function answerOf(rejection: Rejection): Answer {
  const { status, message, code, retryAfterSeconds } = rejection;
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 405) headers['allow'] = 'POST';
  if (retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  }
  return { status, headers, body: { ok: false, error: message, code } };
}
