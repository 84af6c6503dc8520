import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Injectable, Module } from '@nestjs/common';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Clock, HookAnswers, HookEndpoints, HooksModule } from '../../src/hooks/index.ts';
import type {
  Answer,
  Endpoint,
  HookRequest,
  HooksModuleOptions,
  HooksSettingsInput,
} from '../../src/hooks/index.ts';
import { Secrets } from './secret-free-log.ts';
import { memoryLedger } from '../../src/testing.ts';

export const TOKEN = 'a-hook-token-of-decent-length';
export const GOOD = { authorization: `Bearer ${TOKEN}` };

/** Time that stands still until a test moves it; those who wait are woken when their moment has come. */
export class HandClock extends Clock {
  #now = 1_700_000_000_000;
  readonly #waiting = new Set<{ at: number; wake: () => void }>();

  override now(): number {
    return this.#now;
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const entry = {
        at: this.#now + ms,
        wake: () => {
          this.#waiting.delete(entry);
          resolve();
        },
      };
      this.#waiting.add(entry);
      signal?.addEventListener('abort', entry.wake);
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const entry of this.#waiting) if (entry.at <= this.#now) entry.wake();
  }
}

/** Stands where the endpoints are: remembers what reached it, answers what it is told to. */
@Injectable()
export class RecordingEndpoints {
  readonly requests: HookRequest[] = [];
  readonly tokens: (string | undefined)[] = [];
  reply: (request: HookRequest) => Answer | Promise<Answer> = () => ({
    status: 200,
    body: { ok: true },
    eventId: 'event-1',
  });

  reach(request: HookRequest, settings: { hooks: { token?: string } }): Endpoint {
    this.requests.push(request);
    this.tokens.push(settings.hooks.token);
    const understand = (): never => {
      throw new Error('nothing behind the door understands a request here');
    };
    return { name: request.name, understand };
  }

  /** Stands where the endpoints' answers are. */
  readonly answers = {
    answer: async (): Promise<Answer> => this.reply(this.requests.at(-1)!),
  };
}

/** Keeps every log line. */
export class KeptLog implements LoggerService {
  readonly lines: unknown[][] = [];
  readonly log = (...line: unknown[]): unknown => this.lines.push(line);
  readonly error = this.log;
  readonly warn = this.log;

  /** The lines about requests. */
  get requests(): unknown[] {
    return this.lines
      .map(([line]) => line)
      .filter((line) => typeof line === 'object' && line !== null && 'ms' in line);
  }
}

export const runner = { run: async () => ({ text: '' }), mayRepeat: () => false };

/** The settings a reload brings. */
export function settings(changed: HooksSettingsInput = {}): HooksSettingsInput {
  return { enabled: true, token: TOKEN, ...changed };
}

/** Options that start an ingress on an empty ledger. */
export function given(options: Partial<HooksModuleOptions> = {}): HooksModuleOptions {
  return { enabled: true, token: TOKEN, ledger: memoryLedger(), runner, ...options };
}

export interface Door {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly endpoints: RecordingEndpoints;
  readonly log: KeptLog;
  readonly clock: HandClock;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** A bare connection to the service. */
  socket(): Socket;
  close(): Promise<void>;
}

export interface Host {
  /** Options of one ingress at `/hooks`. */
  readonly options?: Partial<HooksModuleOptions>;
  /** Instead of that: the host's own imports. */
  readonly imports?: (clock: HandClock) => DynamicModule[];
  readonly module?: Parameters<typeof Module>[0];
  readonly adapter?: ConstructorParameters<typeof FastifyAdapter>[0];
  readonly prepare?: (app: NestFastifyApplication) => unknown;
}

/** Boots a host application with an ingress, over real HTTP on a free port. */
export async function openDoor(host: Host = {}): Promise<Door> {
  const clock = new HandClock();
  const imports = host.imports?.(clock) ?? [HooksModule.forRoot(given({ clock, ...host.options }))];
  @Module({ ...host.module, imports: [...imports, ...(host.module?.imports ?? [])] })
  class HostModule {}
  const endpoints = new RecordingEndpoints();
  const log = new KeptLog();
  const secrets = new Secrets(TOKEN);
  const testing = await Test.createTestingModule({ imports: [HostModule] })
    .overrideProvider(HookEndpoints)
    .useValue(endpoints)
    .overrideProvider(HookAnswers)
    .useValue(endpoints.answers)
    .setLogger(log)
    .compile();
  const app = testing.createNestApplication<NestFastifyApplication>(
    new FastifyAdapter(host.adapter),
    { logger: log },
  );
  await host.prepare?.(app);
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    app,
    url,
    endpoints,
    log,
    clock,
    post: (path, body, headers = GOOD) => {
      secrets.addPayload(body);
      return fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      });
    },
    socket: () => connect(Number(new URL(url).port), '127.0.0.1'),
    close: async () => {
      await app.close();
      secrets.assertAbsentFrom(log.lines.map((line) => JSON.stringify(line)));
    },
  };
}
