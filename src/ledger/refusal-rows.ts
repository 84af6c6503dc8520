import type { LostRequests, RefusedRequest } from '../hooks/ports/refusals.ts';
import { integer, optionalInteger, optionalText, text, time, word } from './rows.ts';
import type { Row } from './rows.ts';

const KINDS = ['lost', 'failed', 'unverified', 'repeated'] as const;

export function toRefusal(row: Row): RefusedRequest {
  return {
    at: time(row, 'at'),
    kind: word(row, 'kind', KINDS),
    hook: optionalText(row, 'hook'),
    name: optionalText(row, 'name'),
    client: optionalText(row, 'client'),
    status: integer(row, 'status'),
    code: text(row, 'code'),
    reason: text(row, 'reason'),
    verifiedBy: optionalText(row, 'verified_by'),
    bytes: optionalInteger(row, 'bytes'),
    count: integer(row, 'count'),
  };
}

/** Requests of one hook that were refused alike. @param row with their `count`, and the first of their times as `at` */
export function toLost(row: Row): LostRequests {
  return {
    hook: optionalText(row, 'hook'),
    code: text(row, 'code'),
    status: integer(row, 'status'),
    count: integer(row, 'count'),
    since: time(row, 'at'),
  };
}
