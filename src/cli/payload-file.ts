import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { errorCode } from '../standalone/error-code.ts';
import { CliError, EXIT } from './cli-error.ts';
import { asLine } from './foreign-text.ts';

/** Where a payload may come from. */
export interface PayloadSource {
  /** What a relative path starts from. */
  readonly cwd: string;
  readonly stdin: Readable;
  /** Gives up what stdin still has to say. */
  readonly signal?: AbortSignal;
}

/** Most bytes of a payload: no service takes more (`hooks.maxBodyBytes`), and some files never end. */
export const LARGEST_PAYLOAD = 64 * 1024 * 1024;

/**
 * The bytes of a payload, as they are.
 * @param name a file, or `-` for stdin.
 * @throws CliError when it cannot be read, is too large, or is not JSON; the reason of the signal.
 */
export async function readPayload(name: string, source: PayloadSource): Promise<Buffer> {
  const bytes =
    name === '-'
      ? await allOf(source.stdin, 'stdin', source.signal)
      : await fileBytes(name, source);
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

async function allOf(stream: Readable, where: string, signal?: AbortSignal): Promise<Buffer> {
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

async function fileBytes(name: string, { cwd, signal }: PayloadSource): Promise<Buffer> {
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
