import { readFileSync } from 'node:fs';
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

/**
 * The bytes of a payload, as they are.
 * @param name a file, or `-` for stdin.
 * @throws CliError when it cannot be read, or is not JSON; the reason of the signal.
 */
export async function readPayload(name: string, source: PayloadSource): Promise<Buffer> {
  const bytes = name === '-' ? await allOf(source) : fileBytes(resolve(source.cwd, name));
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

async function allOf({ stdin, signal }: PayloadSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    if (signal !== undefined) addAbortSignal(signal, stdin);
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
}

function fileBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new CliError(`${asLine(path)} cannot be read (${code}).`, undefined, EXIT.usage);
  }
}
