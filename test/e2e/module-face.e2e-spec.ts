import { Injectable, Module } from '@nestjs/common';
import type { CanActivate, DynamicModule, Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { ThrottlerModule, getStorageToken } from '@nestjs/throttler';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { exported } from '../../src/hooks/hooks.providers.ts';
import { Clock, LedgerAdmin, Maintenance, Sessions, SystemClock } from '../../src/hooks/index.ts';
import type { Agent } from '../../src/agents.ts';
import {
  AgentDirectory,
  AgentRunner,
  AgentDispatch,
  AuthFailureThrottler,
  ChannelDelivery,
  EventStore,
  HookGuard,
  HookValidationPipe,
  Hooks,
  HooksModule,
  MappingService,
  Rejection,
  RequestObserver,
  SessionPolicy,
  TransformSandbox,
} from '../../src/index.ts';
import type {
  AgentReply,
  AgentTurn,
  HooksModuleExtras,
  HooksModuleOptions,
  ObservedRequest,
} from '../../src/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { GOOD, TOKEN, runner } from '../support/ingress-host.ts';
import { RecordingChannel } from '../support/recording.ts';

let app: NestFastifyApplication;
afterEach(() => app?.close());

type Given = Partial<HooksModuleOptions & HooksModuleExtras>;

function module(given: Given = {}): DynamicModule {
  return HooksModule.forRoot({
    enabled: true,
    token: TOKEN,
    ledger: memoryLedger(),
    runner,
    shutdownSeconds: 0,
    mappings: [{ id: 'ci', messageTemplate: '{{ text }}' }],
    ...given,
  });
}

async function start(
  given: Given = {},
  change: (testing: TestingModuleBuilder) => TestingModuleBuilder = (testing) => testing,
): Promise<void> {
  const testing = await change(Test.createTestingModule({ imports: [module(given)] })).compile();
  app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
    logger: false,
  });
  await app.listen(0, '127.0.0.1');
}

async function post(path: string, body: unknown, headers = GOOD): Promise<Response> {
  return fetch(`${await app.getUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function stored(): Promise<number> {
  const { events } = await app.get(EventStore, { strict: false }).list({ limit: 200 });
  return events.length;
}

const WRONG = { authorization: 'Bearer wrong' };

describe('The decorators decide, proved by taking them away', () => {
  it('without the guard a wrong token is let in, verified by the host; names and bodies still count', async () => {
    const open: CanActivate = { canActivate: () => true };
    await start({}, (testing) => testing.overrideGuard(HookGuard).useValue(open));
    const answer = await post('/hooks/wake', { text: 'x' }, WRONG);
    expect(answer.status).toBe(200);
    const { eventId } = (await answer.json()) as { eventId: string };
    const details = await app.get(EventStore, { strict: false }).get(eventId);
    expect(details?.request.verifiedBy).toBe('application guard');
    expect((await post('/hooks', {}, WRONG)).status).toBe(404);
    expect((await post('/hooks/nobody', {}, WRONG)).status).toBe(404);
    const text = { ...WRONG, 'content-type': 'text/plain' };
    expect((await post('/hooks/wake', { text: 'x' }, text)).status).toBe(415);
    expect(await stored()).toBe(1);
  });

  it('without the guard whoever asked for a run is told how it ended', async () => {
    const open: CanActivate = { canActivate: () => true };
    await start({}, (testing) => testing.overrideGuard(HookGuard).useValue(open));
    const answer = await post('/hooks/agent', { message: 'x' }, WRONG);
    const { runId } = (await answer.json()) as { runId: string };
    const asked = await fetch(`${await app.getUrl()}/hooks/runs/${runId}?wait=30`);
    expect(asked.status).toBe(200);
    expect(await asked.json()).toMatchObject({ ok: true, runId, status: 'succeeded' });
  });

  it('without the guard hooks that are off are still not there', async () => {
    const open: CanActivate = { canActivate: () => true };
    await start({ enabled: false }, (testing) => testing.overrideGuard(HookGuard).useValue(open));
    expect(await (await post('/hooks/wake', { text: 'x' })).json()).toMatchObject({
      statusCode: 404,
    });
  });

  class Unchecked extends HookValidationPipe {
    override transform(): object {
      return { text: 'made by the test' };
    }
  }

  it.each<[string, Parameters<typeof start>]>([
    [
      'overridePipe',
      [{}, (testing) => testing.overridePipe(HookValidationPipe).useClass(Unchecked)],
    ],
    [
      'overridePipe, with an instance',
      [{}, (testing) => testing.overridePipe(HookValidationPipe).useValue(new Unchecked())],
    ],
    [
      'overrideProvider',
      [{}, (testing) => testing.overrideProvider(HookValidationPipe).useClass(Unchecked)],
    ],
    ['forRoot', [{ providers: [{ provide: HookValidationPipe, useClass: Unchecked }] }]],
  ])('without the pipe nothing checks the payload: %s', async (_title, given) => {
    await start(...given);
    expect((await post('/hooks/wake', { no: 'text' })).status).toBe(200);
  });

  it.each<[string, (storage: ThrottlerStorage) => Parameters<typeof start>]>([
    ['authFailures.storage', (storage) => [{ authFailures: { limit: 5, storage } }]],
    [
      'the token of the storage',
      (storage) => [
        { authFailures: { limit: 5 } },
        (testing) => testing.overrideProvider(getStorageToken()).useValue(storage),
      ],
    ],
  ])('another storage counts, by %s', async (_title, given) => {
    const calls: unknown[][] = [];
    const storage: ThrottlerStorage = {
      increment: async (...call) => {
        calls.push(call);
        return { totalHits: 5, timeToExpire: 60, isBlocked: true, timeToBlockExpire: 7 };
      },
    };
    await start(...given(storage));
    expect((await post('/hooks/wake', { text: 'x' }, WRONG)).status).toBe(401);
    const locked = await post('/hooks/wake', { text: 'x' }, WRONG);
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '7']);
    expect(calls).toEqual([['127.0.0.1 0', 60_000, 4, 60_000, 'auth-failures']]);
    expect((await post('/hooks/wake', { text: 'x' })).status).toBe(200);
    expect((await post('/hooks/wake', { text: 'x' }, WRONG)).status).toBe(401);
    expect(calls.at(-1)?.[0]).toBe('127.0.0.1 1');
  });

  it('the storage of a ThrottlerModule of the host counts', async () => {
    const throttler = ThrottlerModule.forRoot([{ ttl: 60_000, limit: 10 }]);
    const counted: unknown[] = [];
    const useFactory = (storage: ThrottlerStorage): HooksModuleOptions => {
      const increment: ThrottlerStorage['increment'] = (...call) => {
        counted.push(call[0]);
        return storage.increment(...call);
      };
      const authFailures = { limit: 2, storage: { increment } };
      return { enabled: true, token: TOKEN, ledger: memoryLedger(), runner, authFailures };
    };
    const inject = [getStorageToken()];
    const hooks = HooksModule.forRootAsync({ imports: [throttler], inject, useFactory });
    await start({}, () => Test.createTestingModule({ imports: [throttler, hooks] }));
    for (const status of [401, 401, 429]) {
      expect((await post('/hooks/wake', { text: 'x' }, WRONG)).status).toBe(status);
    }
    expect(counted).toEqual(['127.0.0.1 0', '127.0.0.1 0']);
  });

  it('a storage that throws costs nobody an answer, and its process counts meanwhile', async () => {
    const storage = { increment: () => Promise.reject(new Error('redis is down')) };
    await start({ authFailures: { limit: 2, storage } });
    for (const status of [401, 401, 429]) {
      expect((await post('/hooks/wake', { text: 'x' }, WRONG)).status).toBe(status);
    }
    expect((await post('/hooks/wake', { text: 'x' })).status).toBe(200);
    expect(await stored()).toBe(1);
  });
});

describe('What the module exports', () => {
  it('is 23 providers', () => {
    const exported: unknown = Reflect.getMetadata('exports', HooksModule);
    expect(exported).toHaveLength(23);
  });

  it('is what providers of the host inject', async () => {
    const hooks = module();
    const parts = { provide: 'parts', inject: exported, useFactory: (...given: object[]) => given };
    @Module({ imports: [hooks], providers: [parts] })
    class GatewayModule {}
    await start({}, () => Test.createTestingModule({ imports: [hooks, GatewayModule] }));
    const given: unknown = app.get('parts', { strict: false });
    expect(given).toEqual(exported.map((token) => app.get(token, { strict: false })));
  });

  it('is replaced by forRoot({ providers }): a session policy of the host decides', async () => {
    @Injectable()
    class TenantSessions extends SessionPolicy {
      override resolve(): string {
        return 'hook:tenant-7';
      }
    }
    const providers = [{ provide: SessionPolicy, useClass: TenantSessions }];
    await start({ providers });
    const answer = await post('/hooks/agent', { message: 'hi', deliver: false });
    const { eventId } = (await answer.json()) as { eventId: string };
    const details = await app.get(EventStore, { strict: false }).get(eventId);
    expect(details?.actions).toMatchObject([{ sessionKey: 'hook:tenant-7' }]);
  });
});

describe('What the module exports is replaced by forRoot({ providers })', () => {
  const PORTS: readonly unknown[] = [EventStore, Sessions, LedgerAdmin, Maintenance];
  const ABSTRACT: readonly unknown[] = [
    ...PORTS,
    Clock,
    AgentRunner,
    AgentDirectory,
    RequestObserver,
  ];

  it.each(exported.filter((token) => !ABSTRACT.includes(token)))(
    '%p: an own class',
    async (token) => {
      const Own = class extends (token as Type<object>) {};
      await start({ providers: [{ provide: token, useClass: Own }] });
      expect(app.get(token, { strict: false })).toBeInstanceOf(Own);
      expect((await post('/hooks/wake', { text: 'x' })).status).toBe(200);
    },
  );

  it('Clock: the time of an event is the host’s', async () => {
    class Own extends SystemClock {
      override now(): number {
        return 1_700_000_000_000;
      }
    }
    await start({ providers: [{ provide: Clock, useValue: new Own() }] });
    const { eventId } = (await (await post('/hooks/wake', { text: 'x' })).json()) as {
      eventId: string;
    };
    const details = await app.get(EventStore, { strict: false }).get(eventId);
    expect(details?.receivedAt).toBe('2023-11-14T22:13:20.000Z');
  });

  it('RequestObserver: the host’s hears of every answer', async () => {
    const heard: unknown[][] = [];
    class Own extends RequestObserver {
      override observe({ hook, status, code }: ObservedRequest): void {
        heard.push([hook, status, code]);
      }
    }
    await start({ providers: [{ provide: RequestObserver, useClass: Own }] });
    await post('/hooks/wake', { text: 'x' }, WRONG);
    await post('/hooks/wake', { text: 'x' });
    expect(heard).toEqual([
      ['wake', 401, 'unauthorized'],
      ['wake', 200, undefined],
    ]);
    expect(await stored()).toBe(1);
  });

  it('AuthFailureThrottler: the host’s decides how often one may fail', async () => {
    class Own extends AuthFailureThrottler {
      override async fail(): Promise<number> {
        return 7;
      }
    }
    await start({ providers: [{ provide: AuthFailureThrottler, useClass: Own }] });
    const locked = await post('/hooks/wake', { text: 'x' }, WRONG);
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await stored()).toBe(0);
  });

  it.each([EventStore, Sessions, LedgerAdmin, Maintenance])(
    '%p: what stands before the ledger’s own',
    async (token) => {
      const own = Object.create(token.prototype);
      await start({ providers: [{ provide: token, useValue: own }] });
      expect(app.get(token as Type<object>, { strict: false })).toBe(own);
      expect((await post('/hooks/wake', { text: 'x', mode: 'next-heartbeat' })).status).toBe(200);
    },
  );
});

type Replacing = [token: unknown, own: Type<object>];

const byOverride = (given: Given, ...all: Replacing[]): Promise<void> =>
  start(given, (testing) =>
    all.reduce((made, [token, own]) => made.overrideProvider(token).useClass(own), testing),
  );
const byForRoot = (given: Given, ...all: Replacing[]): Promise<void> => {
  const providers = all.map(([provide, useClass]) => ({ provide: provide as Type, useClass }));
  return start({ ...given, providers });
};

describe.each([
  ['overrideProvider of @nestjs/testing', byOverride],
  ['forRoot({ providers })', byForRoot],
])('%s replaces, and what is in its place is called:', (_, startWith) => {
  it('MappingService: nothing knows the hook', async () => {
    class Own extends MappingService {
      override match(): null {
        return null;
      }
    }
    await startWith({}, [MappingService, Own]);
    expect((await post('/hooks/ci', { text: 'x' })).status).toBe(404);
  });

  it('TransformSandbox: a transform is what the host runs', async () => {
    class Own extends TransformSandbox {
      override async check(): Promise<[]> {
        return [];
      }
      override async run(): ReturnType<TransformSandbox['run']> {
        return { json: 'null', console: [], isOutdated: false };
      }
    }
    const mappings = [{ id: 'made', transform: { module: 'nowhere.js' } }];
    await startWith({ mappings }, [TransformSandbox, Own]);
    expect((await post('/hooks/made', {})).status).toBe(204);
  });

  it('SessionPolicy: the session is the host’s', async () => {
    class Own extends SessionPolicy {
      override resolve(): string {
        return 'hook:tenant-8';
      }
    }
    await startWith({}, [SessionPolicy, Own]);
    const answer = await post('/hooks/agent', { message: 'hi', deliver: false });
    const { eventId } = (await answer.json()) as { eventId: string };
    const details = await app.get(EventStore, { strict: false }).get(eventId);
    expect(details?.actions).toMatchObject([{ sessionKey: 'hook:tenant-8' }]);
  });

  it('AgentRunner and AgentDirectory: the agents and what answers for them', async () => {
    const turn = Promise.withResolvers<AgentTurn>();
    class OwnRunner extends AgentRunner {
      override async run(asked: AgentTurn): Promise<AgentReply> {
        turn.resolve(asked);
        return { text: 'done' };
      }
    }
    class OwnDirectory extends AgentDirectory {
      override resolve(): Agent {
        return { id: 'clerk', timeoutSeconds: 60 };
      }
      override list(): readonly Agent[] {
        return [this.resolve()];
      }
    }
    await startWith({}, [AgentDirectory, OwnDirectory], [AgentRunner, OwnRunner]);
    await post('/hooks/agent', { message: 'hi', deliver: false });
    expect((await turn.promise).agent.id).toBe('clerk');
  });

  it('AgentDispatch: every turn passes the host', async () => {
    const taken = Promise.withResolvers<string>();
    class Own extends AgentDispatch {
      override take(...[lease, turn, stop]: Parameters<AgentDispatch['take']>) {
        taken.resolve(turn.prompt);
        return super.take(lease, turn, stop);
      }
    }
    await startWith({}, [AgentDispatch, Own]);
    await post('/hooks/agent', { message: 'hi there', deliver: false });
    expect(await taken.promise).toContain('hi there');
  });

  it('ChannelDelivery: messages go the way of the host', async () => {
    const sent = Promise.withResolvers<string>();
    class Own extends ChannelDelivery {
      override async send(...[, { text }]: Parameters<ChannelDelivery['send']>): Promise<object> {
        sent.resolve(text);
        return {};
      }
    }
    const speaking = { ...runner, run: async () => ({ text: 'the reply' }) };
    const provider = new RecordingChannel('own', []);
    const channels = { chan_1: { provider, to: 'ops' } };
    await startWith({ runner: speaking, channels }, [ChannelDelivery, Own]);
    await post('/hooks/agent', { message: 'hi' });
    expect(await sent.promise).toContain('the reply');
    expect(provider.messages).toEqual([]);
  });
});

describe('Hooks, from code', () => {
  it('wakes, runs and sends through mappings, each durable and told what a sender is told', async () => {
    await start();
    const hooks = app.get(Hooks, { strict: false });
    expect(await hooks.wake({ text: 'green' })).toEqual({ eventId: expect.any(String) });
    const run = await hooks.run({ message: 'hello', model: 'x', deliver: false });
    expect(run).toEqual({
      eventId: expect.any(String),
      runId: expect.any(String),
      warnings: ['no models are configured, model is passed on unchecked'],
    });
    expect(await hooks.send('ci', { text: 'built' })).toMatchObject({ runId: expect.any(String) });
    expect(await stored()).toBe(3);
  });

  it('goes through the same policies: what is refused over HTTP is thrown, and nothing is stored', async () => {
    await start();
    const hooks = app.get(Hooks, { strict: false });
    const refused = hooks.run({ message: 'hi', sessionKey: 'hook:mine' });
    await expect(refused).rejects.toBeInstanceOf(Rejection);
    await expect(refused).rejects.toMatchObject({ code: 'session_key_not_allowed', status: 400 });
    await expect(hooks.wake({ text: ' ' })).rejects.toMatchObject({ code: 'invalid_payload' });
    await expect(hooks.send('nobody', {})).rejects.toMatchObject({ code: 'unknown_hook' });
    expect(await stored()).toBe(0);
  });

  it('the same idempotency key runs once', async () => {
    await start();
    const hooks = app.get(Hooks, { strict: false });
    const first = await hooks.wake({ text: 'once' }, { idempotencyKey: 'k' });
    expect(await hooks.wake({ text: 'once' }, { idempotencyKey: 'k' })).toEqual(first);
    expect(await stored()).toBe(1);
  });
});

describe('forRootAsync refuses at the start', () => {
  const starting = (returned: unknown): Promise<unknown> =>
    Test.createTestingModule({
      imports: [HooksModule.forRootAsync({ useFactory: () => returned as HooksModuleOptions })],
    }).compile();
  const ledger = { open: jest.fn() };
  const good = { enabled: true, token: TOKEN, ledger, runner };
  const LEDGER = /^HooksModule: ledger is no LedgerProvider; pass sqliteLedger\(\{ dir \}\)\.$/;
  const DIRECTORY =
    /: directory is no AgentDirectory; pass an instance of a class that extends it\.$/;
  const CLOCK = /: clock is no Clock; pass an instance of a class that extends it\.$/;
  const STORAGE =
    /: authFailures\.storage is no ThrottlerStorage; pass an instance, not a class or a token\.$/;

  it.each([
    [
      'another path',
      { ...good, path: '/in' },
      /: give path to forRootAsync itself, beside useFact/,
    ],
    [
      'marks',
      { ...good, decorators: [], isGlobal: true },
      /: give isGlobal, decorators to forRoot/,
    ],
    [
      'the name of a platform for a channel',
      { ...good, channels: { chan_5: { provider: 'telegram' } } },
      /: channels\.chan_5\.provider is no Channel; pass one of nestjs-agent-hooks\/channels/,
    ],
    [
      'the class of a runner',
      { ...good, runner: class {} },
      /: runner is no AgentRunner; pass demoRunner\(\), or an instance of your own/,
    ],
    [
      'no ledger',
      { ...good, ledger: undefined },
      /^HooksModule has no ledger: pass ledger: sqliteLedger\(\{ dir \}\)\.$/,
    ],
    ['the name of a database', { ...good, ledger: 'sqlite' }, LEDGER],
    ['what makes a ledger, not called', { ...good, ledger: memoryLedger }, LEDGER],
    [
      'no runner',
      { ...good, runner: null },
      /^HooksModule has no runner: pass runner: demoRunner\(\), or an instance of your own\.$/,
    ],
    ['a directory that lists nobody', { ...good, directory: { resolve: () => 'main' } }, DIRECTORY],
    ['a directory that finds nobody', { ...good, directory: { list: () => [] } }, DIRECTORY],
    ['the class of a directory', { ...good, directory: AgentDirectory }, DIRECTORY],
    ['a function for a clock', { ...good, clock: Date }, CLOCK],
    ['a clock that only tells the time', { ...good, clock: { now: Date.now } }, CLOCK],
    [
      'an observer that hears of no end',
      { ...good, observer: { observe: () => {} } },
      /: observer is no RequestObserver; pass an instance of a class that extends it\.$/,
    ],
    ['options for a storage', { ...good, authFailures: { limit: 2, storage: {} } }, STORAGE],
    ['a token for a storage', { ...good, authFailures: { storage: getStorageToken() } }, STORAGE],
    [
      'a pattern for a verifier',
      { ...good, verifiers: { acme: 'sha256' } },
      /: verifiers\.acme is no function; pass one that says true or false\.$/,
    ],
    [
      'no verifier',
      { ...good, verifiers: { acme: undefined } },
      /: verifiers\.acme is no function;/,
    ],
    [
      'less than no time for a stop',
      { ...good, shutdownSeconds: -1 },
      /: shutdownSeconds must be a number of seconds, 0 or more/,
    ],
    [
      'nothing',
      undefined,
      /^HooksModule has no options: the factory of forRootAsync returned noth/,
    ],
  ])('a factory that returns %s', async (_, returned, sentence) => {
    await expect(starting(returned)).rejects.toThrow(sentence);
    expect(ledger.open).not.toHaveBeenCalled();
  });

  it('and takes null for what has a default', async () => {
    const nulls = { directory: null, clock: null, observer: null, authFailures: null };
    await expect(starting({ ...good, ...nulls })).resolves.toBeDefined();
  });
});
