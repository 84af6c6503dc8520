// A row of `meta` for the last message that a channel took, and one for the last that it did not.
import { CHANNEL_IDS, withBeginning } from '../hooks/ports/channel.ts';
import type {
  ChannelCondition,
  ChannelConditions,
  ChannelFailure,
} from '../hooks/ports/channel.ts';
import { storedJson, text } from './rows.ts';
import type { Row } from './rows.ts';

export const CHANNEL_KEYS = 'channel %';
/** Finds those of what was not taken; their values are JSON objects that begin with a time `at`. */
export const CHANNEL_FAILURE_KEYS = 'channel % failed';

const takenKey = (id: string) => `channel ${id} taken`;
const failedKey = (id: string) => `channel ${id} failed`;

export function channelKeys(news: ChannelConditions): string[] {
  return CHANNEL_IDS.filter((id) => news[id] !== undefined).flatMap((id) => [
    failedKey(id),
    takenKey(id),
  ]);
}

/** What is to be written, key and value, in the order of the keys. @param known what is kept of them */
export function channelRows(
  news: ChannelConditions,
  known: ChannelConditions,
): [key: string, value: string][] {
  const rows: [string, string][] = [];
  for (const id of CHANNEL_IDS) {
    const { lastError = null, lastSuccessAt = null } = news[id] ?? {};
    const failure = withBeginning(known[id], { lastError, lastSuccessAt });
    if (failure !== null) rows.push([failedKey(id), failureValue(failure)]);
    if (lastSuccessAt !== null) rows.push([takenKey(id), String(lastSuccessAt)]);
  }
  return rows;
}

/** As JSON, the time first. */
function failureValue({ at, ...failure }: ChannelFailure): string {
  return JSON.stringify({ at, ...failure });
}

/** An earlier build did not write since when. */
function toFailure(value: string): ChannelFailure {
  const failure: ChannelFailure = storedJson(value);
  return { ...failure, since: failure.since ?? failure.at };
}

/** @param rows `key` and `value` of whatever of them is there. */
export function toConditions(rows: readonly Row[]): ChannelConditions {
  const values = new Map(rows.map((row) => [text(row, 'key'), text(row, 'value')]));
  const conditions: Partial<Record<string, ChannelCondition>> = {};
  for (const id of CHANNEL_IDS) {
    const [taken, failed] = [values.get(takenKey(id)), values.get(failedKey(id))];
    if (taken === undefined && failed === undefined) continue;
    const lastError = failed === undefined ? null : toFailure(failed);
    conditions[id] = { lastSuccessAt: taken === undefined ? null : Number(taken), lastError };
  }
  return conditions;
}
