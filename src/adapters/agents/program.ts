import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../hooks/ports/clock.ts';
import type { Agent } from '../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { errorCode } from '../../platform/errors.ts';

/** Programs run without a shell, see only the variables meant for them, and lead a process group of their own. */

export type Environment = Readonly<Record<string, string | undefined>>;

const ALWAYS_GIVEN = ['PATH', 'HOME', 'LANG', 'TZ'];

export function pickVariables(
  names: readonly string[],
  source: Environment,
): Record<string, string> {
  return Object.fromEntries(
    [...ALWAYS_GIVEN, ...names].flatMap((name) => {
      const value = source[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @param signal 0 only asks whether one is left. @returns false when no process of the group is left. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    // ESRCH: the group is gone.
    return false;
  }
}

const GRACE_MS = 500;
const STEP_MS = 50;

/** By the id of their leader. A group ends with its turn, at the latest with this process unless that is SIGKILLed. */
export class ProcessGroups {
  readonly #clock: Clock;
  readonly #leaders = new Set<number>();
  readonly #killAll = (): void => {
    for (const leader of this.#leaders) signalGroup(leader, 'SIGKILL');
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(leader: number): void {
    if (this.#leaders.size === 0) process.on('exit', this.#killAll);
    this.#leaders.add(leader);
  }

  /** Ends every process of the group: SIGTERM, and after 500 ms SIGKILL. Does nothing when none is left. */
  async end(leader: number): Promise<void> {
    let isAlive = signalGroup(leader, 'SIGTERM');
    for (let waited = 0; isAlive && waited < GRACE_MS; waited += STEP_MS) {
      await this.#clock.wait(STEP_MS);
      isAlive = signalGroup(leader, 0);
    }
    if (isAlive) signalGroup(leader, 'SIGKILL');
    this.#leaders.delete(leader);
    if (this.#leaders.size === 0) process.off('exit', this.#killAll);
  }

  async waitBriefly(event: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([event, this.#clock.wait(GRACE_MS, over.signal)]);
    over.abort();
  }
}

export const MAX_OUTPUT_BYTES = 1_048_576;
const ERROR_TAIL_BYTES = 2048;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

/** How a program ended. Bytes that are not UTF-8 are replacement characters. */
export interface ProgramEnd {
  readonly stdout: string;
  readonly isTooLong: boolean;
  /** The end of its error output: whole lines, at most 2 KB. */
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly endedBy: NodeJS.Signals | null;
}

/** An abort ends the whole group. @throws the signal's reason; the system's error when it could not be started. */
export async function runProgram(
  { command, args, cwd, env, input }: Program,
  groups: ProcessGroups,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
  const leader = await waitForStart(child);
  groups.add(leader);
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= groups.end(leader));
  const output = collectOutput(child, () => void end());
  const over = waitForEnd(child, groups, end);
  const stopListening = onAbort(signal, () => void end());
  // A program may stop reading before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  await over;
  stopListening();
  signal.throwIfAborted();
  return { ...output(), code: child.exitCode, endedBy: child.signalCode };
}

/** @returns the id of the process, which leads its group. @throws the system's error when there is none. */
async function waitForStart(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const [error] = await once(child, 'error');
  throw error;
}

async function waitForEnd(
  child: ChildProcessWithoutNullStreams,
  groups: ProcessGroups,
  end: () => Promise<void>,
): Promise<void> {
  const closed = once(child, 'close');
  await once(child, 'exit');
  await end();
  // A process that left the group may hold the output open for ever.
  await groups.waitBriefly(closed);
  // A busy loop sees that time pass before it reads: it goes round once, which reads all that a pipe can hold.
  await setImmediate();
  await setImmediate();
  child.stdout.destroy();
  child.stderr.destroy();
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) listener();
  return () => signal.removeEventListener('abort', listener);
}

function collectOutput(
  { stdout, stderr }: ChildProcessWithoutNullStreams,
  onTooLong: () => void,
): () => Pick<ProgramEnd, 'stdout' | 'stderr' | 'isTooLong'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let tail = Buffer.alloc(0);
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else onTooLong();
  });
  stderr.on('data', (chunk: Buffer) => {
    // One byte more than is shown, to see that there was more.
    tail = Buffer.from(Buffer.concat([tail, chunk]).subarray(-ERROR_TAIL_BYTES - 1));
  });
  return () => ({
    stdout: new TextDecoder().decode(Buffer.concat(chunks)),
    stderr: toWholeLines(tail),
    isTooLong: bytes > MAX_OUTPUT_BYTES,
  });
}

/** Half a line could be the half of a key, which nobody would recognise. */
function toWholeLines(tail: Buffer): string {
  const isCut = tail.length > ERROR_TAIL_BYTES;
  const lines = new TextDecoder().decode(tail).split('\n');
  return (isCut ? lines.slice(1) : lines).join('\n');
}

/** Never the service's own directory, with its tokens. Made for this user only. @throws AgentError (needs-operator) */
export async function ensureWorkspace(agent: Agent, workspaces: string): Promise<string> {
  const dir = resolve(agent.workspace ?? join(workspaces, toFileName(agent.id)));
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return dir;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw new AgentError(
      `the workspace of agent "${agent.id}" cannot be made (${code}): make it a directory of this user`,
      'needs-operator',
    );
  }
}

/** A host's own registry may know ids that are no file names. */
function toFileName(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');
}
