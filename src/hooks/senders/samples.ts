import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { OWN_FOLDERS } from './folders.ts';

/*
 * Requests as the senders of presets make them: `senders/<preset>/samples/<event>.json`, each a {@link Sample}, from what
 * the vendor publishes. `hooks send` sends them, and tests run every preset over its own.
 */

/** One request of a sender, without its signature. */
export interface Sample {
  /** Where the vendor publishes it, and what was left out of it if anything. */
  readonly source: string;
  /** Names in lower case; those that every JSON request has are not there. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON, unless there is a `text`. */
  readonly body?: unknown;
  /** The body as it is sent, of a sender that sends a form or plain text; its `content-type` is among the headers. */
  readonly text?: string;
}

const ENDING = '.json';
const NAME = /^[\w.-]+$/u;

/** Names of the events of which there is a sample, in order; none, where the preset has no samples. */
export function listSamples(preset: string): string[] {
  const folder = new URL(`${preset}/samples/`, OWN_FOLDERS);
  if (!isName(preset) || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted();
}

/** @returns undefined when there is no such sample; {@link listSamples} has those that there are. */
export function readSample(preset: string, event: string): Sample | undefined {
  if (!listSamples(preset).includes(event)) return undefined;
  const text = readFileSync(new URL(`${preset}/samples/${event}${ENDING}`, OWN_FOLDERS), 'utf8');
  const sample: Sample = JSON.parse(text);
  return sample;
}

/** The bytes that a sender would send, and sign. */
export function bodyOf({ body, text }: Sample): string {
  return text ?? JSON.stringify(body);
}

/** A name that leads nowhere else: it may come from a command line. */
function isName(text: string): boolean {
  return NAME.test(text) && !/^\.+$/u.test(text);
}
