import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { hooksCall } from './cli-call.ts';
import { HOOKS } from './cli-process.ts';
import { ConfigDirectory } from './config-directory.ts';
import { eventually } from './eventually.ts';
import { ServedGateway } from './served-gateway.ts';
import type { Ending } from './service-process.ts';

export const HOOK_TOKEN = 'the-hook-token-of-the-tests';
export const OPERATOR_TOKEN = 'the-operator-token-of-the-tests';

export class ServedCommands implements AsyncDisposable {
  readonly dir = new ConfigDirectory();
  #service: ServedGateway | undefined;
  readonly #env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    GATEWAY_PORT: '0',
  };

  /** @param sections of gateway.json5 beside the tokens. @param hooks keys of its `hooks` section. */
  static async start(
    hooks: Readonly<Record<string, unknown>> = {},
    sections: (dir: string) => Readonly<Record<string, unknown>> = () => ({}),
  ): Promise<ServedCommands> {
    const served = new ServedCommands();
    const { agents, ...others } = sections(served.dir.path);
    served.dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN }, shutdownSeconds: 0 },
      hooks: { enabled: true, token: HOOK_TOKEN, ...hooks },
      agents: Object.assign({ defaults: { runner: { type: 'demo' } } }, agents),
      ...others,
    });
    await served.boot();
    return served;
  }

  get service(): ServedGateway {
    if (this.#service === undefined) throw new Error('the service is not running');
    return this.#service;
  }

  /** Starts the service; from the second time on at the port it had. */
  async boot(): Promise<void> {
    this.#service = await ServedGateway.start(this.dir.path, this.#env);
    this.#env['GATEWAY_PORT'] = new URL(this.#service.url).port;
  }

  hooks(...args: string[]): Promise<Ending> {
    return this.hooksReading('', ...args);
  }

  hooksReading(input: string, ...args: string[]): Promise<Ending> {
    return hooksCall(args, { cwd: this.dir.path, env: this.#env, input });
  }

  async json(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await this.hooks(...args, '--json')).stdout);
  }

  async post(hook: string, body: unknown): Promise<string> {
    const { body: answer } = await this.service.post(`/hooks/${hook}`, body);
    return String(answer['eventId']);
  }

  async postUntil(status: string, hook: string, body: unknown): Promise<string> {
    const id = await this.post(hook, body);
    const path = `/ops/api/events/${id}`;
    await eventually(`the event is ${status}`, async () => {
      const { body: details } = await this.service.get(path);
      return details['status'] === status;
    });
    return id;
  }

  begin(...args: string[]): RunningCommand {
    return new RunningCommand(args, this.dir.path, this.#env);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    this.dir[Symbol.dispose]();
  }
}

class RunningCommand implements AsyncDisposable {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [HOOKS, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    this.#child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.#ended = once(this.#child, 'close');
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  async interrupt(): Promise<Ending> {
    this.#child.kill('SIGINT');
    return this.ended();
  }

  async ended(): Promise<Ending> {
    await this.#ended;
    return { code: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
