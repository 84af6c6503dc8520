import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import JSON5 from 'json5';
import { ConfigDirectory } from '../support/config-directory.ts';
import { atLast } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';

const PAGE = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
export const PROGRAMS = fileURLToPath(
  new URL('../../node_modules/.real/node_modules', import.meta.url),
);
const HOOK_TOKEN = 'the-hook-token-of-the-real-programs';
const OPERATOR_TOKEN = 'the-operator-token-of-the-real-programs';

/** The `PATH` of somebody who has installed the programs with npm, and nothing else. */
export const PATH = [join(PROGRAMS, '.bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(
  ':',
);

/** The configurations that a section of docs/agents.md shows, as they stand there; those of other programs are JSON. */
export function documented(heading: string): readonly string[] {
  const section = PAGE.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/```json5?\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

interface EndedRun {
  readonly id: string;
  readonly status: string;
  readonly reply: string | null;
  readonly error: string | null;
  readonly waits: readonly { readonly id: string; readonly calls: readonly unknown[] }[];
}

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly sessionMode?: 'persistent' | 'isolated';
}

/** The built service with a configuration of the documentation, for a user whose home is empty until a test fills it. */
export class DocumentedService implements AsyncDisposable {
  readonly #dir = new ConfigDirectory();
  #service: ServiceProcess | undefined;

  /** A file of the user's home, where programs keep their own settings. */
  writeHome(name: string, content: unknown): this {
    const file = join(this.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return this;
  }

  get home(): string {
    return join(this.#dir.path, 'home');
  }

  async start(
    configuration: string,
    { env = {}, sessionMode = 'persistent' }: Given = {},
  ): Promise<void> {
    mkdirSync(this.home, { recursive: true });
    const { hooks, ...rest } = JSON5.parse<{ hooks?: object }>(configuration);
    this.#dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        mappings: ['hook', 'cron'].map((namespace) => ({
          match: { path: namespace },
          sessionKey: `${namespace}:talk`,
          sessionMode,
          messageTemplate: '{{question}}',
          deliver: false,
          wakeMode: 'next-heartbeat',
        })),
        ...hooks,
      },
      ...rest,
    });
    const service = new ServiceProcess(this.#dir.path, { PATH, HOME: this.home, ...env });
    this.#service = service;
    const started = () => service.logged('listening');
    service.url = String((await atLast('the service listens', started))['url']);
  }

  get #running(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service is not started');
    return this.#service;
  }

  async ask(question: string, namespace: 'hook' | 'cron' = 'hook'): Promise<EndedRun> {
    return this.ended(await this.send(question, namespace));
  }

  /** @returns the id of its event */
  async send(question: string, namespace: 'hook' | 'cron' = 'hook'): Promise<string> {
    const sent = { token: HOOK_TOKEN, body: { question } };
    const { body } = await this.#running.ask(`/hooks/${namespace}`, sent);
    return String(body['eventId']);
  }

  async decide({ waits }: EndedRun, decision: object): Promise<void> {
    const path = `/ops/api/waits/${waits.at(-1)?.id}/decide`;
    const { status } = await this.#running.ask(path, { token: OPERATOR_TOKEN, body: decision });
    if (status !== 200) throw new Error(`it could not be decided: ${status}`);
  }

  ended(eventId: string): Promise<EndedRun> {
    const isOver = ({ status }: EndedRun) => !['queued', 'running', 'waiting'].includes(status);
    return this.#run(eventId, 'the run ends', isOver);
  }

  /** @param times how often it has waited by then, this one included */
  waits(eventId: string, times = 1): Promise<EndedRun> {
    const isWaiting = ({ status, waits }: EndedRun) =>
      status === 'waiting' && waits.length === times;
    return this.#run(eventId, 'the run waits', isWaiting);
  }

  #run(eventId: string, what: string, is: (run: EndedRun) => boolean): Promise<EndedRun> {
    const read = async () => {
      const token = OPERATOR_TOKEN;
      const found = await this.#running.ask(`/ops/api/events/${eventId}`, { token });
      const [run] = found.body['runs'] as EndedRun[];
      return run !== undefined && is(run) && run;
    };
    return atLast(what, read);
  }

  get workspace(): string {
    return join(this.#dir.path, 'workspaces', 'main');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    this.#dir[Symbol.dispose]();
  }
}
