// What of an event can be searched: what its story shows of the payload, of the words of its actions, of prompts and of
// replies. Nothing that an operator may not see is in it.
import type { DatabaseSync } from 'node:sqlite';
import { leaveOut } from '../../../../platform/credentials.ts';
import type { Redaction } from '../../../../platform/credentials.ts';
import { parseExactly } from '../../../../platform/exact-json.ts';
import { decodeHead } from '../../../stored/stored-head.ts';
import { optionalText, text } from '../rows.ts';

/** Characters of one payload, prompt or reply that can be searched; what comes after them cannot. */
const LONGEST = 65_536;

/** Reads the texts of events from the ledger. */
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
    const { request, actions = [] } = decodeHead(text(event, 'head'));
    const texts = [shownOf(payload, request.redaction)];
    // Words that are null are those of the payload.
    for (const { text: shown, message } of actions) texts.push(wordsOf(shown), wordsOf(message));
    for (const run of this.#sql.runs.all(key)) {
      texts.push(optionalText(run, 'prompt') ?? '', optionalText(run, 'reply') ?? '');
    }
    const found = texts.filter((one) => one !== '').map((one) => one.slice(0, LONGEST));
    return found.length === 0 ? null : found.join('\n');
  }
}

function prepareStatements(ledger: DatabaseSync) {
  return {
    event: ledger.prepare('SELECT head, payload FROM events WHERE key = ?'),
    runs: ledger.prepare('SELECT prompt, reply FROM runs WHERE event = ? ORDER BY key'),
  };
}

/** One that cannot be shown has nothing to find, and holds up none of the others. @param payload JSON text */
function shownOf(payload: string, redaction?: Redaction): string {
  try {
    return textOf(leaveOut(parseExactly(payload), redaction));
  } catch {
    return '';
  }
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A payload as lines of names and values, without JSON's own signs. */
function textOf(payload: unknown): string {
  const lines: string[] = [];
  let length = 0;
  const add = (name: string | null, value: unknown): void => {
    if (length > LONGEST) return;
    if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
      if (name !== null) addLine(name);
      for (const [key, child] of Object.entries(value))
        add(Array.isArray(value) ? null : key, child);
      return;
    }
    const shown = JSON.isRawJSON(value) ? value.rawJSON : String(value);
    addLine(name === null ? shown : `${name}: ${shown}`);
  };
  const addLine = (line: string): void => {
    lines.push(line);
    length += line.length + 1;
  };
  add(null, payload);
  return lines.join('\n');
}
