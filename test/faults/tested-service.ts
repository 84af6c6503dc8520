import type { EventDetails } from '../../src/hooks/ports/index.ts';
import { atLast } from '../support/eventually.ts';
import { MAIN, ServiceProcess } from '../support/service-process.ts';
import type { Ending } from '../support/service-process.ts';

export const HOOK_TOKEN = 'hook-token-of-the-fault-suite';
export const OPERATOR_TOKEN = 'operator-token-of-the-fault-suite';

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly within?: readonly string[];
  readonly main?: string;
}

export class TestedService implements AsyncDisposable {
  private constructor(private readonly process: ServiceProcess) {}

  /** @throws Error with what it wrote when it does not begin to listen */
  static async start(dir: string, options: StartOptions = {}): Promise<TestedService> {
    const service = TestedService.launch(dir, options);
    await service.listens();
    return service;
  }

  static launch(
    dir: string,
    { env = {}, within = [], main = MAIN }: StartOptions = {},
  ): TestedService {
    const [command, ...rest] = [...within, process.execPath, main];
    return new TestedService(
      new ServiceProcess(dir, { GATEWAY_CONFIG_DIR: dir, ...env }, command, rest),
    );
  }

  /** @throws Error with what it wrote when it does not begin to listen */
  async listens(): Promise<void> {
    try {
      await this.process.listens();
    } catch (error) {
      await this.process[Symbol.asyncDispose]();
      throw new Error(`the service did not start: ${this.output}`, { cause: error });
    }
  }

  get pid(): number {
    return this.process.pid;
  }

  get url(): string {
    return this.process.url;
  }

  get output(): string {
    return this.process.stdout + this.process.stderr;
  }

  /** @throws TypeError when nobody answers */
  post(name: string, body: unknown, key?: string): Promise<Response> {
    return fetch(`${this.process.url}/hooks/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${HOOK_TOKEN}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    });
  }

  async details(eventId: string): Promise<EventDetails> {
    return (await this.read(`/ops/api/events/${eventId}`)) as EventDetails;
  }

  /** How many events have not ended; at most a page of each status. */
  async unfinished(): Promise<number> {
    const lists = await Promise.all(
      ['accepted', 'running', 'delivering'].map((status) =>
        this.read(`/ops/api/events?status=${status}`),
      ),
    );
    return lists.flatMap((list) => (list as { events: unknown[] }).events).length;
  }

  async settles(): Promise<void> {
    await atLast('nothing is under way', async () => (await this.unfinished()) === 0);
  }

  /** Status of `/health/ready` or `/health/live`; 0 when nobody answers. */
  async health(which: 'ready' | 'live'): Promise<number> {
    try {
      return (await fetch(`${this.process.url}/health/${which}`)).status;
    } catch {
      return 0;
    }
  }

  async read(path: string): Promise<unknown> {
    const answer = await fetch(`${this.process.url}${path}`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    if (!answer.ok)
      throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  async kill(): Promise<void> {
    this.process.signal('SIGKILL');
    await this.process.ended();
  }

  sleep(): void {
    this.process.signal('SIGSTOP');
  }

  wake(): void {
    this.process.signal('SIGCONT');
  }

  stop(): Promise<Ending> {
    return this.process.stop();
  }

  get hasEnded(): boolean {
    return this.process.hasEnded;
  }

  ended(): Promise<Ending> {
    return this.process.ended();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.process[Symbol.asyncDispose]();
  }
}
