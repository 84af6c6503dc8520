import type { Readable, Writable } from 'node:stream';
import { CliError, EXIT } from './cli-error.ts';

interface TextQuestion {
  readonly message: string;
  readonly initialValue?: string | undefined;
  /** What is wrong with an answer; undefined: nothing. */
  readonly validate?: (answer: string) => string | undefined;
}

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface AskingStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
}

/** Put by @clack/prompts. Ctrl-C and Escape leave a question, which ends the command (130) with nothing done. */
export class Prompts {
  constructor(private readonly streams: AskingStreams) {}

  /** Undefined: nobody sits there. */
  static at(streams: AskingStreams): Prompts | undefined {
    const isTerminal = streams.stdin.isTTY === true && streams.stdout.isTTY === true;
    return isTerminal ? new Prompts(streams) : undefined;
  }

  /** @returns it without blanks around it */
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

  /** @param initialValue @default true */
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

  #ends(): { input: Readable; output: Writable } {
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
  throw new CliError('interrupted; nothing was changed', undefined, EXIT.interrupted);
}
