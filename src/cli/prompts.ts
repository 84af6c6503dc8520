import { CliError, EXIT } from './cli-error.ts';

/*
 * Questions of `setup`, `mail setup`, `import` and whatever takes a sample, and their answers. Who is asked sits at the
 * terminal of the command (terminal-prompts.ts) or before a page of the running service (by-lines.ts); where there is
 * nobody, everything is said by flags.
 */

/** A question that is answered with one line. */
export interface TextQuestion {
  readonly message: string;
  readonly initialValue?: string | undefined;
  /** What is wrong with an answer; undefined: nothing. */
  readonly validate?: (answer: string) => string | undefined;
}

/** One of the answers of a question that gives a choice. */
export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

/** Somebody who can be asked. Whoever leaves a question ends the command (130) with nothing done. */
export interface Prompts {
  /**
   * True: who answers may not be who has this machine, so nothing that is kept here goes to an address that was typed
   * there.
   */
  readonly isElsewhere: boolean;
  /** @returns it without blanks around it */
  text(question: TextQuestion): Promise<string>;
  /** What is typed is not shown. */
  password(message: string): Promise<string>;
  /** @param initialValue @default true */
  confirm(message: string, initialValue?: boolean): Promise<boolean>;
  select<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** Shows the event that came of it, where that can be done better than in words. */
  showEvent?(id: string): void;
}

/** The end of a command whose question was left. */
export function interrupted(): CliError {
  return new CliError('interrupted; nothing was changed', undefined, EXIT.interrupted);
}
