import { interrupted } from './prompts.ts';
import type { Choice, Prompts, TextQuestion } from './prompts.ts';
import type { Streams } from './terminal.ts';

/** Questions to whoever sits at the terminal, put by @clack/prompts. Ctrl-C and Escape leave them. */
export class TerminalPrompts implements Prompts {
  readonly isElsewhere = false;

  constructor(private readonly streams: Streams) {}

  /** Undefined: nobody sits there. */
  static at(streams: Streams): TerminalPrompts | undefined {
    const isTerminal = streams.stdin.isTTY === true && streams.stdout.isTTY === true;
    return isTerminal ? new TerminalPrompts(streams) : undefined;
  }

  async text({ message, initialValue, validate }: TextQuestion): Promise<string> {
    const { text } = await clack();
    const answer = await text({
      ...this.#ends(),
      message,
      ...(initialValue !== undefined && { initialValue }),
      validate: (value) => validate?.(value?.trim() ?? ''),
    });
    return answered<string>(answer).trim();
  }

  async password(message: string): Promise<string> {
    const { password } = await clack();
    const validate = (value: string | undefined): string | undefined =>
      value === undefined || value === '' ? 'Type it, or press Ctrl-C' : undefined;
    return answered<string>(await password({ ...this.#ends(), message, validate }));
  }

  async confirm(message: string, initialValue = true): Promise<boolean> {
    const { confirm } = await clack();
    return answered<boolean>(await confirm({ ...this.#ends(), message, initialValue }));
  }

  async select<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T> {
    const { select } = await clack();
    const options = choices.map(({ value, label }) => ({ value: value as string, label }));
    const answer = answered<string>(await select({ ...this.#ends(), message, options }));
    const chosen = choices.find(({ value }) => value === answer);
    if (chosen === undefined) throw new TypeError(`no such choice: ${answer}`);
    return chosen.value;
  }

  #ends(): { input: Streams['stdin']; output: Streams['stdout'] } {
    const { stdin, stdout } = this.streams;
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
  throw interrupted();
}
