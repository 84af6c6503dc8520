import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS, atLast, eventually } from '../support/eventually.ts';
import { OpenAiServer } from '../support/openai-server.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { telegram } from '../support/platforms/telegram.ts';
import { ROUNDS } from './rounds.ts';
import { Sender } from './sender.ts';
import type { Acknowledged, HookServer } from './sender.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, TestedService } from './tested-service.ts';
import type { StartOptions } from './tested-service.ts';

export type Sections = Readonly<Record<string, object>>;

const HEARTBEAT = 'This is a heartbeat.';
const SESSIONS = ['a', 'b', 'c', 'd'];
const DRAINED_WITHIN_MS = 3 * PATIENCE_MS + 5000 * ROUNDS;

export class World implements AsyncDisposable {
  readonly senders: readonly Sender[];

  private constructor(
    readonly dir: string,
    readonly models: OpenAiServer,
    readonly chats: PlatformServer,
    filling: string,
  ) {
    this.senders = SESSIONS.map((session) => new Sender(session, filling));
  }

  static async open(sections: Sections = {}, filling = ''): Promise<World> {
    const dir = await mkdtemp(join(tmpdir(), 'hooks-faults-'));
    const models = new OpenAiServer();
    models.reply = (body) => replyTo(JSON.stringify(body));
    await models.listen();
    const world = new World(dir, models, await PlatformServer.start(telegram), filling);
    await world.configure(sections);
    return world;
  }

  get data(): string {
    return join(this.dir, 'data');
  }

  /** Everything that was answered 200, of each session in the order of the answers. */
  get acknowledged(): readonly Acknowledged[] {
    return this.senders.flatMap((sender) => sender.acknowledged);
  }

  get runs(): readonly string[] {
    return this.#asked().filter((text) => !isHeartbeat(text));
  }

  get heartbeats(): readonly string[] {
    return this.#asked().filter(isHeartbeat);
  }

  async configure(sections: Sections): Promise<void> {
    const usual: Sections = {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        allowRequestSessionKey: true,
        allowedSessionKeyPrefixes: ['faults:'],
        defaultSessionKey: 'faults:default',
        mappings: [LIST],
      },
      agents: {
        defaults: {
          model: 'local/test',
          heartbeat: { every: '0m', prompt: HEARTBEAT },
          notify: false,
        },
      },
      models: { providers: { local: { baseUrl: this.models.baseUrl } } },
      channels: { chan_2: { ...telegram.settings(this.chats.origin), to: '42' } },
    };
    const merged = Object.keys({ ...usual, ...sections }).map((name) => [
      name,
      { ...usual[name], ...sections[name] },
    ]);
    await writeFile(join(this.dir, 'gateway.json5'), JSON.stringify(Object.fromEntries(merged)));
  }

  start(options?: StartOptions): Promise<TestedService> {
    return TestedService.start(this.dir, options);
  }

  async load(service: HookServer, until: () => Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const sending = this.senders.map((sender) => sender.send(service, over.signal));
    try {
      await until();
    } finally {
      over.abort();
    }
    await Promise.all(sending);
  }

  loadOf(service: HookServer, events: number): Promise<void> {
    const goals = this.senders.map(({ acknowledged }) => acknowledged.length + events);
    return this.load(service, () =>
      atLast(`${events} events of each sender`, () =>
        this.senders.every(({ acknowledged }, n) => acknowledged.length >= (goals[n] ?? 0)),
      ),
    );
  }

  /** Waits until all work has ended. A heartbeat that was given up leaves its lines to the next one, so one more is asked for. */
  async drain(service: TestedService): Promise<void> {
    const isEnded = async () => (await service.unfinished()) === 0;
    const ended = () => eventually('all work ends', isEnded, DRAINED_WITHIN_MS);
    await ended();
    await service.post('wake', { text: 'the last wake' });
    await ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.models.close(), this.chats.close()]);
    await rm(this.dir, { recursive: true, force: true });
  }

  #asked(): readonly string[] {
    const turns = this.models.requests.filter(({ method }) => method === 'POST');
    return turns.map(({ body }) => JSON.stringify(body));
  }
}

const LIST = {
  id: 'list',
  match: { path: 'list' },
  action: 'agent',
  forEach: 'orders',
  messageTemplate: 'Please answer {{ item.text }}',
  sessionKey: 'faults:{{ item.session }}',
};

function isHeartbeat(text: string): boolean {
  return text.includes(HEARTBEAT);
}

function replyTo(text: string): string {
  if (isHeartbeat(text)) return 'HEARTBEAT_OK';
  return `Done with ${/Please answer (\[[^\]]*\])/.exec(text)?.[1] ?? 'nothing'}`;
}
