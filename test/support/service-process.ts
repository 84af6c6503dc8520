import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { assertDocumented } from './documented-answers.ts';
import { eventually } from './eventually.ts';
import { Secrets } from './secret-free-log.ts';

/** The built service; `npm test` builds it first. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type LogLine = Readonly<Record<string, unknown>>;

export class ServiceProcess implements AsyncDisposable {
  stdout = '';
  stderr = '';
  /** Where it listens; empty until {@link listening}. */
  url = '';
  /** Where its operator API is, `unix:` and a path with a socket; as {@link url} unless `ops.listen` says otherwise. */
  operator = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(
    cwd: string,
    env: Readonly<Record<string, string>> = {},
    node = process.execPath,
    script: readonly string[] = [MAIN],
  ) {
    const { PATH = '' } = process.env;
    this.#child = spawn(node, script, {
      cwd,
      env: { PATH, GATEWAY_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    this.#child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.#ended = once(this.#child, 'close');
  }

  static async listening(
    cwd: string,
    env?: Record<string, string>,
    script?: readonly string[],
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess(cwd, env, process.execPath, script);
    try {
      await service.listens();
      return service;
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }

  async listens(): Promise<void> {
    const line = await eventually(
      'the service listens',
      () => this.logged('listening') ?? (this.hasEnded && {}),
    );
    if (this.hasEnded) throw new Error('the service has ended');
    this.url = String(line['url']);
    const { operator } = line;
    this.operator = typeof operator === 'string' ? operator : this.url;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('it could not be started');
    return this.#child.pid;
  }

  logged(text: string): LogLine | undefined {
    return this.logs.find(({ msg }) => typeof msg === 'string' && msg.includes(text));
  }

  get logs(): LogLine[] {
    const lines = this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'));
    return lines.map((line): LogLine => JSON.parse(line));
  }

  async ask(
    path: string,
    { token, body }: { token?: string; body?: unknown } = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    if (token !== undefined) this.#secrets.addToken(token);
    this.#secrets.addPayload(body);
    const answer = await fetch(`${this.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assertDocumented(body === undefined ? 'GET' : 'POST', path, { status: answer.status, text });
    return { status: answer.status, body: JSON.parse(text) };
  }

  /** Tokens and payloads that went through {@link ask}: no log line may hold them. */
  readonly #secrets = new Secrets();

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async ended(): Promise<Ending> {
    await this.#ended;
    this.#secrets.assertAbsentFrom(this.stdout.split('\n'));
    this.#secrets.assertAbsentFrom(this.stderr.split('\n'));
    return { code: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** Sends it SIGTERM until it ends, as somebody who does not want to wait. */
  async insist(): Promise<Ending> {
    await eventually('it ends', () => this.hasEnded || (this.signal('SIGTERM'), false));
    return this.ended();
  }

  async stop(): Promise<Ending> {
    this.signal('SIGTERM');
    return this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.signal('SIGKILL');
    await this.#ended;
  }
}
