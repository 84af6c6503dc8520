// How much of a payload is looked at: to show one of 10 MB would hold up the event loop for longer than to take it in.
import { parseExactly } from '../platform/exact-json.ts';
import { parseJsonStart } from './json-start.ts';
import { storedJson } from './rows.ts';

/** In bytes. */
export const LONGEST_WHOLE = 1_048_576;
/** Of a longer one, in characters. */
const BEGINNING = 262_144;

/** Columns of the event `e`; both databases know a text's bytes without reading it. */
export const SHOWN_PAYLOAD = `octet_length(e.payload) AS payload_bytes,
  substr(e.payload, 1, CASE WHEN octet_length(e.payload) > ${LONGEST_WHOLE} THEN ${BEGINNING} ELSE ${LONGEST_WHOLE} END) AS payload`;

/** @throws SyntaxError */
export function parseShown(payload: string, bytes: number): unknown {
  return bytes > LONGEST_WHOLE
    ? parseJsonStart(payload, parseExactly)
    : storedJson(payload, parseExactly);
}
