// How channels fared, as rows of `meta`: one for the last message that a channel took and one for the last that it did
// not, so that each is overwritten as a whole.
import { CHANNEL_IDS } from '../hooks/ports/channel.ts';
import type {
  ChannelCondition,
  ChannelConditions,
  ChannelFailure,
} from '../hooks/ports/channel.ts';
import { storedJson, text } from './rows.ts';
import type { Row } from './rows.ts';

/** Finds all of them. */
export const CHANNEL_KEYS = 'channel %';
/** Finds those of what was not taken; their values are JSON objects that begin with a time `at`. */
export const CHANNEL_FAILURE_KEYS = 'channel % failed';

const takenKey = (id: string) => `channel ${id} taken`;
const failedKey = (id: string) => `channel ${id} failed`;

/** What is to be written, key and value, in the order of the keys. */
export function channelRows(news: ChannelConditions): [key: string, value: string][] {
  const rows: [string, string][] = [];
  for (const id of CHANNEL_IDS) {
    const { lastError = null, lastSuccessAt = null } = news[id] ?? {};
    if (lastError !== null) rows.push([failedKey(id), failureValue(lastError)]);
    if (lastSuccessAt !== null) rows.push([takenKey(id), String(lastSuccessAt)]);
  }
  return rows;
}

/** As JSON, the time first. */
function failureValue({ at, ...failure }: ChannelFailure): string {
  return JSON.stringify({ at, ...failure });
}

/** @param rows `key` and `value` of whatever of them is there. */
export function toConditions(rows: readonly Row[]): ChannelConditions {
  const values = new Map(rows.map((row) => [text(row, 'key'), text(row, 'value')]));
  const conditions: Partial<Record<string, ChannelCondition>> = {};
  for (const id of CHANNEL_IDS) {
    const [taken, failed] = [values.get(takenKey(id)), values.get(failedKey(id))];
    if (taken === undefined && failed === undefined) continue;
    const lastError: ChannelFailure | null = failed === undefined ? null : storedJson(failed);
    conditions[id] = { lastSuccessAt: taken === undefined ? null : Number(taken), lastError };
  }
  return conditions;
}
