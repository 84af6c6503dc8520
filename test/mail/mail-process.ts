import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { HOOKS } from '../support/cli-process.ts';
import { eventually } from '../support/eventually.ts';

export class MailProcess implements AsyncDisposable {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  /** @param url where the service listens */
  constructor(cwd: string, url: string, env: Readonly<Record<string, string>> = {}) {
    const { PATH = '' } = process.env;
    const args = [HOOKS, 'mail', 'run', '--json', '--url', url];
    this.#child = spawn(process.execPath, args, {
      cwd,
      env: { PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    this.#child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.#closed = once(this.#child, 'close');
  }

  async prints(text: string): Promise<void> {
    await eventually(`it prints ${text}: ${this.stderr}`, () => this.stdout.includes(text));
  }

  async ended(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.#child.kill(signal);
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await this.ended('SIGKILL');
    }
  }
}
