import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import JSON5 from 'json5';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';

const PAGE = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
/** Where install-programs.mjs puts them. */
export const PROGRAMS = fileURLToPath(
  new URL('../../node_modules/.real/node_modules', import.meta.url),
);
const HOOK_TOKEN = 'the-hook-token-of-the-real-programs';
const OPERATOR_TOKEN = 'the-operator-token-of-the-real-programs';
/** A turn of a real program on a slow machine, and the start of the service beside it. */
const PATIENCE_MS = 150_000;

/** The `PATH` of somebody who has installed the programs with npm, and nothing else. */
export const PATH = [join(PROGRAMS, '.bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(
  ':',
);

/** The configurations that a section of docs/agents.md shows, as they stand there. */
export function documented(heading: string): readonly string[] {
  const section = PAGE.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/```json5\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/** How a run ended, as the operator API tells it. */
export interface EndedRun {
  readonly status: string;
  readonly reply: string | null;
  readonly error: string | null;
}

/** An event whose run waits for a person. */
export interface WaitingEvent {
  readonly id: string;
  readonly runs: readonly {
    readonly status: string;
    readonly error: string | null;
    readonly waits: readonly { readonly id: string; readonly calls: readonly unknown[] }[];
  }[];
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

  async start(configuration: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    mkdirSync(this.home, { recursive: true });
    this.#dir.write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        mappings: ['hook', 'cron'].map((namespace) => ({
          match: { path: namespace },
          sessionKey: `${namespace}:talk`,
          sessionMode: 'persistent',
          messageTemplate: '{{question}}',
          deliver: false,
          wakeMode: 'next-heartbeat',
        })),
      },
      ...JSON5.parse<object>(configuration),
    });
    const all = { PATH, HOME: this.home, ...env };
    const service = new ServiceProcess(this.#dir.path, all);
    this.#service = service;
    const started = () => service.logged('listening');
    service.url = String((await eventually('the service listens', started, PATIENCE_MS))['url']);
  }

  /** Asks the next question of the conversation that has that session. */
  async ask(question: string, namespace: 'hook' | 'cron' = 'hook'): Promise<EndedRun> {
    const service = this.#service;
    if (service === undefined) throw new Error('the service is not started');
    const sent = { token: HOOK_TOKEN, body: { question } };
    const { body } = await service.ask(`/hooks/${namespace}`, sent);
    const event = `/ops/api/events/${String(body['eventId'])}`;
    return eventually(
      'the run ends',
      async () => {
        const found = await service.ask(event, { token: OPERATOR_TOKEN });
        const [run] = found.body['runs'] as EndedRun[];
        return run !== undefined && !['queued', 'running'].includes(run.status) && run;
      },
      PATIENCE_MS,
    );
  }

  /** A run of the agent on its own. @returns the event, once its run waits for a person */
  async askToWait(message: string): Promise<WaitingEvent> {
    const body = { message, deliver: false, wakeMode: 'next-heartbeat' };
    const sent = await this.#asked('/hooks/agent', { token: HOOK_TOKEN, body });
    return this.waits(String(sent['eventId']));
  }

  /** @param times how often it has asked by then */
  waits(id: string, times = 1): Promise<WaitingEvent> {
    return eventually(
      'the run waits',
      async () => {
        const { status, runs } = await this.#asked(`/ops/api/events/${id}`);
        const [run] = runs as WaitingEvent['runs'];
        if (run?.status === 'failed') throw new Error(String(run.error));
        return status === 'waiting' && run?.waits.length === times && { id, runs: [run] };
      },
      PATIENCE_MS,
    );
  }

  /** Decides about what it waits for. */
  async decide({ runs: [run] }: WaitingEvent, decision: object): Promise<void> {
    const wait = run?.waits.at(-1)?.id ?? '';
    await this.#asked(`/ops/api/waits/${wait}/decide`, { body: decision });
  }

  /** Its run, once that has ended. */
  ended({ id }: WaitingEvent): Promise<EndedRun> {
    return eventually(
      'the run ends',
      async () => {
        const { runs } = await this.#asked(`/ops/api/events/${id}`);
        const [ended] = runs as EndedRun[];
        return ended !== undefined && ['succeeded', 'failed'].includes(ended.status) && ended;
      },
      PATIENCE_MS,
    );
  }

  /** Where its only agent works. */
  get workspace(): string {
    return join(this.#dir.path, 'workspaces', 'main');
  }

  async #asked(path: string, given: { token?: string; body?: unknown } = {}) {
    if (this.#service === undefined) throw new Error('the service is not started');
    const { body } = await this.#service.ask(path, { token: OPERATOR_TOKEN, ...given });
    return body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    this.#dir[Symbol.dispose]();
  }
}
