import type { Problem } from '../../hooks/index.ts';
import { CliError } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';

/** `hooks.path must …`, whatever a file has in that place. */
export function problemLine({ key, message }: Problem): string {
  return asLine(`${key} ${message}`);
}

export function printProblems(
  { problems, warnings }: { problems: readonly Problem[]; warnings: readonly Problem[] },
  terminal: Terminal,
): void {
  const all = [
    ...problems.map((one) => `${terminal.style('red', 'problem')} ${problemLine(one)}`),
    ...warnings.map((one) => `${terminal.style('yellow', 'warning')} ${problemLine(one)}`),
  ];
  for (const line of all) terminal.printWrapped(line, { rest: '  ' });
}

export function noteWarnings(warnings: readonly Problem[], terminal: Terminal): void {
  for (const one of warnings) {
    terminal.note(`${terminal.styleNote('yellow', 'warning')} ${problemLine(one)}`);
  }
}

/** @throws CliError where a service would refuse the configuration */
export function assertNoProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sentences = problems.map(({ key, message }) => `${key} ${message}`);
  throw new CliError('nothing was changed: this would be refused', sentences.join('\n  '));
}
