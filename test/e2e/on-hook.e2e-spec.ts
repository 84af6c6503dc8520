import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Injectable, Module, Post, Scope } from '@nestjs/common';
import type { LoggerService, ModuleMetadata, Provider } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { IsInt, IsNumber, IsString, Validate, ValidatorConstraint } from 'class-validator';
import { schemes, signRequest } from '../../src/hooks/index.ts';
import type { EventDetails } from '../../src/ledger.ts';
import type { AgentTurn } from '../../src/index.ts';
import type { ObservedEnd } from '../../src/options.ts';
import {
  EventStore,
  ExternalServices,
  Hooks,
  HooksModule,
  LedgerAdmin,
  OnHook,
  OperatorRequests,
  deliver,
  getHooksToken,
  run,
  skip,
  sqliteLedger,
  wake,
} from '../../src/index.ts';
import type {
  HookEvent,
  HookResult,
  HooksModuleExtras,
  HooksModuleOptions,
} from '../../src/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { eventually } from '../support/eventually.ts';
import { GOOD, KeptLog, TOKEN } from '../support/ingress-host.ts';
import { RecordingChannel } from '../support/recording.ts';

class Order {
  @IsInt()
  id!: number;

  @IsString()
  customer!: string;
}

/** What the handler of these tests does, by the test. */
let handle: (event: HookEvent<Order>) => HookResult | Promise<HookResult>;
let events: HookEvent[];
let turns: AgentTurn[];

@Injectable()
class OrdersHandler {
  @OnHook('orders', { payload: Order, timeoutSeconds: 30 })
  onOrder(event: HookEvent<Order>): HookResult | Promise<HookResult> {
    events.push(event);
    return handle(event);
  }
}

class Partners {
  @OnHook('orders', { ingress: 'partners' })
  onOrder(event: HookEvent): HookResult {
    return skip(`of a partner: ${event.id}`);
  }
}

let app: NestFastifyApplication;
beforeEach(() => {
  events = [];
  turns = [];
  handle = () => undefined;
});
const directories: string[] = [];
afterEach(async () => {
  await app?.close();
  for (const dir of directories.splice(0)) rmSync(dir, { recursive: true });
});

function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'on-hook-'));
  directories.push(dir);
  return dir;
}

const runner = {
  run: async (turn: AgentTurn) => {
    turns.push(turn);
    return { text: 'the reply' };
  },
  mayRepeat: () => true,
};

type Given = Partial<HooksModuleOptions & HooksModuleExtras>;

function ingress(given: Given = {}) {
  return HooksModule.forRoot({
    enabled: true,
    token: TOKEN,
    ledger: memoryLedger(),
    runner,
    shutdownSeconds: 0,
    mappings: [{ id: 'orders' }],
    ...given,
  });
}

function start(
  given: Given = {},
  providers: Provider[] = [OrdersHandler],
  logger: LoggerService | false = false,
): Promise<void> {
  return startIn({ providers }, (testing) => testing, given, logger);
}

async function startIn(
  metadata: ModuleMetadata,
  change = (testing: TestingModuleBuilder): TestingModuleBuilder => testing,
  given: Given = {},
  logger: LoggerService | false = false,
): Promise<void> {
  @Module(metadata)
  class OrdersModule {}
  const imports = [ingress(given), OrdersModule];
  const testing = await change(Test.createTestingModule({ imports })).compile();
  app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger });
  await app.listen(0, '127.0.0.1');
}

const ORDER = { id: 7, customer: 'Ada' };

async function post(body: unknown, path = '/hooks/orders'): Promise<Response> {
  return fetch(`${await app.getUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...GOOD },
    body: JSON.stringify(body),
  });
}

function details(id: string): Promise<EventDetails | null> {
  return app.get(EventStore, { strict: false }).get(id);
}

/** The event of a request, once everything that it asked for has ended. */
async function ended(answer: Response | Promise<Response>): Promise<EventDetails> {
  const { eventId } = (await (await answer).json()) as { eventId: string };
  return eventually('the event has ended', async () => {
    const event = await details(eventId);
    return event !== null && ['done', 'failed', 'skipped'].includes(event.status) ? event : false;
  });
}

describe('A method with @OnHook', () => {
  it('gets the verified event, once it is stored and its sender answered', async () => {
    const answered = Promise.withResolvers<void>();
    handle = () => answered.promise;
    await start();
    const answer = await post(ORDER);
    expect([answer.status, await answer.clone().json()]).toEqual([
      200,
      { ok: true, eventId: expect.any(String) },
    ]);
    answered.resolve();
    const event = await ended(answer);
    expect(events).toEqual([
      {
        id: event.id,
        hook: 'orders',
        sender: 'token',
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        payload: Object.assign(new Order(), ORDER),
        attempt: 1,
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(events[0]!.payload).toBeInstanceOf(Order);
    expect(events[0]!.headers).not.toHaveProperty('authorization');
    expect(event).toMatchObject({
      status: 'done',
      mapping: 'orders',
      actions: [{ kind: 'handler', handler: 'OrdersHandler.onOrder' }],
      runs: [],
      deliveries: [{ channel: 'handler', to: 'OrdersHandler.onOrder', status: 'delivered' }],
    });
    expect(turns).toEqual([]);
  });

  it('has numbers of many digits as numbers, and a payload of its own to change', async () => {
    class Priced {
      @IsNumber()
      price!: number;
    }
    class Prices {
      @OnHook('orders', { payload: Priced })
      onOrder({ payload }: HookEvent<Priced>): HookResult {
        return skip(String(payload.price * 2));
      }

      @OnHook('sums')
      onSum({ payload, headers }: HookEvent<object>): HookResult {
        Object.assign(payload, { price: 'forged' });
        Object.assign(headers, { 'content-type': 'forged' });
        return run({ deliver: false });
      }
    }
    const mappings = [
      { id: 'orders' },
      { id: 'sums', messageTemplate: '{{ price }} {{ headers.content-type }}' },
    ];
    await start({ mappings }, [Prices]);
    const body = { price: JSON.rawJSON('19.9900000000000000') };
    expect((await ended(post(body))).deliveries).toMatchObject([{ error: '39.98' }]);
    await ended(post(body, '/hooks/sums'));
    expect(turns[0]!.prompt).toContain('19.9900000000000000 application/json');
  });

  it('brings the preset of its name, and decides about all of its events', async () => {
    class Pushes {
      @OnHook('github')
      onEvent(event: HookEvent<{ zen: string }>): HookResult {
        events.push(event);
        return skip(`zen of ${event.payload.zen}`);
      }
    }
    const secret = 'a-shared-secret-of-github';
    await start({ mappings: [{ id: 'github', verify: { secrets: [secret] } }] }, [Pushes]);
    const url = `${await app.getUrl()}/hooks/github`;
    const body = Buffer.from('{ "zen": "Design for failure." }');
    const scheme = schemes.get('github')!;
    const { headers } = signRequest(scheme, { secret, body, now: Date.now(), headers: {} });
    const sent = { method: 'POST', headers: { ...headers, 'x-github-event': 'ping' }, body };
    const event = await ended(fetch(url, sent));
    expect(events).toMatchObject([{ hook: 'github', sender: 'github' }]);
    expect(event).toMatchObject({
      status: 'done',
      deliveries: [{ status: 'skipped', error: 'zen of Design for failure.' }],
    });
    const forged = { ...sent, body: Buffer.from('{ "zen": "Forged." }') };
    expect((await fetch(url, forged)).status).toBe(401);
    expect(events).toHaveLength(1);
  });

  it('is asked whichever door an event comes by: Hooks.send, a replay', async () => {
    await start();
    const { eventId } = await app.get(Hooks, { strict: false }).send('orders', ORDER);
    await eventually('it is asked', () => events.length === 1);
    await app.get(OperatorRequests, { strict: false }).replay(eventId);
    await eventually('it is asked again', () => events.length === 2);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });
});

describe('What it returns', () => {
  it('run: by the templates and rules of its mapping, in a session of hooks', async () => {
    handle = ({ payload }) => run({ sessionKey: `hook:orders:${payload.id}`, deliver: false });
    await start({ mappings: [{ id: 'orders', messageTemplate: 'order of {{ customer }}' }] });
    const event = await ended(post(ORDER));
    expect(event.runs).toMatchObject([{ status: 'succeeded', sessionKey: 'hook:orders:7' }]);
    expect(turns[0]!.prompt).toContain('order of Ada');
    expect(turns[0]!.contract).toMatchObject({ trust: 'untrusted', mapping: 'orders' });
  });

  it('wake and deliver: several at once', async () => {
    const channel = new RecordingChannel('own', []);
    handle = () => [wake('an order came', { mode: 'now' }), deliver({ message: 'Thank you.' })];
    await start({ channels: { chan_1: { provider: channel, to: 'ops' } } });
    const event = await ended(post(ORDER));
    expect(event).toMatchObject({ status: 'done', heartbeat: 'done' });
    expect(turns.map(({ prompt }) => prompt).join()).toContain('an order came');
    expect(channel.messages.map(({ text }) => text)).toContain('Thank you.');
  });

  it('whenBusy: runs of a busy session are left out, though they come by handlers', async () => {
    const hold = Promise.withResolvers<void>();
    const busy = {
      ...runner,
      run: async (turn: AgentTurn) => (await hold.promise, runner.run(turn)),
    };
    handle = () => run({ deliver: false });
    const mapping = { id: 'orders', sessionKey: 'hook:orders', whenBusy: 'skip' } as const;
    await start({ runner: busy, mappings: [mapping] });
    const first = await post(ORDER);
    await eventually('the first run is under way', async () => {
      const { events: list } = await app.get(EventStore, { strict: false }).list({ limit: 1 });
      return list[0]?.status === 'running';
    });
    const second = await ended(post(ORDER));
    expect(second.runs).toMatchObject([
      { status: 'skipped', error: expect.stringMatching(/^its session had run \S+ already$/) },
    ]);
    hold.resolve();
    expect((await ended(first)).runs).toMatchObject([{ status: 'succeeded' }]);
  });

  it('the order of a session, limits and budgets: a run waits for what it would wait for', async () => {
    const hold = Promise.withResolvers<void>();
    const slow = {
      ...runner,
      run: async (turn: AgentTurn) => (await hold.promise, runner.run(turn)),
    };
    handle = ({ payload }) => run({ message: `order ${payload.id}`, deliver: false });
    const mappings: HooksModuleOptions['mappings'] = [
      { id: 'orders', sessionKey: 'hook:orders', limit: { runs: 2, per: '1h' } },
    ];
    await start({ runner: slow, mappings });
    const answers = [
      await post(ORDER),
      await post({ ...ORDER, id: 8 }),
      await post({ ...ORDER, id: 9 }),
    ];
    const waiting = () => app.get(LedgerAdmin, { strict: false }).waiting();
    await eventually('two are behind the first', async () =>
      (await waiting()).some(
        ({ kind, cause, count }) => kind === 'run' && cause === 'order' && count === 2,
      ),
    );
    hold.resolve();
    const [first, second] = [await ended(answers[0]!), await ended(answers[1]!)];
    expect([first.status, second.status]).toEqual(['done', 'done']);
    await eventually('the third waits for its limit', async () =>
      (await waiting()).some(({ kind, cause }) => kind === 'run' && cause === 'limit'),
    );
    const runs = turns.filter(({ kind }) => kind === 'run');
    expect(runs.map(({ prompt }) => /order \d/.exec(prompt)?.[0])).toEqual(['order 7', 'order 8']);
  });

  it('a budget that is used up: its run waits, though its sender was answered', async () => {
    handle = () => run({ deliver: false });
    await start({ budgets: [{ of: 'runs', most: 1, per: '1d', then: 'refuse' }] });
    await ended(post(ORDER));
    expect((await post(ORDER)).status).toBe(200);
    await eventually('its run waits', async () => {
      const waiting = await app.get(LedgerAdmin, { strict: false }).waiting();
      return waiting.some(({ kind, cause }) => kind === 'run' && cause === 'budget');
    });
    expect(turns.filter(({ kind }) => kind === 'run')).toHaveLength(1);
  });

  it('a reason of any length: its beginning is kept', async () => {
    handle = () => skip('x'.repeat(100_000));
    await start();
    const [delivery] = (await ended(post(ORDER))).deliveries;
    const kept = expect.stringMatching(/^x{1000}… \(99000 more characters\)$/);
    expect(delivery).toMatchObject({ error: kept, attempts: [{ error: kept }] });
  });

  it.each<[string, HookResult, RegExp]>([
    ['an agent that is not allowed', run({ agentId: 'main' }), /main/],
    [
      'a session that is not one of hooks',
      run({ sessionKey: 'main' }),
      /must begin with literal text/,
    ],
    ['what says no kind', {}, /kind must be agent or wake or deliver/],
    ['what is no action', { kind: 'agent', colour: 'red' } as object, /"colour" is no field of a/],
    [
      'what no JSON can say',
      { kind: 'agent', message: 1n } as object,
      /returned what is no action/,
    ],
    ['a function', run as unknown as object, /returned what is no action: it is no JSON/],
  ])('%s fails its step for good, and nothing else is done', async (_, returned, why) => {
    handle = () => returned;
    await start({ allowedAgentIds: [] });
    const event = await ended(post(ORDER));
    expect(event).toMatchObject({ status: 'failed', runs: [], deliveries: [{ status: 'dead' }] });
    expect(event.deliveries[0]!.error).toMatch(why);
    expect(events).toHaveLength(1);
    expect(turns).toEqual([]);
  });
});

describe('An attempt that fails', () => {
  it('is told in the story and tried again, with the same id', async () => {
    handle = ({ attempt }) => {
      if (attempt === 1) throw new TypeError('the database is away');
    };
    await start();
    const event = await ended(post(ORDER));
    expect(events.map(({ id, attempt }) => [id, attempt])).toEqual([
      [event.id, 1],
      [event.id, 2],
    ]);
    expect(event.status).toBe('done');
    expect(event.deliveries[0]).toMatchObject({
      status: 'delivered',
      error: null,
      attempts: [
        { outcome: 'retry', error: 'TypeError: the database is away' },
        { outcome: 'delivered' },
      ],
    });
  });

  it('whatever it throws: it is tried again, and no word of it is logged', async () => {
    class Hostile extends Error {
      override get message(): string {
        throw new Hostile();
      }
    }
    const named = Object.assign(new Error('secret'), { name: 'Own\nsecond line' });
    const thrown: unknown[] = [new Hostile(), named, Object.create(null)];
    handle = ({ attempt }) => {
      if (attempt > 1) return skip('no more');
      throw thrown.shift();
    };
    const log = new KeptLog();
    await start({}, [OrdersHandler], log);
    for (const reason of [/cannot be read/, /^Own/, /cannot be read/]) {
      const [delivery] = (await ended(post(ORDER))).deliveries;
      expect(delivery!.attempts[0]).toMatchObject({
        outcome: 'retry',
        error: expect.stringMatching(reason),
      });
    }
    const lines = JSON.stringify(log.lines);
    expect(lines).toContain('OrdersHandler.onOrder threw (Own second line)');
    expect(lines).not.toContain('secret');
    expect(lines).not.toContain('broke');
  });

  it('for good: a payload that its class refuses; the method is not called', async () => {
    await start();
    const event = await ended(post({ id: 'seven', customer: 'Ada' }));
    expect(event.status).toBe('failed');
    expect(event.deliveries[0]!.error).toMatch(/id must be an integer number/);
    expect(events).toEqual([]);
  });

  it('an operator may have it done anew', async () => {
    handle = () => run({ agentId: 'nobody-allows-it' });
    await start({ allowedAgentIds: [] });
    const { id } = await ended(post(ORDER));
    handle = () => skip('it was a mistake');
    expect(await app.get(LedgerAdmin, { strict: false }).retry(id)).toBe(1);
    await eventually('it is done', async () => (await details(id))?.status === 'done');
    expect((await details(id))?.deliveries).toMatchObject([
      { status: 'skipped', error: 'it was a mistake' },
    ]);
  });
});

describe('The time of an attempt', () => {
  class Slow {
    @OnHook('orders', { timeoutSeconds: 0.05 })
    async onOrder(event: HookEvent): Promise<void> {
      events.push(event);
      if (event.attempt === 1) await new Promise(() => {});
    }
  }

  it('is over after timeoutSeconds: its signal aborts, and another attempt is made', async () => {
    await start({}, [Slow]);
    const event = await ended(post(ORDER));
    expect(events.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(event.deliveries[0]!.attempts).toMatchObject([
      { outcome: 'retry', error: 'Error: Slow.onOrder did not end within 0.05 s' },
      { outcome: 'delivered' },
    ]);
  });

  it('is over for a payload whose validation does not end, too', async () => {
    @ValidatorConstraint({ async: true })
    class Endless {
      validate(): Promise<boolean> {
        return new Promise(() => {});
      }
    }
    class Unending {
      @Validate(Endless)
      id!: number;
    }
    class Validating {
      @OnHook('orders', { payload: Unending, timeoutSeconds: 0.05 })
      onOrder(event: HookEvent): void {
        events.push(event);
      }
    }
    await start({}, [Validating]);
    const { eventId } = (await (await post(ORDER)).json()) as { eventId: string };
    await eventually('it was given up once', async () => {
      const [delivery] = (await details(eventId))?.deliveries ?? [];
      return delivery?.attempts[0]?.error?.includes('Validating.onOrder did not end within 0.05 s');
    });
    await app.close();
    expect(events).toEqual([]);
  });

  it('is what a stop waits for, and what it returns is committed', async () => {
    const asked = Promise.withResolvers<void>();
    const hold = Promise.withResolvers<void>();
    handle = async () => {
      asked.resolve();
      await hold.promise;
      return run({ deliver: false });
    };
    const dir = temporaryDirectory();
    await start({ ledger: sqliteLedger({ dir }), shutdownSeconds: 20 });
    const { eventId } = (await (await post(ORDER)).json()) as { eventId: string };
    await asked.promise;
    const closed = app.close();
    expect(events[0]!.signal.aborted).toBe(false);
    hold.resolve();
    await closed;
    await start({ ledger: sqliteLedger({ dir }) });
    await eventually('its run has ended', async () => (await details(eventId))?.status === 'done');
    expect(await details(eventId)).toMatchObject({ runs: [{ status: 'succeeded' }] });
    expect(events).toHaveLength(1);
  });

  it('ends with the time of a stop, and the next start asks again', async () => {
    const asked = Promise.withResolvers<void>();
    handle = ({ attempt }) => {
      asked.resolve();
      return attempt === 1 ? new Promise(() => {}) : undefined;
    };
    const dir = temporaryDirectory();
    await start({ ledger: sqliteLedger({ dir }), shutdownSeconds: 0 });
    const answer = await post(ORDER);
    await asked.promise;
    await app.close();
    expect(events[0]!.signal.aborted).toBe(true);
    await start({ ledger: sqliteLedger({ dir }) });
    expect((await ended(answer)).deliveries[0]!.attempts).toMatchObject([
      { outcome: 'interrupted' },
      { outcome: 'delivered' },
    ]);
  });

  it('ends with kill -9, and the next process asks again, with the same id', async () => {
    const dir = temporaryDirectory();
    const typescript = new URL('../jest/typescript.mjs', import.meta.url).href;
    const program = fileURLToPath(new URL('../support/handler-process.ts', import.meta.url));
    const host = fork(program, [dir], { execArgv: ['--import', typescript] });
    const [{ url }] = (await once(host, 'message')) as [{ url: string }];
    const [[asked], answer] = await Promise.all([
      once(host, 'message'),
      fetch(`${url}/hooks/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...GOOD },
        body: JSON.stringify(ORDER),
      }),
    ]);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await start({ ledger: sqliteLedger({ dir }) });
    const { id } = await ended(answer);
    expect([asked, ...events.map((event) => ({ id: event.id, attempt: event.attempt }))]).toEqual([
      { id, attempt: 1 },
      { id, attempt: 2 },
    ]);
  });
});

describe('Handlers that hang', () => {
  const hooks = ['a', 'b', 'c', 'd', 'e'];
  class Hanging {
    readonly release = Promise.withResolvers<void>();

    @OnHook('a')
    @OnHook('b')
    @OnHook('c')
    @OnHook('d')
    @OnHook('e')
    async onEvent(event: HookEvent): Promise<void> {
      events.push(event);
      await this.release.promise;
    }
  }

  it('are bounded, and keep no delivery waiting', async () => {
    const channel = new RecordingChannel('own', []);
    const mappings: HooksModuleOptions['mappings'] = [
      ...hooks.map((id) => ({ id })),
      { id: 'told', action: 'deliver', messageTemplate: 'told' },
    ];
    await start({ mappings, channels: { chan_1: { provider: channel, to: 'ops' } } }, [Hanging]);
    const answers = [];
    for (const id of hooks) {
      for (let nth = 0; nth < 10; nth += 1) answers.push(await post({}, `/hooks/${id}`));
    }
    await eventually('as many as may hang', () => events.length >= 32);
    expect((await ended(post({}, '/hooks/told'))).status).toBe('done');
    expect(events.length).toBeLessThanOrEqual(5 * 8);
    app.get(Hanging).release.resolve();
    for (const answer of answers) expect((await ended(answer)).status).toBe('done');
    expect(events).toHaveLength(50);
  });
});

describe('An event whose handler is gone', () => {
  it('waits, is told of, and is handled once there is one again', async () => {
    const asked = Promise.withResolvers<void>();
    handle = ({ attempt }) => {
      asked.resolve();
      return attempt === 1 ? new Promise(() => {}) : undefined;
    };
    const dir = temporaryDirectory();
    await start({ ledger: sqliteLedger({ dir }) });
    const answer = await post(ORDER);
    await asked.promise;
    await app.close();
    await start({ ledger: sqliteLedger({ dir }) }, []);
    const services = app.get(ExternalServices, { strict: false });
    const [gone] = await eventually('it is found', () => {
      const found = services.backends();
      return found.length > 0 && found;
    });
    expect(gone).toMatchObject({
      backend: 'handler:orders',
      reason:
        "no provider has @OnHook('orders') any more (it was OrdersHandler.onOrder); its events wait for one",
    });
    await app.close();
    await start({ ledger: sqliteLedger({ dir }) });
    expect(await ended(answer)).toMatchObject({ status: 'done' });
    expect(events).toHaveLength(2);
  });
});

describe('An event whose handler is gone, of a hook with a blank in its id', () => {
  class Other {
    @OnHook('other')
    onEvent(): void {}
  }

  it('is looked at once, not again and again', async () => {
    const asked = Promise.withResolvers<void>();
    class Blank {
      @OnHook('my orders')
      onOrder(): Promise<void> {
        asked.resolve();
        return new Promise(() => {});
      }
    }
    const mappings = [{ id: 'my orders', match: { path: 'orders' } }];
    const dir = temporaryDirectory();
    await start({ ledger: sqliteLedger({ dir }), mappings }, [Blank]);
    await post(ORDER);
    await asked.promise;
    await app.close();
    const both = [...mappings, { id: 'other' }];
    await start({ ledger: sqliteLedger({ dir }), mappings: both }, [Other]);
    const services = app.get(ExternalServices, { strict: false });
    const [gone] = await eventually('it is found', () => {
      const found = services.backends();
      return found.length > 0 && found;
    });
    // Each of these has claims look at what waits.
    for (let nth = 0; nth < 10; nth += 1) await ended(post({}, '/hooks/other'));
    expect(services.backends()).toEqual([gone]);
  });
});

describe('Two ingresses', () => {
  it('have handlers of their own', async () => {
    const imports = [ingress(), ingress({ name: 'partners', path: '/partners' })];
    const providers = [OrdersHandler, Partners];
    const testing = await Test.createTestingModule({ imports, providers }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: false,
    });
    await app.listen(0, '127.0.0.1');
    const answer = await post(ORDER, '/partners/orders');
    const { eventId } = (await answer.json()) as { eventId: string };
    const store = app.get<EventStore>(getHooksToken('partners', EventStore), { strict: false });
    const event = await eventually('it is skipped', async () => {
      const found = await store.get(eventId);
      return found?.status === 'done' && found;
    });
    expect(event.deliveries[0]).toMatchObject({ error: `of a partner: ${eventId}` });
    expect(events).toEqual([]);
  });
});

describe('An operator', () => {
  it('counts a handled event, finds it by its words, and erases it with what its handler asked for', async () => {
    handle = ({ payload }) =>
      wake(`order of ${payload.customer}`, { mode: 'next-heartbeat', agentId: 'clerk' });
    const ends: ObservedEnd[] = [];
    const observer = { observe: () => {}, ended: (end: ObservedEnd) => void ends.push(end) };
    const ledger = sqliteLedger({ dir: temporaryDirectory() });
    await start({ ledger, observer, agents: { list: [{ id: 'main' }, { id: 'clerk' }] } });
    const { id } = await ended(post({ ...ORDER, customer: 'Ada Lovelace' }));
    expect(ends).toContainEqual({
      kind: 'delivery',
      hook: 'orders',
      channel: 'handler',
      outcome: 'delivered',
    });
    const store = app.get(EventStore, { strict: false });
    await eventually('it is found', async () => {
      const { events: found } = await store.list({ limit: 10, search: 'Lovelace' });
      return found.some((event) => event.id === id);
    });
    const lines = async () =>
      (await store.session('agent:clerk:main', { limit: 10 }))?.pendingSystemEvents ?? [];
    expect(await lines()).toMatchObject([{ text: 'order of Ada Lovelace' }]);
    await app.get(LedgerAdmin, { strict: false }).forget(id);
    expect(await lines()).toEqual([]);
    expect((await details(id))?.request.payload).toBeNull();
    expect((await details(id))?.deliveries).toEqual([]);
  });
});

describe('Previews and trials', () => {
  it('say who is asked, and ask nobody', async () => {
    await start();
    const requests = app.get(OperatorRequests, { strict: false });
    const preview = await requests.preview({ hook: 'orders', payload: ORDER });
    expect(preview).toMatchObject({
      mapping: 'orders',
      actions: [{ kind: 'handler', delivery: 'asks OrdersHandler.onOrder', prompt: '' }],
    });
    expect(events).toEqual([]);
    await ended(post(ORDER));
    expect(await requests.tryMapping({ id: 'orders', dedupeKey: '{{ id }}' })).toMatchObject({
      events: 1,
      changed: 1,
      examples: [{ what: ['dedupeKey'] }],
    });
    expect(events).toHaveLength(1);
  });
});

describe('A handler is found', () => {
  abstract class OrdersPort {
    abstract onOrder(event: HookEvent): unknown;
  }
  class Inheriting extends OrdersHandler {}
  class Overriding extends OrdersHandler {
    override onOrder(): HookResult {
      return skip('overridden');
    }
  }
  @Controller('orders')
  class OrdersController extends OrdersHandler {
    @Post()
    byHand(): void {}
  }

  it.each<[string, ModuleMetadata, string]>([
    [
      'once, though it has aliases',
      {
        providers: [
          Inheriting,
          { provide: OrdersHandler, useExisting: Inheriting },
          { provide: 'alias', useExisting: Inheriting },
        ],
      },
      'Inheriting.onOrder',
    ],
    [
      'behind an abstract class',
      { providers: [{ provide: OrdersPort, useClass: OrdersHandler }] },
      'OrdersHandler.onOrder',
    ],
    [
      'as a value',
      { providers: [{ provide: OrdersPort, useValue: new OrdersHandler() }] },
      'OrdersHandler.onOrder',
    ],
    [
      'by the class of its token, when its method is overridden',
      { providers: [{ provide: OrdersHandler, useClass: Overriding }] },
      'OrdersHandler.onOrder',
    ],
    [
      'by the class that a factory stands for',
      { providers: [{ provide: OrdersHandler, useFactory: async () => new Overriding() }] },
      'OrdersHandler.onOrder',
    ],
    ['on a controller', { controllers: [OrdersController] }, 'OrdersController.onOrder'],
  ])('%s', async (_, metadata, name) => {
    await startIn(metadata);
    const { status, deliveries } = await ended(post(ORDER));
    expect([status, deliveries.map(({ to }) => to)]).toEqual(['done', [name]]);
  });

  it('and a test puts a mock in its place', async () => {
    const mock = { onOrder: () => skip('of the mock') };
    await startIn({ providers: [OrdersHandler] }, (testing) =>
      testing.overrideProvider(OrdersHandler).useValue(mock),
    );
    const { deliveries } = await ended(post(ORDER));
    expect(deliveries).toMatchObject([{ status: 'skipped', error: 'of the mock' }]);
    expect(events).toEqual([]);
  });

  it('not on a static method', () => {
    const decorate = OnHook('orders');
    const method = { value: () => undefined };
    expect(() => decorate(OrdersHandler, 'onOrder', method)).toThrow(
      /^@OnHook\('orders'\) belongs on a method that is not static$/,
    );
  });

  it('not with a class that a circular import has not made yet', () => {
    const decorate = OnHook('orders', { payload: undefined as never });
    const method = { value: () => undefined };
    expect(() => decorate({}, 'onOrder', method)).toThrow(/import each other/);
  });
});

describe('A start is refused', () => {
  class Second {
    @OnHook('orders')
    also(): void {}
  }
  class Elsewhere {
    @OnHook('nowhere')
    handle(): void {}
  }
  class BuiltIn {
    @OnHook('wake')
    handle(): void {}
  }
  @Injectable({ scope: Scope.REQUEST })
  class PerRequest {
    @OnHook('orders')
    handle(): void {}
  }
  it.each<[string, Provider[], Given, RegExp]>([
    [
      'for two handlers of one hook',
      [OrdersHandler, Second],
      {},
      /OrdersHandler\.onOrder and Second\.also have @OnHook\('orders'\): a hook has one handler/,
    ],
    [
      'for one that is provided twice',
      [OrdersHandler, { provide: 'again', useClass: OrdersHandler }],
      {},
      /OrdersHandler\.onOrder is provided twice, with @OnHook\('orders'\)/,
    ],
    [
      'for a hook without a mapping',
      [Elsewhere],
      {},
      /@OnHook\('nowhere'\) is on Elsewhere\.handle, and no mapping or preset has this id; add \{ id: 'nowhere' \} to mappings/,
    ],
    [
      'for a built-in hook',
      [BuiltIn],
      { mappings: [{ id: 'wake' }] },
      /@OnHook\('wake'\) is on BuiltIn\.handle, and wake is a built-in hook; use another id/,
    ],
    [
      'for one that lives as long as a request',
      [PerRequest],
      {},
      /PerRequest\.handle has @OnHook, which is called outside of requests: make its provider a single/,
    ],
    [
      'for one that nobody can know of before it is made',
      [{ provide: 'late', useFactory: () => new Second() }],
      {},
      /Second\.also has @OnHook, and is made by a factory under late: provide it under its class/,
    ],
    [
      'for one that a factory makes under a class without it',
      [{ provide: Elsewhere, useFactory: () => new Second() }],
      { mappings: [{ id: 'nowhere' }] },
      /Second\.also has @OnHook, and is made by a factory under Elsewhere: provide it under its class/,
    ],
    [
      'for an ingress that is not there',
      [OrdersHandler, Partners],
      {},
      /Partners\.onOrder has @OnHook for an ingress with the name partners, and there is none/,
    ],
    [
      'for a mapping that decides, too',
      [OrdersHandler],
      { mappings: [{ id: 'orders', forEach: 'items' }] },
      /mappings\[0\]\.forEach decides about the same events as OrdersHandler\.onOrder/,
    ],
  ])('%s', async (_, providers, given, sentence) => {
    await expect(start(given, providers)).rejects.toThrow(sentence);
  });
});
