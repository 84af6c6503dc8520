import { CliError } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import type { ServiceClient } from '../service/service-client.ts';

// Ids begin with the time, so the events of one beginning are those of a span of time.

const WHOLE = 36;
/** Of the time in an id, in hexadecimal digits. */
const DIGITS_OF_TIME = 12;
/** Fewer would be a span of many minutes. */
const FEWEST_DIGITS = 8;
const BEGINNING = /^[\da-f]{8}(?:-[\da-f]{0,4}){0,4}$/;
const MOST_LISTED = 200;
const MOST_NAMED = 5;

export const EVENT_ID = 'id of the event, its beginning (13 characters usually do), or: last';

/**
 * What cannot be the beginning of an id is given back. @throws CliError when several begin so, or there is no last one
 */
export async function findEventId(
  service: Pick<ServiceClient, 'events'>,
  text: string,
): Promise<string> {
  if (text === 'last') {
    const { events } = await service.events({ limit: 1 });
    if (events[0] !== undefined) return events[0].id;
    throw new CliError('There are no events yet.', 'Send one: hooks send wake --text hello');
  }
  const span = spanOf(text);
  if (span === null) return text;
  const { events, nextCursor } = await service.events({ ...span, limit: MOST_LISTED });
  const found = events.map(({ id }) => id).filter((id) => id.startsWith(text));
  if (found.length > 1 || nextCursor !== null) throw several(text, found);
  return found[0] ?? text;
}

/** When events were accepted whose ids begin like that; null: it is a whole id, or none. */
function spanOf(text: string): { since: string; until: string } | null {
  if (!BEGINNING.test(text) || text.length === WHOLE) return null;
  const digits = text.replaceAll('-', '').slice(0, DIGITS_OF_TIME);
  if (digits.length < FEWEST_DIGITS) return null;
  const first = new Date(parseInt(digits.padEnd(DIGITS_OF_TIME, '0'), 16));
  const behind = new Date(parseInt(digits.padEnd(DIGITS_OF_TIME, 'f'), 16) + 1);
  // Beyond the years that ISO 8601 writes with four digits no event was ever accepted.
  if (!(behind.getUTCFullYear() < 9999)) return null;
  return { since: first.toISOString(), until: behind.toISOString() };
}

function several(text: string, found: readonly string[]): CliError {
  const named = found.slice(0, MOST_NAMED).map(asLine).join(', ');
  return new CliError(
    `Several events begin with ${asLine(text)}.`,
    `Give more of the id: ${named}${found.length > MOST_NAMED ? ', …' : ''}`,
  );
}
