import { CliError, EXIT } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/*
 * Questions of `mail setup` and `import`, put by @clack/prompts. They are only put where both stdin and stdout are a
 * terminal; everything else is said by flags.
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

/** Questions at the terminal. Ctrl-C and Escape end the command (130) with nothing done. */
export class Prompts {
  constructor(private readonly terminal: Terminal) {}

  async text({ message, initialValue, validate }: TextQuestion): Promise<string> {
    const { text } = await clack();
    const answer = await text({
      ...this.#streams(),
      message,
      ...(initialValue !== undefined && { initialValue }),
      validate: (value) => validate?.(value?.trim() ?? ''),
    });
    return answered<string>(answer).trim();
  }

  /** What is typed is not shown. */
  async password(message: string): Promise<string> {
    const { password } = await clack();
    const validate = (value: string | undefined): string | undefined =>
      value === undefined || value === '' ? 'Type it, or press Ctrl-C' : undefined;
    return answered<string>(await password({ ...this.#streams(), message, validate }));
  }

  async confirm(message: string, initialValue = true): Promise<boolean> {
    const { confirm } = await clack();
    return answered<boolean>(await confirm({ ...this.#streams(), message, initialValue }));
  }

  async select<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T> {
    const { select } = await clack();
    const options = choices.map(({ value, label }) => ({ value: value as string, label }));
    const answer = answered<string>(await select({ ...this.#streams(), message, options }));
    const chosen = choices.find(({ value }) => value === answer);
    if (chosen === undefined) throw new TypeError(`no such choice: ${answer}`);
    return chosen.value;
  }

  #streams(): { input: NodeJS.ReadStream; output: NodeJS.WriteStream } {
    const { stdin, stdout } = this.terminal.streams;
    return { input: stdin, output: stdout };
  }
}

/** Loaded with the first question: most commands ask nothing. */
function clack(): Promise<typeof import('@clack/prompts')> {
  return import('@clack/prompts');
}

/** clack answers a symbol when the question was left. */
function answered<T>(answer: T | symbol): T {
  if (typeof answer !== 'symbol') return answer;
  throw new CliError('interrupted; nothing was changed', undefined, EXIT.interrupted);
}
