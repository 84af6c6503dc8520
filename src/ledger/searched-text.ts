// What a story shows of an event can be searched; nothing that an operator may not see is in it.
import { leaveOut } from '../platform/credentials.ts';
import type { Redaction } from '../platform/credentials.ts';
import { parseShown } from './shown-payload.ts';
import { decodeHead } from './stored-head.ts';

/** Characters of one payload, prompt or reply that can be searched; what comes after them cannot. */
const LONGEST = 65_536;

interface Texts {
  readonly head: string;
  /** JSON text, perhaps only its beginning. */
  readonly payload: string;
  readonly payloadBytes: number;
  /** Prompts and replies, in their order; null where there is none. */
  readonly ofRuns: readonly (string | null)[];
}

/** All texts of an event as one; null: it has none. */
export function toSearchedText({ head, payload, payloadBytes, ofRuns }: Texts): string | null {
  const { request, actions = [] } = decodeHead(head);
  const texts = [shownOf(payload, payloadBytes, request.redaction)];
  // Words that are null are those of the payload.
  for (const { text, message } of actions) texts.push(wordsOf(text), wordsOf(message));
  for (const text of ofRuns) texts.push(text ?? '');
  const found = texts.filter((one) => one !== '').map((one) => one.slice(0, LONGEST));
  return found.length === 0 ? null : found.join('\n');
}

/** One that cannot be shown has nothing to find, and holds up none of the others. @param payload JSON text */
function shownOf(payload: string, bytes: number, redaction?: Redaction): string {
  try {
    return textOf(leaveOut(parseShown(payload, bytes), redaction));
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
