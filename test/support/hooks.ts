import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { HooksModule, LedgerAdmin, EventStore } from '../../src/hooks/index.ts';
import type {
  EventDetails,
  HooksModuleExtras,
  HooksModuleOptions,
  WorkCounts,
} from '../../src/hooks/index.ts';
import type { Hours } from '../../src/platform/hours.ts';
import { memoryLedger } from '../../src/testing.ts';
import { assertDocumented } from './documented-answers.ts';
import { eventually } from './eventually.ts';
import { RecordingChannel, RecordingRunner } from './recording.ts';
import type { Journal } from './recording.ts';
import { LineLog, Secrets } from './secret-free-log.ts';

export const TOKEN = 'the-hook-token-of-the-e2e-tests';

export class Hooks {
  readonly journal: Journal = [];
  readonly runner = new RecordingRunner(this.journal);
  readonly chan1 = new RecordingChannel('chan_1', this.journal);
  readonly chan2 = new RecordingChannel('chan_2', this.journal);
  readonly chan1Binding: {
    provider: RecordingChannel;
    to: string;
    quietHours?: Hours;
    onUnknown?: 'stop';
  } = {
    provider: this.chan1,
    to: '+1',
  };
  readonly log = new LineLog();
  readonly #secrets = new Secrets(TOKEN);
  private constructor() {}

  app!: NestFastifyApplication;
  url!: string;

  static async start(given: Partial<HooksModuleOptions & HooksModuleExtras> = {}): Promise<Hooks> {
    const hooks = new Hooks();
    const testing = await Test.createTestingModule({
      imports: [
        HooksModule.forRoot({
          enabled: true,
          token: TOKEN,
          defaultSessionKey: 'hook:e2e',
          ledger: memoryLedger(),
          runner: hooks.runner,
          channels: {
            chan_1: hooks.chan1Binding,
            chan_2: { provider: hooks.chan2 },
          },
          // However busy the machine is: what a transform may take is said where that is tested.
          transformLimits: { timeoutMs: 60_000 },
          ...given,
        }),
      ],
    }).compile();
    hooks.app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: hooks.log,
    });
    await hooks.app.listen(0, '127.0.0.1');
    hooks.url = await hooks.app.getUrl();
    return hooks;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    this.#secrets.addPayload(body);
    return fetch(`${this.url}/hooks${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  }

  async ask(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number } & Record<string, unknown>> {
    const answer = await this.post(path, body, headers);
    const text = await answer.text();
    assertDocumented('POST', `/hooks${path}`, { status: answer.status, text });
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { ...json, status: answer.status };
  }

  /** What a sender is told of a run. @param query with its question mark */
  async run(
    runId: unknown,
    { token = TOKEN, query = '' }: { token?: string; query?: string } = {},
  ): Promise<{ status: number } & Record<string, unknown>> {
    const path = `/hooks/runs/${String(runId)}${query}`;
    const answer = await fetch(this.url + path, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    assertDocumented('GET', path, { status: answer.status, text });
    const { status: run, ...body } = JSON.parse(text) as Record<string, unknown>;
    return { ...body, ...(run !== undefined && { run }), status: answer.status };
  }

  async details(eventId: unknown): Promise<EventDetails> {
    const details = await this.app.get(EventStore).get(String(eventId));
    if (details === null) throw new Error(`there is no event ${String(eventId)}`);
    return details;
  }

  async ended(eventId: unknown): Promise<EventDetails> {
    return eventually(`event ${String(eventId)} ends`, async () => {
      const details = await this.details(eventId);
      return !['accepted', 'running', 'waiting', 'delivering'].includes(details.status) && details;
    });
  }

  async events(): Promise<EventDetails[]> {
    const { events } = await this.app.get(EventStore).list({ limit: 200 });
    return Promise.all(events.map(({ id }) => this.details(id)));
  }

  retry(eventId: unknown): Promise<number | null> {
    return this.app.get(LedgerAdmin).retry(String(eventId));
  }

  async waiting(kind: WorkCounts['kind']): Promise<number> {
    const counts = await this.app.get(LedgerAdmin).counts();
    const open = counts.filter((it) => it.kind === kind && it.state !== 'dead');
    return open.reduce((sum, { count }) => sum + count, 0);
  }

  async stored(): Promise<number> {
    const { events } = await this.app.get(EventStore).list({ limit: 200 });
    return events.length;
  }

  async close(): Promise<void> {
    await this.app.close();
    this.#secrets.assertAbsentFrom(this.log.lines);
  }
}
