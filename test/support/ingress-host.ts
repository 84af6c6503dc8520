import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Module } from '@nestjs/common';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { HooksModule } from '../../src/index.ts';
import type { HooksModuleExtras, HooksModuleOptions } from '../../src/index.ts';
import { Intake } from '../../src/hooks/ports/index.ts';
import type { Acceptance, NewEvent } from '../../src/hooks/ports/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/index.ts';
import { ManualClock } from './clocks.ts';
import { Secrets } from './secret-free-log.ts';
import { memoryLedger } from '../../src/testing.ts';

export const TOKEN = 'a-hook-token-of-decent-length';
export const GOOD = { authorization: `Bearer ${TOKEN}` };

interface AcceptedRequest {
  readonly name: string;
  readonly query: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly payloadText: string;
  readonly client: string;
  readonly verifiedBy: string;
  readonly receivedAt: number;
  readonly idempotencyKey: string | undefined;
  readonly actions: readonly unknown[];
}

class RecordingIntake extends Intake {
  readonly requests: AcceptedRequest[] = [];
  answer: (event: NewEvent) => Acceptance = ({ actions, warnings }) => ({
    outcome: 'accepted',
    receipt: { eventId: 'event-1', actions: actions.map(({ receipt }) => receipt), warnings },
  });

  override async holderOf(): Promise<null> {
    return null;
  }

  override async accept(event: NewEvent): Promise<Acceptance> {
    const { path: name, query, headers, client, verifiedBy } = event.request;
    this.requests.push({
      name,
      query,
      headers,
      payload: JSON.parse(event.payload),
      payloadText: event.payload,
      client,
      verifiedBy,
      receivedAt: event.receivedAt,
      idempotencyKey: event.keys?.[0]?.key,
      actions: event.actions.map(({ details }) => details),
    });
    return this.answer(event);
  }
}

export class KeptLog implements LoggerService {
  readonly lines: unknown[][] = [];
  readonly log = (...line: unknown[]): unknown => this.lines.push(line);
  readonly error = this.log;
  readonly warn = this.log;

  get requests(): unknown[] {
    return this.lines
      .map(([line]) => line)
      .filter((line) => typeof line === 'object' && line !== null && 'ms' in line);
  }
}

export const runner = { run: async () => ({ text: '' }), mayRepeat: () => false };

export function settings(changed: HooksSettingsInput = {}): HooksSettingsInput {
  const mappings = [{ id: 'any', match: {}, messageTemplate: 'hello' }];
  return { enabled: true, token: TOKEN, mappings, ...changed };
}

export function given(options: Partial<HooksModuleOptions> = {}): HooksModuleOptions {
  const mappings = [{ id: 'any', match: {}, messageTemplate: 'hello' }];
  return { enabled: true, token: TOKEN, mappings, ledger: memoryLedger(), runner, ...options };
}

function recorded(ledger: HooksModuleOptions['ledger'], intake: Intake): typeof ledger {
  return { open: async (clock) => ({ ...(await ledger.open(clock)), intake }) };
}

export interface Ingress {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly intake: RecordingIntake;
  readonly log: KeptLog;
  readonly clock: ManualClock;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  socket(): Socket;
  close(): Promise<void>;
}

export interface Host {
  readonly options?: Partial<HooksModuleOptions & HooksModuleExtras>;
  readonly imports?: (clock: ManualClock, ledger: HooksModuleOptions['ledger']) => DynamicModule[];
  readonly module?: Parameters<typeof Module>[0];
  readonly adapter?: ConstructorParameters<typeof FastifyAdapter>[0];
  readonly prepare?: (app: NestFastifyApplication) => unknown;
}

export async function openIngress(host: Host = {}): Promise<Ingress> {
  const clock = new ManualClock();
  const intake = new RecordingIntake();
  const ledger = recorded(memoryLedger(), intake);
  const imports = host.imports?.(clock, ledger) ?? [
    HooksModule.forRoot(given({ clock, ledger, ...host.options })),
  ];
  @Module({ ...host.module, imports: [...imports, ...(host.module?.imports ?? [])] })
  class HostModule {}
  const log = new KeptLog();
  const secrets = new Secrets(TOKEN);
  const testing = await Test.createTestingModule({ imports: [HostModule] })
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
    intake,
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
