import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, Module, SetMetadata } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { EventStore, Hooks, HooksModule, sqliteLedger } from '../../src/index.ts';
import type { HooksModuleOptions } from '../../src/index.ts';
import type { AgentRunner } from '../../src/agents.ts';
import { memoryLedger } from '../../src/testing.ts';
import { KeptLog, TOKEN, runner } from '../support/ingress-host.ts';

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'hooks-lifecycle-'))));
afterEach(() => rm(dir, { recursive: true }));

function watched(): { ledger: HooksModuleOptions['ledger']; opened: () => number } {
  let opened = 0;
  const ledger = memoryLedger();
  return {
    ledger: { open: (clock) => ((opened += 1), ledger.open(clock)) },
    opened: () => opened,
  };
}

function hooks(given: Partial<HooksModuleOptions> = {}): DynamicModule {
  return HooksModule.forRoot({
    enabled: true,
    token: TOKEN,
    ledger: memoryLedger(),
    runner,
    shutdownSeconds: 0,
    ...given,
  });
}

function host(imports: DynamicModule[], given: Parameters<typeof Module>[0] = {}): DynamicModule {
  class HostModule {}
  return { module: HostModule, imports, ...given };
}

describe('An application context (a script, a REPL, a queue worker)', () => {
  it('opens nothing and starts nothing, and closes', async () => {
    const { ledger, opened } = watched();
    const context = await NestFactory.createApplicationContext(host([hooks({ ledger })]), {
      logger: false,
    });
    expect(context.get(Hooks, { strict: false })).toBeInstanceOf(Hooks);
    await context.close();
    expect(opened()).toBe(0);
  });

  it('the first call of Hooks opens it, and the event is there', async () => {
    const { ledger, opened } = watched();
    const context = await NestFactory.createApplicationContext(host([hooks({ ledger })]), {
      logger: false,
    });
    const { eventId } = await context.get(Hooks, { strict: false }).wake({ text: 'from a script' });
    expect(opened()).toBe(1);
    expect(await context.get(EventStore, { strict: false }).get(eventId)).toMatchObject({
      hook: 'wake',
      request: { verifiedBy: 'application', payload: { text: 'from a script' } },
    });
    await context.close();
  });

  it('says that a running service holds the ledger, and goes on', async () => {
    const app = await NestFactory.create<NestFastifyApplication>(
      host([hooks({ ledger: sqliteLedger({ dir }) })]),
      new FastifyAdapter(),
      { logger: false },
    );
    await app.listen(0, '127.0.0.1');
    const script = host([hooks({ ledger: sqliteLedger({ dir }) })]);
    const context = await NestFactory.createApplicationContext(script, { logger: false });
    const wake = (): Promise<unknown> =>
      context.get(Hooks, { strict: false }).wake({ text: 'from a script' });
    await expect(wake()).rejects.toThrow(/use/);
    await app.close();
    await expect(wake()).resolves.toMatchObject({ eventId: expect.any(String) });
    await context.close();
  });
});

describe('A bootstrap that fails', () => {
  it("another module's: no lock is left behind", async () => {
    @Injectable()
    class Broken implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('the database of the host is down');
      }
    }
    const ledger = sqliteLedger({ dir });
    const broken = await NestFactory.create<NestFastifyApplication>(
      host([hooks({ ledger })], { providers: [Broken] }),
      new FastifyAdapter(),
      { logger: false, abortOnError: false },
    );
    await expect(broken.listen(0, '127.0.0.1')).rejects.toThrow('the database of the host is down');
    const next = await NestFactory.create<NestFastifyApplication>(
      host([hooks({ ledger: sqliteLedger({ dir }) })]),
      new FastifyAdapter(),
      { logger: false },
    );
    await next.listen(0, '127.0.0.1');
    await next.close();
  });

  it('ours: a ledger that cannot be opened rejects the start with its sentence', async () => {
    const ledger = { open: () => Promise.reject(new Error('the disk is full: make room')) };
    const app = await NestFactory.create<NestFastifyApplication>(
      host([hooks({ ledger })]),
      new FastifyAdapter(),
      { logger: false, abortOnError: false },
    );
    await expect(app.listen(0, '127.0.0.1')).rejects.toThrow('the disk is full: make room');
    await app.close();
  });

  it('on Express the bootstrap is rejected with what to do', async () => {
    class Express extends FastifyAdapter {
      override getType(): 'fastify' {
        return 'express' as 'fastify';
      }
    }
    const testing = await Test.createTestingModule({ imports: [hooks()] }).compile();
    const app = testing.createNestApplication(new Express(), { logger: false });
    await expect(app.init()).rejects.toThrow(
      'HooksModule needs Fastify: create the application with new FastifyAdapter()',
    );
  });
});

describe('A stop', () => {
  it('runs drain while what the module imports still lives', async () => {
    const seen: string[] = [];
    const started = Promise.withResolvers<void>();
    @Injectable()
    class Database implements OnModuleDestroy {
      isOpen = true;
      onModuleDestroy(): void {
        seen.push('the database closes');
        this.isOpen = false;
      }
    }
    @Module({ providers: [Database], exports: [Database] })
    class DatabaseModule {}
    const slow = (database: Database): AgentRunner => ({
      mayRepeat: () => false,
      run: async () => {
        started.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`the run ends, the database is ${database.isOpen ? 'open' : 'closed'}`);
        return { text: 'done' };
      },
    });
    const module = HooksModule.forRootAsync({
      isGlobal: true,
      imports: [DatabaseModule],
      inject: [Database],
      useFactory: (database: Database) => ({
        enabled: true,
        token: TOKEN,
        ledger: memoryLedger(),
        runner: slow(database),
        shutdownSeconds: 20,
      }),
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      host([module]),
      new FastifyAdapter(),
      { logger: false },
    );
    await app.listen(0, '127.0.0.1');
    await app.get(Hooks, { strict: false }).run({ message: 'hello', deliver: false });
    await started.promise;
    await app.close();
    expect(seen).toEqual(['the run ends, the database is open', 'the database closes']);
  });
});

describe('A host with global guards', () => {
  const Public = (): ReturnType<typeof SetMetadata> => SetMetadata('public', true);
  const guard = { provide: APP_GUARD, useValue: { canActivate: () => true } };
  const warnings = (log: KeptLog): unknown[] =>
    log.lines.filter(([line]) => String(line).includes('a global guard of the application'));

  it.each([
    ['unmarked routes: a warning', [], 1],
    ['marked routes: none', [Public()], 0],
  ] as const)('%s', async (_title, decorators, count) => {
    const log = new KeptLog();
    const module = HooksModule.forRoot({
      enabled: true,
      token: TOKEN,
      ledger: memoryLedger(),
      runner,
      decorators: [...decorators],
    });
    const app = await NestFactory.create<NestFastifyApplication>(
      host([module], { providers: [guard] }),
      new FastifyAdapter(),
      { logger: log },
    );
    await app.init();
    expect(warnings(log)).toHaveLength(count);
    await app.close();
  });
});

describe('The prefix of a host that excludes half of the routes', () => {
  it('is refused at start', async () => {
    const app = await NestFactory.create<NestFastifyApplication>(
      host([hooks()]),
      new FastifyAdapter(),
      { logger: false, abortOnError: false },
    );
    app.setGlobalPrefix('api', { exclude: ['hooks/wake'] });
    await expect(app.init()).rejects.toThrow(/has routes below \/hooks and below \/api\/hooks/);
  });
});
