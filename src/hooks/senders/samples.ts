import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isRecord, parseJson } from '../../platform/objects.ts';
import type { Problem } from '../options/index.ts';
import { OWN_FOLDERS, operatorsFolders } from './folders.ts';

// `senders/<preset>/samples/<event>.json`, from what the vendor publishes; `hooks send` sends them.

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

/** Empty where the preset has no samples. `configDir`: a folder of that name there takes the place of ours. */
export function listSamples(preset: string, configDir?: string): string[] {
  const folder = samplesOf(preset, configDir);
  if (!isName(preset) || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .toSorted();
}

/** @returns undefined when there is no such sample; {@link listSamples} has those that there are. */
export function readSample(preset: string, event: string, configDir?: string): Sample | undefined {
  if (!listSamples(preset, configDir).includes(event)) return undefined;
  const file = new URL(`${event}${ENDING}`, samplesOf(preset, configDir));
  const sample = parseJson(readFileSync(file, 'utf8'));
  return isSample(sample) ? sample : undefined;
}

function samplesOf(preset: string, configDir: string | undefined): URL {
  const own = configDir === undefined ? undefined : operatorsFolders(configDir);
  const theirs = own !== undefined && existsSync(new URL(`${preset}/`, own)) ? own : OWN_FOLDERS;
  return new URL(`${preset}/samples/`, theirs);
}

export function checkSamples(preset: string, configDir: string): Problem[] {
  const message =
    'must be JSON with source and headers, texts by their names in lower case, and either body or text';
  return listSamples(preset, configDir)
    .filter((event) => readSample(preset, event, configDir) === undefined)
    .map((event) => {
      const key = `gateway.d/senders/${preset}/samples/${event}${ENDING}`;
      return { key, message };
    });
}

function isSample(value: unknown): value is Sample {
  if (!isRecord(value) || typeof value['source'] !== 'string') return false;
  const { headers, body, text } = value;
  return (
    isRecord(headers) &&
    Object.entries(headers).every(
      ([name, one]) => typeof one === 'string' && name === name.toLowerCase(),
    ) &&
    (text === undefined ? body !== undefined : typeof text === 'string' && body === undefined)
  );
}

export function bodyOf({ body, text }: Sample): string {
  return text ?? JSON.stringify(body);
}

/** A name that leads nowhere else: it may come from a command line. */
function isName(text: string): boolean {
  return NAME.test(text) && !/^\.+$/u.test(text);
}
