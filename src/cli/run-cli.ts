import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { SystemClock } from '../hooks/index.ts';
import type { StopRequest } from '../platform/stop-request.ts';
import { configurationDirectory, inspectConfiguration } from '../service/index.ts';
import type { Environment } from '../service/index.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { ExitCode } from './cli-error.ts';
import { asLines, safeJson } from './foreign-text.ts';
import { createProgram } from './program.ts';
import { Prompts } from './prompts.ts';
import { Terminal } from './terminal.ts';
import type { Streams } from './terminal.ts';

interface CliCall {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly streams: Streams;
  /** Heard since the process began. @default from when a service is started on */
  readonly stop?: StopRequest | undefined;
}

/** Runs one command to its end and says what the process should end with. Never rejects. */
export async function runCli(call: CliCall): Promise<ExitCode> {
  const { args, env, cwd, streams, stop } = call;
  const terminal = new Terminal(streams, { ...env }, Prompts.at(streams));
  endWithoutReader(streams);
  try {
    const inspect = async () => inspectConfiguration(configurationDirectory(env, cwd), env);
    const context = { terminal, env, cwd, stop, inspect, clock: new WaitingClock() };
    const program = createProgram(context);
    await program.parseAsync([...args], { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    return reportError(error, terminal, args.includes('--json'));
  }
}

/** The time of a command: waiting is what it is there for, so waiting keeps its process alive. */
class WaitingClock extends SystemClock {
  override async wait(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      // Aborted: the caller looks at its own signal.
      if (signal?.aborted !== true) throw error;
    });
  }
}

/** `hooks … | head` is no failure; a result that cannot be written is one. */
function endWithoutReader({ stdout, stderr }: Streams): void {
  // The result is the same when progress and advice go unread.
  stderr.on('error', () => {});
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    stderr.write(`error: the result cannot be written (${code})\n`, () =>
      process.exit(EXIT.failed),
    );
  });
}

function reportError(error: unknown, terminal: Terminal, asJson: boolean): ExitCode {
  // Help or version was printed, help also where a command was missing: commander throws to end there.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  const { message, hint, exitCode } =
    error instanceof CliError ? error : new CliError(describe(error));
  if (asJson) {
    terminal.note(safeJson({ error: { message, hint } }));
    return exitCode;
  }
  terminal.note(`${terminal.styleNote('red', 'error:')} ${printable(message)}`);
  if (hint !== undefined) terminal.note(`  ${printable(hint)}`);
  return exitCode;
}

/** A message may quote what came from outside. */
function printable(text: string): string {
  return asLines(text).join('\n');
}

/** A programming error of ours is shown with its place in the code, for the person who repairs it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = [TypeError, ReferenceError, RangeError].some((kind) => error instanceof kind);
  return isOurs ? (error.stack ?? error.message) : error.message;
}
