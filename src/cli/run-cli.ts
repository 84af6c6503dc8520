import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandFactory } from 'nest-commander';
import type { Surroundings } from '../standalone/start.ts';
import { CliModule } from './cli.module.ts';
import { EXIT } from './cli-error.ts';
import type { ExitCode } from './cli-error.ts';
import { Program } from './program.ts';
import { reportError } from './report-error.ts';
import { Terminal } from './terminal.ts';
import type { Streams } from './terminal.ts';

/** One call of the command. */
export interface CliCall {
  /** What was typed after `hooks`. */
  readonly args: readonly string[];
  readonly surroundings: Surroundings;
  readonly streams: Streams;
}

/** Runs one command to its end and says what the process should end with. Never rejects. */
export async function runCli({ args, surroundings, streams }: CliCall): Promise<ExitCode> {
  const terminal = new Terminal(streams, { ...surroundings.env });
  endWithoutReader(streams);
  try {
    const app = await createCli(surroundings, terminal);
    await app.get(Program).run(args);
    await app.close();
    return terminal.exitCode;
  } catch (error) {
    return reportError(error, terminal, args.includes('--json'));
  }
}

/** Every command, before anything is run; `Program` is the tree of them. */
export function createCli(
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<INestApplicationContext> {
  return CommandFactory.createWithoutRunning(CliModule.for(surroundings, terminal), {
    abortOnError: false,
  });
}

/** `hooks … | head` is no failure; a result that cannot be written is one. */
function endWithoutReader({ stdout, stderr }: Streams): void {
  // Progress and advice that nobody reads change nothing about the result.
  stderr.on('error', () => {});
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    stderr.write(`error: the result cannot be written (${code})\n`, () =>
      process.exit(EXIT.failed),
    );
  });
}
