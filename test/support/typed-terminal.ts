import { spawn } from '@lydell/node-pty';
import type { IPty } from '@lydell/node-pty';
import { stripVTControlCharacters } from 'node:util';
import { HOOKS } from './cli-process.ts';
import { eventually } from './eventually.ts';

export const KEYS = { enter: '\r', down: '\u001b[B', ctrlC: '\u0003', erase: '\u0015' } as const;

export class TypedTerminal implements Disposable {
  readonly #pty: IPty;
  #output = '';
  #exitCode: number | undefined;
  #seen = 0;

  /** @param command what is typed before `args`. @default the built command */
  constructor(
    args: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
    command: readonly [string, ...string[]] = [process.execPath, HOOKS],
  ) {
    const { PATH = '' } = process.env;
    const [program, ...before] = command;
    this.#pty = spawn(program, [...before, ...args], {
      cwd,
      env: { PATH, TERM: 'xterm-256color', ...env },
      cols: 80,
      rows: 40,
    });
    this.#pty.onData((data) => (this.#output += data));
    this.#pty.onExit(({ exitCode }) => (this.#exitCode = exitCode));
  }

  get raw(): string {
    return this.#output;
  }

  /** The same as words: without control sequences, with single blanks. */
  get words(): string {
    return stripVTControlCharacters(this.#output).replaceAll(/\s+/g, ' ');
  }

  /** Waits until something new with these words is shown, then types. @throws when the command ends without them */
  async answer(question: string, keys: string): Promise<void> {
    const at = await eventually(`"${question}" after: ${this.words.slice(-400)}`, () => {
      const found = this.words.indexOf(question, this.#seen);
      if (found >= 0) return found + 1;
      if (this.#exitCode === undefined) return undefined;
      throw new Error(`it ended without "${question}": ${this.words.slice(-400)}`);
    });
    this.#seen = at;
    this.#pty.write(keys);
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  async ended(): Promise<number> {
    const code = await eventually('the command ends', () => this.#ending());
    return code.exitCode;
  }

  [Symbol.dispose](): void {
    if (this.#exitCode === undefined) this.#pty.kill('SIGKILL');
  }

  #ending(): { exitCode: number } | undefined {
    return this.#exitCode === undefined ? undefined : { exitCode: this.#exitCode };
  }
}
