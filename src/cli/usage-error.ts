import type { Command, CommanderError } from 'commander';
import { CliError, EXIT } from './cli-error.ts';

/** `hooks config check` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** What commander refuses, in its own words, with the way out. Asking for help or the version is no mistake. */
export function usageError(command: Command, error: CommanderError): Error {
  const isAnswered = error.exitCode === 0 || error.code === 'commander.help';
  if (isAnswered) return error;
  const [sentence = '', meant = ''] = error.message.replace(/^error: /, '').split('\n');
  const path = pathOf(command);
  const [, words] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(meant) ?? [];
  const nearest = words
    ?.split(', ')
    .map((word) => (word.startsWith('-') ? word : `${path} ${word}`));
  const hint = nearest === undefined ? `see "${path} --help"` : didYouMean(nearest);
  return new CliError(sentence, hint, EXIT.usage);
}

/** The one form in which a likelier word is suggested. */
export function didYouMean(words: readonly string[]): string {
  return `did you mean ${words.map((word) => `"${word}"`).join(' or ')}?`;
}
