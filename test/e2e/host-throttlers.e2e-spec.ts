import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  SkipThrottle,
  ThrottlerGuard,
  ThrottlerModule,
  ThrottlerStorageService,
} from '@nestjs/throttler';
import { EventStore, HooksModule, getHooksToken } from '../../src/index.ts';
import type { HooksModuleExtras } from '../../src/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { GOOD, TOKEN, runner } from '../support/ingress-host.ts';

const WRONG = { authorization: 'Bearer wrong' };

/** The host's own storage, and what it was asked. */
class HostStorage extends ThrottlerStorageService {
  readonly asked: string[] = [];

  override increment(...call: Parameters<ThrottlerStorageService['increment']>) {
    const [, ...rule] = call;
    this.asked.push(rule.join(' '));
    return super.increment(...call);
  }
}

@Controller('host')
@UseGuards(ThrottlerGuard)
class HostController {
  @Get()
  get(): string {
    return 'served';
  }
}

@Controller('free')
@SkipThrottle()
class FreeController {
  @Get()
  get(): string {
    return 'served';
  }
}

/** Has no ThrottlerModule of its own: it takes what is global. */
@Module({ controllers: [HostController] })
class FeatureModule {}

let app: NestFastifyApplication;
let storage: HostStorage;
beforeEach(() => {
  storage = new HostStorage();
});
afterEach(() => app?.close());

const throttlers = (limit = 3): DynamicModule =>
  ThrottlerModule.forRoot({ throttlers: [{ ttl: 60_000, limit }], storage });

function hooks(extras: HooksModuleExtras = {}): DynamicModule {
  const options = { enabled: true, token: TOKEN, ledger: memoryLedger(), runner };
  const authFailures = { limit: 2 };
  return HooksModule.forRoot({ ...options, shutdownSeconds: 0, authFailures, ...extras });
}

async function start(metadata: ModuleMetadata): Promise<void> {
  const testing = await Test.createTestingModule(metadata).compile();
  app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
    logger: false,
  });
  await app.listen(0, '127.0.0.1');
}

/** Status, the limit that the host's guard tells, and the code of ours. */
async function ask(path: string, init: RequestInit = {}): Promise<unknown[]> {
  const answer = await fetch(`${await app.getUrl()}${path}`, init);
  const body: unknown = await answer.json().catch(() => null);
  const { code } = Object(body) as { code?: string };
  return [answer.status, answer.headers.get('x-ratelimit-limit'), code];
}

function wake(headers: Record<string, string>, path = '/hooks'): Promise<unknown[]> {
  const body = JSON.stringify({ text: 'x', mode: 'next-heartbeat' });
  const json = { 'content-type': 'application/json' };
  return ask(`${path}/wake`, { method: 'POST', headers: { ...json, ...headers }, body });
}

async function stored(token = getHooksToken(undefined, EventStore)): Promise<number> {
  const { events } = await app.get<EventStore>(token, { strict: false }).list({ limit: 200 });
  return events.length;
}

async function expectLocked(): Promise<void> {
  expect(await wake(WRONG)).toEqual([401, null, 'unauthorized']);
  expect(await wake(WRONG)).toEqual([401, null, 'unauthorized']);
  expect(await wake(WRONG)).toEqual([429, null, 'too_many_auth_failures']);
  expect(await stored()).toBe(0);
}

describe('A ThrottlerGuard of the host', () => {
  it.each<[string, () => ModuleMetadata]>([
    ['without hooks', () => ({ imports: [throttlers(), FeatureModule] })],
    ['with HooksModule first', () => ({ imports: [hooks(), throttlers(), FeatureModule] })],
    ['with HooksModule last', () => ({ imports: [FeatureModule, throttlers(), hooks()] })],
    [
      'with a HooksModule that is global',
      () => ({ imports: [hooks({ isGlobal: true }), FeatureModule, throttlers()] }),
    ],
  ])('%s counts by its own budget and storage', async (title, metadata) => {
    await start(metadata());
    if (title !== 'without hooks') await expectLocked();
    for (let time = 0; time < 3; time += 1)
      expect(await ask('/host')).toEqual([200, '3', undefined]);
    expect(await ask('/host')).toEqual([429, null, undefined]);
    expect(storage.asked).toEqual(Array(4).fill('60000 3 60000 default'));
    if (title !== 'without hooks') expect(await wake(GOOD)).toEqual([200, null, undefined]);
  });

  it('on our routes counts what we let in by the host’s budget and storage, and no failures', async () => {
    await start({ imports: [throttlers(2), hooks({ decorators: [UseGuards(ThrottlerGuard)] })] });
    await expectLocked();
    // A mark is on the controller and on its handler: the guard runs twice.
    expect(await wake(GOOD)).toEqual([200, '2', undefined]);
    expect(await wake(GOOD)).toEqual([429, null, 'refused_by_host']);
    expect(storage.asked).toEqual(Array(3).fill('60000 2 60000 default'));
    expect(await stored()).toBe(1);
  });

  it.each<[string, () => ModuleMetadata]>([
    ['in a module of the host', () => ({ imports: [hooks(), FeatureModule] })],
    ['with a global HooksModule', () => ({ imports: [hooks({ isGlobal: true }), FeatureModule] })],
    ['on our routes', () => ({ imports: [hooks({ decorators: [UseGuards(ThrottlerGuard)] })] })],
  ])('has nothing of ours to count by, %s', async (_title, metadata) => {
    const compiling = Test.createTestingModule(metadata()).compile();
    await expect(compiling).rejects.toThrow(
      /can't resolve dependencies of the ThrottlerGuard \(\?/,
    );
  });
});

describe('The budget of failures', () => {
  it('is as strict where the host marks everything to be skipped', async () => {
    const everything = SkipThrottle({ default: true, 'auth-failures': true });
    await start({
      imports: [throttlers(), hooks({ decorators: [SkipThrottle(), everything] })],
      controllers: [FreeController],
      providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    });
    await expectLocked();
    expect(await ask('/free')).toEqual([200, null, undefined]);
    expect(storage.asked).toEqual([]);
    expect(await wake(GOOD)).toEqual([200, null, undefined]);
    expect(await wake(WRONG)).toEqual([401, null, 'unauthorized']);
    expect(await stored()).toBe(1);
  });

  it('of one ingress is not that of another', async () => {
    const partners = hooks({ name: 'partners', path: '/partners' });
    await start({ imports: [hooks(), throttlers(), partners] });
    await expectLocked();
    for (const status of [401, 401, 429]) {
      expect((await wake(WRONG, '/partners'))[0]).toBe(status);
    }
    expect(await wake(GOOD)).toEqual([200, null, undefined]);
    expect((await wake(WRONG))[0]).toBe(401);
    expect((await wake(WRONG, '/partners'))[0]).toBe(429);
    expect(await stored(getHooksToken('partners', EventStore))).toBe(0);
    expect(storage.asked).toEqual([]);
  });
});
