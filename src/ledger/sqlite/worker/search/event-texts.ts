import type { DatabaseSync } from 'node:sqlite';
import { toSearchedText } from '../../../searched-text.ts';
import { integer, optionalText, text } from '../../../rows.ts';
import { SHOWN_PAYLOAD } from '../../../shown-payload.ts';

export class EventTexts {
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(ledger: DatabaseSync) {
    this.#sql = prepareStatements(ledger);
  }

  /** All texts of an event as one. Null: it has none, or they were forgotten. */
  of(key: number): string | null {
    const event = this.#sql.event.get(key);
    const payload = event === undefined ? null : optionalText(event, 'payload');
    if (event === undefined || payload === null) return null;
    const ofRuns = this.#sql.runs
      .all(key)
      .flatMap((run) => [optionalText(run, 'prompt'), optionalText(run, 'reply')]);
    const payloadBytes = integer(event, 'payload_bytes');
    return toSearchedText({ head: text(event, 'head'), payload, payloadBytes, ofRuns });
  }
}

function prepareStatements(ledger: DatabaseSync) {
  return {
    event: ledger.prepare(`SELECT head, ${SHOWN_PAYLOAD} FROM events e WHERE key = ?`),
    runs: ledger.prepare('SELECT prompt, reply FROM runs WHERE event = ? ORDER BY key'),
  };
}
