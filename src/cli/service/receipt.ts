import type { Answered } from './http-exchange.ts';
import { objectOf, throwIfRefused } from './service-answer.ts';

/** What a sender is told. */
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
export function readReceipt(answer: Answered, url: URL): Receipt {
  const { status, headers } = answer;
  const isRepeat = headers['idempotent-replayed'] === 'true';
  if (status === 204) {
    return { status, eventId: textOf(headers['event-id']), isRepeat, warnings: [] };
  }
  const body = objectOf(answer, url);
  const { eventId, warnings, code, error } = body;
  const id = textOf(eventId);
  if (status >= 400 && id !== null) {
    const failure = { code: textOf(code) ?? '', error: textOf(error) ?? '' };
    return { status, eventId: id, isRepeat, warnings: [], failure };
  }
  throwIfRefused(answer, body, url);
  return { status, eventId: id, isRepeat, warnings: textsOf(warnings) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
