import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { errorCode } from '../platform/errors.ts';
import { CliError, EXIT } from './cli-error.ts';
import { option, wrongValue } from './command.ts';
import { asLine } from './foreign-text.ts';

type NamedValues = Readonly<Record<string, string>>;

export const REQUEST_OPTIONS = [
  option('--payload <file>', 'file with the JSON to send; - is stdin'),
  option('--header <name:value>', 'header of the request; may be repeated', withHeader),
  option('--query <name=value>', 'query parameter of the request; may be repeated', withParameter),
] as const;

export interface PayloadSource {
  /** What a relative path starts from. */
  readonly cwd: string;
  readonly stdin: Readable;
  readonly signal?: AbortSignal;
}

/** Most bytes of a payload: no service takes more (`hooks.maxBodyBytes`), and some files never end. */
const LARGEST_PAYLOAD = 64 * 1024 * 1024;

/**
 * The name of a hook as it stands in a URL, from what a person writes: `github`, `/github` or the whole path
 * `/hooks/github`. What cannot stand in a URL is percent-encoded, what is encoded already stays.
 * @param prefix `hooks.path`.
 * @throws CliError for none, and for one with a query.
 */
export function hookName(given: string, prefix: string): string {
  const name = given.startsWith(`${prefix}/`) ? given.slice(prefix.length) : given;
  const bare = name.replace(/^\/+/, '');
  if (/[?#]/.test(bare)) {
    throw new CliError(
      'A hook has no query in its name.',
      'Say it with --query name=value.',
      EXIT.usage,
    );
  }
  if (bare === '') {
    throw new CliError(
      'The name of the hook is missing.',
      'It is wake, agent or the path of a mapping.',
      EXIT.usage,
    );
  }
  return bare.replaceAll(/[^!-~]/gu, (sign) => encodeURIComponent(sign));
}

/** Adds what `--header 'Name: value'` says. @throws CliError */
export function withHeader(text: string, before: NamedValues = {}): NamedValues {
  const [, name = '', value = ''] =
    /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t -~\u00a0-\u00ff]*)$/.exec(text) ?? [];
  if (name === '') throw wrongValue('--header', "'Name: value'");
  return { ...before, [name.toLowerCase()]: value.trim() };
}

/** Adds what `--query name=value` says. @throws CliError */
export function withParameter(text: string, before: NamedValues = {}): NamedValues {
  const at = text.indexOf('=');
  if (at < 1) throw wrongValue('--query', 'name=value');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/**
 * The bytes of a payload, as they are.
 * @param name a file, or `-` for stdin.
 * @throws CliError when it cannot be read, is too large, or is not JSON; the reason of the signal.
 */
export async function readPayload(
  name: string,
  source: PayloadSource,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readBytes(name, source);
  try {
    JSON.parse(bytes.toString());
  } catch (error) {
    const where = name === '-' ? 'stdin' : name;
    const why = error instanceof Error ? error.message : '';
    throw new CliError(
      `${asLine(where)} does not hold JSON: ${asLine(why)}`,
      undefined,
      EXIT.usage,
    );
  }
  return bytes;
}

/** @throws CliError when it cannot be read or is too large; the reason of the signal */
function readBytes(name: string, source: PayloadSource): Promise<Buffer<ArrayBuffer>> {
  return name === '-' ? allOf(source.stdin, 'stdin', source.signal) : fileBytes(name, source);
}

async function allOf(
  stream: Readable,
  where: string,
  signal?: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    if (signal !== undefined) addAbortSignal(signal, stream);
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > LARGEST_PAYLOAD) throw tooLarge(where);
      chunks.push(Buffer.from(chunk));
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
}

async function fileBytes(
  name: string,
  { cwd, signal }: PayloadSource,
): Promise<Buffer<ArrayBuffer>> {
  const path = resolve(cwd, name);
  try {
    return await allOf(createReadStream(path), path, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CliError) throw error;
    const code = errorCode(error) ?? 'unknown';
    throw new CliError(`${asLine(path)} cannot be read (${code}).`, undefined, EXIT.usage);
  }
}

function tooLarge(where: string): CliError {
  const most = LARGEST_PAYLOAD / 1024 / 1024;
  return new CliError(`${asLine(where)} holds more than ${most} MB.`, undefined, EXIT.usage);
}
