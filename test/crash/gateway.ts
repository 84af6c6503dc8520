import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventDetails } from '../../src/hooks/ports/index.ts';

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)/;

/** The built service as a process of its own, on a free port. */
export class Gateway {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(dir: string): Promise<Gateway> {
    const child = spawn(process.execPath, [MAIN], {
      cwd: dir,
      env: { ...process.env, NODE_OPTIONS: '', GATEWAY_CONFIG_DIR: dir, GATEWAY_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Gateway(child, await addressOf(child));
  }

  /** Kills it without any warning after `ms`. */
  async killAfter(ms: number): Promise<void> {
    await delay(ms);
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  post(name: string, body: unknown): Promise<Response> {
    return fetch(`${this.url}/hooks/${name}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer hook-token-for-the-crash-test',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  }

  async details(eventId: string): Promise<EventDetails> {
    return this.#read(`/ops/api/events/${eventId}`) as Promise<EventDetails>;
  }

  /** How many events have not ended. */
  async unfinished(): Promise<number> {
    const lists = await Promise.all(
      ['accepted', 'running'].map((status) => this.#read(`/ops/api/events?status=${status}`)),
    );
    return lists.flatMap((list) => (list as { events: unknown[] }).events).length;
  }

  async #read(path: string): Promise<unknown> {
    const answer = await fetch(`${this.url}${path}`, {
      headers: { authorization: 'Bearer operator-token-for-the-crash-test' },
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
    return answer.json();
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = (data: Buffer): void => {
    output += data.toString();
    const port = ADDRESS.exec(output)?.[1];
    if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
  };
  child.stdout?.on('data', look);
  child.stderr?.on('data', look);
  child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  return promise;
}
