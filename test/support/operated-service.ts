import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  AuthFailureThrottler,
  CHANNEL_BINDINGS,
  ChannelDelivery,
  Clock,
  ConsoleSessions,
  ExternalServices,
  GATEWAY_NAMES,
  HookAuthentication,
  OperatorRequests,
  HooksSettings,
  LedgerAdmin,
  EventStore,
  Sessions,
  SystemClock,
  Maintenance,
  Refusals,
  WorkLedger,
} from '../../src/hooks/index.ts';
import { FAILURE_STORAGE } from '../../src/hooks/http/auth/failure-storage.ts';
import type { Preview, PreviewRequest } from '../../src/hooks/index.ts';
import { ConsoleModule } from '../../src/service/console/index.ts';
import { Metrics, OpsModule } from '../../src/service/ops/index.ts';
import { createHttpAdapter } from '../../src/service/http-adapter.ts';
import { JsonErrorsFilter } from '../../src/service/refusals.ts';
import { BackendHealth } from '../../src/hooks/work/backend-health.ts';
import { HandlerStep } from '../../src/hooks/work/handler-step.ts';
import { ChannelHealth } from '../../src/hooks/work/channel-health.ts';
import { Certificates } from '../../src/hooks/http/auth/signatures/index.ts';
import { PathRules } from '../../src/hooks/http/path-rules.ts';
import { SecretWindows } from '../../src/hooks/http/secret-windows.ts';
import { HostErrors } from '../../src/hooks/work/host-errors.ts';
import type { ConfigurationState, MailStatus } from '../../src/service/ops/index.ts';
import type { OperatorTokens } from '../../src/service/configuration/operator-tokens.ts';
import { assertDocumented } from './documented-answers.ts';
import { OperatedLedger } from './operated-ledger.ts';
import { RecordingChannel } from './recording.ts';

export const OPERATOR_TOKEN = 'operator-token-of-good-length';
export const METRICS_TOKEN = 'metrics-token-of-good-length';
export const HOOK_TOKEN = 'hook-token-of-good-length';

const JSON_TYPE = { 'content-type': 'application/json' };

export interface OperatedOptions {
  readonly exposed?: boolean;
  readonly trustedProxies?: readonly string[];
  readonly hosts?: readonly string[];
  /** Those in force. Absent: {@link OPERATOR_TOKEN} and {@link METRICS_TOKEN}. */
  readonly tokens?: () => Partial<OperatorTokens>;
  /** Absent: the real one. */
  readonly clock?: Clock;
  /** Folder of a built console. Absent: it was not built. */
  readonly console?: string;
  /** Absent: with prom-client. */
  readonly metrics?: Metrics;
  /** How a mailbox does; absent: there is none. */
  readonly mail?: () => MailStatus;
  /** How the configuration stands; absent: nobody can tell. */
  readonly configuration?: () => ConfigurationState;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

export interface Asked {
  readonly token?: string | null;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, an object as JSON. */
  readonly body?: string | object;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

const NOTHING: Omit<Preview, 'hook'> = {
  mapping: null,
  considered: [],
  actions: [],
  rules: [],
  warnings: [],
  console: [],
  skipped: null,
  refusal: null,
  failure: null,
  ms: 0,
  draft: null,
};

class RecordingRequests {
  readonly journal: unknown[] = [];
  replay: OperatorRequests['replay'] = async () => ({ outcome: 'unknown' });

  async preview(request: PreviewRequest): Promise<Preview> {
    this.journal.push(request);
    return { ...NOTHING, hook: request.hook };
  }

  async previewEvent(id: string): Promise<Preview | 'unknown' | 'pruned'> {
    this.journal.push(id);
    if (id === 'pruned' || id === 'unknown') return id;
    return { ...NOTHING, hook: `of ${id}` };
  }
}

export class OperatedService implements AsyncDisposable {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly ledger: OperatedLedger,
    readonly requests: RecordingRequests,
    readonly channel: RecordingChannel,
  ) {}

  static async start({
    metrics,
    tokens: given,
    clock = new SystemClock(),
    console: built = 'not built',
    hosts = [],
    ...options
  }: OperatedOptions = {}): Promise<OperatedService> {
    const ledger = new OperatedLedger();
    const channel = new RecordingChannel('chan_1', []);
    const requests = new RecordingRequests();
    const tokens = given ?? (() => ({ metrics: METRICS_TOKEN }));
    const ops = {
      tokens: () => ({ operator: OPERATOR_TOKEN, metrics: undefined, ...tokens() }),
      hooksPath: '/hooks',
      exposed: false,
      trustedProxies: [],
      ...options,
    };
    const hooks = hooksStandIn({ ledger, requests, channel, clock });
    const operatorApi = OpsModule.forHooks(hooks, ops);
    const testing = Test.createTestingModule({
      imports: [operatorApi, ConsoleModule.forOps(operatorApi, built)],
    });
    if (metrics !== undefined) testing.overrideProvider(Metrics).useValue(metrics);
    const app = (await testing.compile()).createNestApplication<NestFastifyApplication>(
      createHttpAdapter({ hosts }),
      { bodyParser: false, logger: false },
    );
    app.useGlobalFilters(new JsonErrorsFilter());
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new OperatedService(app, ledger, requests, channel);
  }

  get metrics(): Metrics {
    return this.app.get(Metrics, { strict: false });
  }

  get(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('GET', url, asked);
  }

  post(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('POST', url, asked);
  }

  put(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('PUT', url, asked);
  }

  delete(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('DELETE', url, asked);
  }

  head(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('HEAD', url, asked);
  }

  async ask(
    method: Method,
    url: string,
    { token = OPERATOR_TOKEN, from = '127.0.0.1', headers = {}, body: sent }: Asked,
  ): Promise<Answer> {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await this.app.inject({
      method,
      url,
      remoteAddress: from,
      headers: { ...authorization, ...(sent !== undefined && JSON_TYPE), ...headers },
      ...(sent !== undefined && { payload: sent }),
    });
    const { statusCode, payload } = answer;
    const body = payload.startsWith('{') ? JSON.parse(payload) : {};
    if (!url.startsWith('/console'))
      assertDocumented(method, url, { status: statusCode, text: payload });
    return { status: statusCode, headers: answer.headers, text: payload, body };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
  }
}

@Module({})
class HooksStandIn {}

function hooksStandIn({
  ledger,
  requests,
  channel,
  clock,
}: Pick<OperatedService, 'ledger' | 'requests' | 'channel'> & {
  clock: Clock;
}): DynamicModule {
  const verify = { scheme: 'asana', secrets: ['the-secret-of-its-sender'] };
  const mappings = [{ id: 'held', verify, messageTemplate: 'an event' }];
  const settings = new HooksSettings({ enabled: true, token: HOOK_TOKEN, mappings }, GATEWAY_NAMES);
  const windows = new SecretWindows(
    new SystemClock(),
    settings,
    new PathRules(settings, new Certificates()),
  );
  const providers = [
    { provide: HooksSettings, useValue: settings },
    { provide: Clock, useValue: clock },
    { provide: EventStore, useValue: ledger.events },
    { provide: Sessions, useValue: ledger.sessions },
    { provide: LedgerAdmin, useValue: ledger.operations },
    { provide: WorkLedger, useValue: ledger.work },
    { provide: Maintenance, useValue: ledger.upkeep },
    { provide: Refusals, useValue: ledger.refusals },
    { provide: ConsoleSessions, useValue: ledger.consoleSessions },
    {
      provide: HookAuthentication,
      inject: [AuthFailureThrottler],
      useFactory: (throttle: AuthFailureThrottler) => ({
        secretWindows: windows,
        lastUses: new Map(),
        throttle,
      }),
    },
    { provide: OperatorRequests, useValue: requests },
    { provide: FAILURE_STORAGE, useValue: null },
    { provide: CHANNEL_BINDINGS, useValue: { chan_1: { provider: channel, to: '+1' } } },
    ChannelDelivery,
    HostErrors,
    ChannelHealth,
    BackendHealth,
    { provide: HandlerStep, useValue: { missing: [] } },
    ExternalServices,
    AuthFailureThrottler,
  ];
  return { module: HooksStandIn, providers, exports: providers };
}
