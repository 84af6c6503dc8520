// What `hooks setup` and the running service say to each other where the service shows its questions to an operator: one
// JSON value a line, on the command's stdin and stdout. The end of stdin is a Ctrl-C.

import { isRecord } from '../../platform/objects.ts';

/** One of the answers of a question that gives a choice. */
export interface SetupChoice {
  readonly value: string;
  readonly label: string;
}

/** A question of the command. */
export interface SetupQuestion {
  readonly kind: 'select' | 'confirm' | 'text' | 'password';
  readonly message: string;
  /** Of `select` and `confirm`; nothing else is an answer there. */
  readonly choices: readonly SetupChoice[];
  /** What is proposed; null: nothing. */
  readonly initial: string | null;
  /** What was wrong with the answer before; null: nothing. */
  readonly problem: string | null;
}

/** What the command says: a line of its words, a question, or the event that came of it. */
export type SetupLine =
  | { readonly said: string; readonly isResult: boolean }
  | { readonly asked: SetupQuestion }
  | { readonly eventId: string };

/** Whether the command said it; packages may write to stdout by themselves. */
export function isSetupLine(line: unknown): line is SetupLine {
  return isRecord(line) && ['said', 'asked', 'eventId'].some((key) => Object.hasOwn(line, key));
}

/** What it is told. */
export interface SetupAnswer {
  readonly answer: string;
}
