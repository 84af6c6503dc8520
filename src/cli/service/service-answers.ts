import type { HttpAnswer } from '../../platform/http-client.ts';
import { isRecord } from '../../platform/objects.ts';
import { ServiceRefusal, ServiceUnreachable } from './service-errors.ts';

/*
 * What an answer of the service says: a receipt, the JSON that was asked for, or no. What only looks like an answer of
 * the service is told from one.
 */

/** What the sender of a request is answered. */
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
export function checked(answer: HttpAnswer, place: string): Response {
  throwIfRefused(answer, parseAnswer(answer, place), place);
  return Response.json(answer.json, { status: answer.status });
}

/** @throws ServiceRefusal, ServiceUnreachable unless something is served there, whatever it is. */
export function assertServed(answer: HttpAnswer, place: string): void {
  if (answer.status !== 200) throwIfRefused(answer, parseAnswer(answer, place), place);
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
