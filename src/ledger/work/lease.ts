import type { Lane } from '../../hooks/ports/jobs.ts';
import type { Lease, WorkPart } from '../../hooks/ports/work-ledger.ts';
import { integer, isTrue, optionalText, storedJson, text, word } from '../rows.ts';
import type { Row } from '../rows.ts';
import { KINDS } from '../work-rows.ts';

/**
 * A lease with its job, as the step will see it.
 * @param row of the work, before it was leased
 * @param part of the first part of a delivery that was cut; undefined: it never was
 */
export function toLease(lane: Lane, row: Row, attempt: number, part: Row | undefined): Lease {
  return {
    workId: integer(row, 'id'),
    lane,
    key: text(row, 'key'),
    kind: word(row, 'kind', KINDS),
    ref: optionalText(row, 'ref'),
    eventId: optionalText(row, 'event_id'),
    attempt,
    failures: integer(row, 'failures'),
    crashes: integer(row, 'crashes'),
    mayHaveActed: isTrue(row, 'acting'),
    since: integer(row, 'since'),
    // The kind says whose job it is.
    job: storedJson(text(row, 'job')),
    ...(part !== undefined && { part: toPart(part) }),
  };
}

function toPart(row: Row): WorkPart {
  return { text: text(row, 'text'), place: integer(row, 'place'), count: integer(row, 'count') };
}
