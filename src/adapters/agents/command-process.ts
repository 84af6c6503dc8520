import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

import type { ProcessGroups } from './command-groups.ts';

/** Largest output of a program, in bytes. */
export const MAX_OUTPUT_BYTES = 1_048_576;
/** How much of the end of the error output is kept, in bytes. */
const ERROR_TAIL_BYTES = 2048;

/** A program to run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it is given on its standard input. */
  readonly input: string;
}

/** How a program ended. Bytes that are not UTF-8 are replacement characters. */
export interface Ended {
  readonly stdout: string;
  /** It wrote more than {@link MAX_OUTPUT_BYTES} and was ended for that. */
  readonly isTooLong: boolean;
  /** The end of its error output: whole lines, at most 2 KB. */
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly endedBy: NodeJS.Signals | null;
}

/**
 * Runs a program without a shell, in a process group of its own that ends with it: what it leaves running is ended,
 * too. An abort ends the whole group.
 * @throws the signal's reason when it aborted; the system's error when the program could not be started.
 */
export async function runProgram(
  { command, args, cwd, env, input }: Program,
  groups: ProcessGroups,
  signal: AbortSignal,
): Promise<Ended> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
  const leader = await leaderOf(child);
  groups.add(leader);
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= groups.end(leader));
  const output = collect(child, () => void end());
  const over = exited(child, groups, end);
  const stopListening = onAbort(signal, () => void end());
  // A program may stop reading before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  await over;
  stopListening();
  signal.throwIfAborted();
  return { ...output(), code: child.exitCode, endedBy: child.signalCode };
}

/** @throws the system's error when there is no process. */
async function leaderOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const [error] = await once(child, 'error');
  throw error;
}

/** Resolves when the program, its group and its output have ended. */
async function exited(
  child: ChildProcessWithoutNullStreams,
  groups: ProcessGroups,
  end: () => Promise<void>,
): Promise<void> {
  const closed = once(child, 'close');
  await once(child, 'exit');
  await end();
  // A process that left the group may hold the output open for ever.
  await groups.atMostGrace(closed);
  child.stdout.destroy();
  child.stderr.destroy();
}

/** Calls `listener` when the signal aborts, or now if it has. @returns what ends that. */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) listener();
  return () => signal.removeEventListener('abort', listener);
}

/** Gathers both outputs within their limits. @param tooLong called as soon as there is too much. */
function collect(
  { stdout, stderr }: ChildProcessWithoutNullStreams,
  tooLong: () => void,
): () => Pick<Ended, 'stdout' | 'stderr' | 'isTooLong'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let tail = Buffer.alloc(0);
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else tooLong();
  });
  stderr.on('data', (chunk: Buffer) => {
    // One byte more than is shown, to see that there was more.
    tail = Buffer.from(Buffer.concat([tail, chunk]).subarray(-ERROR_TAIL_BYTES - 1));
  });
  return () => ({
    stdout: new TextDecoder().decode(Buffer.concat(chunks)),
    stderr: wholeLines(tail),
    isTooLong: bytes > MAX_OUTPUT_BYTES,
  });
}

/** Half a line could be the half of a key, which nobody would recognise. */
function wholeLines(tail: Buffer): string {
  const isCut = tail.length > ERROR_TAIL_BYTES;
  const lines = new TextDecoder().decode(tail).split('\n');
  return (isCut ? lines.slice(1) : lines).join('\n');
}
