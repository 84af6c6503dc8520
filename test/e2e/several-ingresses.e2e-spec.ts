import { Injectable, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { TestingModule, TestingModuleBuilder } from '@nestjs/testing';
import { HooksConsoleModule } from '../../src/console.ts';
import { exported } from '../../src/hooks/hooks.providers.ts';
import {
  EventStore,
  Hooks,
  HooksModule,
  InjectHooks,
  SessionPolicy,
  getHooksToken,
} from '../../src/index.ts';
import type { HooksModuleExtras } from '../../src/index.ts';
import { given } from '../support/ingress-host.ts';

let opened: TestingModule | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const ingress = (extras: HooksModuleExtras = {}): DynamicModule =>
  HooksModule.forRoot({ ...given(), ...extras });
const PARTNERS = { name: 'partners', path: '/partners' };

async function compile(
  imports: DynamicModule[],
  change: (testing: TestingModuleBuilder) => TestingModuleBuilder = (testing) => testing,
): Promise<TestingModule> {
  @Module({ imports })
  class HostModule {}
  return (opened = await change(Test.createTestingModule({ imports: [HostModule] })).compile());
}

describe('The start is refused of ingresses that cannot be told apart', () => {
  it.each<[string, () => DynamicModule[], RegExp]>([
    [
      'two without a name',
      () => [ingress(), ingress({ path: '/other' })],
      /^HooksModule is imported twice without a name: give one of them a name and a path, or import/,
    ],
    [
      'two of one name',
      () => [ingress(PARTNERS), ingress({ ...PARTNERS, path: '/other' })],
      /^HooksModule: two ingresses have the name partners; give each a name of its own$/,
    ],
    [
      'two at one path',
      () => [ingress({ path: 'in/' }), ingress({ name: 'partners', path: '/in' })],
      /^HooksModule: two ingresses have the path \/in; give each a path of its own$/,
    ],
    [
      'two global ones without a name',
      () => [ingress({ isGlobal: true }), ingress({ isGlobal: true, path: '/other' })],
      /^HooksModule is imported twice/,
    ],
  ])('%s', async (_title, imports, sentence) => {
    await expect(compile(imports())).rejects.toThrow(sentence);
  });

  it('not of one that is imported in two modules', async () => {
    const hooks = ingress();
    @Module({ imports: [hooks] })
    class OtherModule {}
    const testing = await compile([hooks, { module: OtherModule }]);
    expect(testing.get(Hooks)).toBe(testing.get(getHooksToken()));
  });
});

describe('app.get', () => {
  const [first, second] = [() => ingress(), () => ingress(PARTNERS)];

  it('by class alone is the ingress without a name', async () => {
    const testing = await compile([first()]);
    expect(testing.get(Hooks)).toBe(testing.get(getHooksToken()));
    expect(testing.get(EventStore)).toBe(testing.get(getHooksToken(undefined, EventStore)));
  });

  it.each<[string, () => DynamicModule[]]>([
    ['before the one without', () => [second(), first()]],
    ['after the one without', () => [first(), second()]],
    [
      'on both sides of the one without',
      () => [ingress({ name: 'a', path: '/a' }), first(), second()],
    ],
    ['alone', () => [second()]],
    ['alone, twice', () => [ingress({ name: 'a', path: '/a' }), second()]],
    ['global', () => [first(), ingress({ ...PARTNERS, isGlobal: true })]],
    [
      'behind its console',
      () => {
        const partners = second();
        const token = 'an-operator-token-of-length';
        return [HooksConsoleModule.forHooks(partners, { token, path: 'p' }), partners];
      },
    ],
  ])('by class is never one with a name: %s', async (_title, imports) => {
    const testing = await compile(imports());
    const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: false,
    });
    await app.init();
    const unnamed = (service: (typeof exported)[number]): unknown => {
      try {
        return app.get(getHooksToken(undefined, service));
      } catch {
        return undefined;
      }
    };
    for (const service of exported) {
      let got: unknown;
      try {
        got = app.get(service);
      } catch {
        continue;
      }
      expect(got).toBeDefined();
      expect(got).toBe(unnamed(service));
    }
    await app.close();
  });

  it('what fails says how it is got', async () => {
    const testing = await compile([first(), second()]);
    expect(() => testing.get(Hooks)).toThrow('Please, use "resolve()" instead');
    await expect(testing.resolve(Hooks)).rejects.toThrow(
      /^By class, Hooks is that of the ingress without a name: take getHooksToken\('its name', Hooks\)/,
    );
    expect(testing.get(getHooksToken())).not.toBe(testing.get(getHooksToken('partners')));
  });

  it('constructors get what they ask for', async () => {
    @Injectable()
    class Uses {
      constructor(
        readonly byClass: Hooks,
        @InjectHooks() readonly unnamed: Hooks,
        @InjectHooks('partners') readonly partners: Hooks,
      ) {}
    }
    @Module({ imports: [first(), second()], providers: [Uses] })
    class UserModule {}
    const testing = await compile([{ module: UserModule }]);
    const { byClass, unnamed, partners } = testing.get(Uses);
    expect(byClass).toBe(testing.get(getHooksToken()));
    expect(unnamed).toBe(byClass);
    expect(partners).toBe(testing.get(getHooksToken('partners')));
    expect(partners).not.toBe(byClass);
  });

  it('overrideProvider replaces a service of a named one, with what it injects', async () => {
    class Own extends SessionPolicy {}
    const testing = await compile([second()], (builder) =>
      builder.overrideProvider(SessionPolicy).useClass(Own),
    );
    expect(testing.get(getHooksToken('partners', SessionPolicy))).toBeInstanceOf(Own);
  });
});
