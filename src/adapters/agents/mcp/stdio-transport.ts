import type { JSONRPCMessage, MCPTransport } from '@ai-sdk/mcp';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../program.ts';
import { signalGroup } from '../program.ts';

/** Characters that one message of a program may have. */
const MAX_CHARS = 16 * 1024 * 1024;
const END_MS = 2000;

/** The server's program. Without a working directory it runs in ours. */
type ServerProgram = Pick<Program, 'command' | 'args' | 'env'> & Partial<Pick<Program, 'cwd'>>;

/** The SDK's own transport hands on parts of our environment unasked and leaves the program's children behind. */
export class StdioTransport implements MCPTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: ServerProgram;
  #child: ChildProcess | undefined;
  #unread = '';

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  /** @throws the system's error when there is no such program. */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#program;
    const child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    child.once('exit', () => this.onclose?.()).on('error', () => this.onclose?.());
    // A program that is gone is noticed by its exit; the pipe's own complaint adds nothing.
    child.stdin?.on('error', () => {});
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    await once(child, 'spawn');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin?.writable !== true) throw new Error('the program has ended');
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await once(stdin, 'drain');
  }

  /** Asks the program to end, and makes it after 2 seconds. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.stdin?.end();
      signalGroup(child.pid, 'SIGTERM');
      await Promise.race([ended, pause(END_MS, undefined, { ref: false })]);
    }
    signalGroup(child.pid, 'SIGKILL');
    child.stdout?.destroy();
  }

  #read(text: string): void {
    // Only the new text is searched: a long message comes in many pieces.
    const lines = text.split('\n');
    lines[0] = this.#unread + (lines[0] ?? '');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) this.#deliver(line);
    if (this.#unread.length > MAX_CHARS) this.#refuse();
  }

  /** Reads nothing more: a program that ignores the request to end has 2 seconds left to write. */
  #refuse(): void {
    this.#unread = '';
    this.#child?.stdout?.destroy();
    void this.close();
  }

  #deliver(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(JSON.parse(line));
    } catch {
      // Not JSON (some programs greet on stdout), or the late answer to a call that was given up.
      this.onerror?.(new Error('a line that is no message'));
    }
  }
}
