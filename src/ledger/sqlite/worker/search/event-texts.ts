import type { DatabaseSync } from 'node:sqlite';
import { toSearchedText } from '../../../searched-text.ts';
import { optionalText, text } from '../../../rows.ts';

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
    return toSearchedText({ head: text(event, 'head'), payload, ofRuns });
  }
}

function prepareStatements(ledger: DatabaseSync) {
  return {
    event: ledger.prepare('SELECT head, payload FROM events WHERE key = ?'),
    runs: ledger.prepare('SELECT prompt, reply FROM runs WHERE event = ? ORDER BY key'),
  };
}
