import { CommanderError } from 'commander';
import { CliError, EXIT } from './cli-error.ts';
import type { ExitCode } from './cli-error.ts';
import { asLines, safeJson } from './foreign-text.ts';
import type { Terminal } from './terminal.ts';

/** What went wrong, as it is told. */
interface Report {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly exitCode: ExitCode;
}

/** Says on stderr why a command failed and what to do; returns what the process ends with. */
export function reportError(error: unknown, terminal: Terminal, asJson: boolean): ExitCode {
  // Help or version was printed, help also where a command was missing: commander throws to end there.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  const { message, hint, exitCode } = reportOf(error);
  if (asJson) {
    terminal.note(safeJson({ error: { message, hint } }));
    return exitCode;
  }
  terminal.note(`${terminal.styleNote('red', 'error:')} ${shown(message)}`);
  if (hint !== undefined) terminal.note(`  ${shown(hint)}`);
  return exitCode;
}

/** A message may quote what came from outside. */
function shown(text: string): string {
  return asLines(text).join('\n');
}

function reportOf(error: unknown): Report {
  if (error instanceof CliError) return error;
  return { message: oursOrForeign(error), exitCode: EXIT.failed };
}

/** A mistake of ours, not of the operator: whoever repairs it needs the place. */
function oursOrForeign(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = [TypeError, ReferenceError, RangeError].some((kind) => error instanceof kind);
  return isOurs ? (error.stack ?? error.message) : error.message;
}
