import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Controller,
  Get,
  Module,
  SetMetadata,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import type { CanActivate, DynamicModule, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { catchError, ignoreElements, map, of } from 'rxjs';
import { HooksConsoleModule, HooksMetrics } from '../../src/console.ts';
import type { HooksConsoleOptions } from '../../src/console.ts';
import {
  EventStore,
  Hooks,
  HooksModule,
  InjectHooks,
  LedgerAdmin,
  OnHook,
  demoRunner,
  getHooksToken,
  sqliteLedger,
} from '../../src/index.ts';
import type { LedgerProvider } from '../../src/ledger.ts';
import { memoryLedger, settled } from '../../src/testing.ts';
import { ManualClock } from '../support/clocks.ts';

const OPERATOR = 'the-operator-token-of-this-host';
const HOOK = 'the-hook-token-of-this-host';
const OURS = { host: 'localhost', origin: 'http://localhost', 'x-hooks-console': '1' };
const BEARER = { authorization: `Bearer ${OPERATOR}` };

@Controller('host')
class HostController {
  @Get()
  open(): object {
    return { from: 'host' };
  }
}

class ClosedByDefault implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    return new Reflector().getAllAndOverride<boolean | undefined>('public', targets) ?? false;
  }
}

interface Host {
  readonly ledger?: LedgerProvider;
  readonly observer?: HooksMetrics;
  readonly console?: HooksConsoleOptions | null;
  readonly providers?: DynamicModule['providers'];
  readonly prepare?: (app: NestFastifyApplication) => void;
}

let app: NestFastifyApplication;
afterEach(() => app?.close());

async function start({
  ledger = memoryLedger(),
  observer,
  console: given,
  providers = [],
  prepare,
}: Host = {}) {
  const hooks = HooksModule.forRoot({
    enabled: true,
    token: HOOK,
    ledger,
    observer,
    runner: observer?.counted(demoRunner()) ?? demoRunner(),
    clock: new ManualClock(),
  });
  const served =
    given === null ? [] : [HooksConsoleModule.forHooks(hooks, given ?? { token: OPERATOR })];

  @Module({ imports: [hooks, ...served], controllers: [HostController], providers })
  class HostModule {}

  const testing = await Test.createTestingModule({ imports: [HostModule] }).compile();
  app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
    logger: false,
  });
  prepare?.(app);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
}

function ask(method: 'GET' | 'POST' | 'DELETE', url: string, headers = {}, body?: object) {
  return app.inject({ method, url, headers, ...(body && { payload: body }) });
}

async function logIn(prefix = ''): Promise<{ cookie: string; path: string }> {
  const answer = await ask('POST', `${prefix}/ops/api/session`, OURS, { token: OPERATOR });
  expect(answer.statusCode).toBe(200);
  const [{ name, value, path } = { name: '', value: '', path: '' }] = answer.cookies as {
    name: string;
    value: string;
    path: string;
  }[];
  return { cookie: `${name}=${value}`, path };
}

describe('an application without HooksConsoleModule', () => {
  it('has neither console nor operator API', async () => {
    await start({ console: null });
    for (const url of ['/console', '/console/assets/x.js', '/ops/api/events', '/ops/metrics'])
      expect((await ask('GET', url, BEARER)).statusCode).toBe(404);
    expect((await ask('POST', '/ops/api/session', OURS, { token: OPERATOR })).statusCode).toBe(404);
  });
});

describe('an application with a handler', () => {
  class Pushes {
    @OnHook('github')
    onEvent(): void {}
  }

  it('has it in the list of hooks, and counts what it handled', async () => {
    const observer = await HooksMetrics.load();
    const console = { token: OPERATOR, metrics: observer };
    await start({ observer, console, providers: [Pushes] });
    const { hooks } = (await ask('GET', '/ops/api/hooks', BEARER)).json<{ hooks: object[] }>();
    expect(hooks).toContainEqual(
      expect.objectContaining({ name: 'github', preset: 'github', handler: 'Pushes.onEvent' }),
    );
    expect(hooks).toContainEqual(expect.objectContaining({ name: 'wake', handler: null }));
    await app.get(Hooks, { strict: false }).send('github', {});
    await settled(app);
    const { body } = await ask('GET', '/ops/metrics', BEARER);
    expect(body).toMatch(
      /^hooks_deliveries_total\{.*channel="handler".*outcome="delivered".*\} 1$/m,
    );
  });
});

describe('an application with HooksMetrics', () => {
  const SCRAPER = 'the-token-of-the-scrapers-here';
  const scrape = (token: string, url = '/ops/metrics') =>
    ask('GET', url, { authorization: `Bearer ${token}` });

  it('serves the series of the service, to the operator and to scrapers, and nothing else to these', async () => {
    const metrics = await HooksMetrics.load();
    const console = { token: OPERATOR, metrics, metricsToken: SCRAPER };
    await start({ console, observer: metrics });
    const bearer = { authorization: `Bearer ${HOOK}` };
    await ask('POST', '/hooks/wake', bearer, { text: 'hello', mode: 'next-heartbeat' });
    await app.get(LedgerAdmin).setPaused(true);
    const { statusCode, headers, body } = await scrape(SCRAPER);
    expect([statusCode, headers['content-type']]).toEqual([
      200,
      expect.stringContaining('text/plain'),
    ]);
    for (const line of ['hooks_requests_total{hook="wake",status="200"} 1', 'hooks_paused 1']) {
      expect(body).toContain(`${line}\n`);
    }
    expect((await scrape(OPERATOR)).statusCode).toBe(200);
    expect((await scrape(SCRAPER, '/ops/api/events')).statusCode).toBe(401);
    for (const wrong of [HOOK, 'wrong']) {
      const refused = await scrape(wrong);
      expect(refused.statusCode).toBe(401);
      expect(refused.json()).toMatchObject({ code: 'operator_unauthorized' });
    }
    expect(await ask('GET', '/health/live')).toMatchObject({ statusCode: 404 });
  });

  it.each([
    ['is short', 'sixteen-letters', /metricsToken .*16/],
    ['opens a hook', HOOK, /metricsToken opens a hook/],
    ['is that of the operator', OPERATOR, /metricsToken is the token/],
  ])(
    'is refused at the start where the token of scrapers %s',
    async (_, metricsToken, sentence) => {
      const metrics = await HooksMetrics.load();
      const console = { token: OPERATOR, metrics, metricsToken };
      await expect(start({ console, observer: metrics })).rejects.toThrow(sentence);
    },
  );
});

describe('an application with HooksConsoleModule', () => {
  it('serves the console and the operator API of its hooks, and nothing else', async () => {
    await start();
    const page = await ask('GET', '/console');
    expect(page.json()).toMatchObject({ code: 'console_not_built' });
    const wake = { text: 'hello', mode: 'next-heartbeat' };
    await ask('POST', '/hooks/wake', { authorization: `Bearer ${HOOK}` }, wake);
    const events = (await ask('GET', '/ops/api/events', BEARER)).json();
    expect(events).toMatchObject({ events: [{ hook: 'wake' }] });
    for (const url of ['/health/live', '/ops/metrics', '/ops/api/openapi.json'])
      expect((await ask('GET', url, BEARER)).statusCode).toBe(404);
    expect((await ask('GET', '/host')).json()).toEqual({ from: 'host' });
  });

  it('is logged in to, reads bodies as they are, and refuses other pages', async () => {
    await start();
    const { cookie, path } = await logIn();
    expect(path).toBe('/ops');
    const payload = '{"hook": "wake", "payload": {"text": "x", "n": 12345678901234567890}}';
    const json = { 'content-type': 'application/json' };
    const preview = (headers: object) =>
      app.inject({
        method: 'POST',
        url: '/ops/api/preview',
        headers: { ...json, ...headers },
        payload,
      });
    expect((await preview({ ...OURS, cookie })).json()).toMatchObject({ hook: 'wake' });
    const foreign = await preview({ ...OURS, cookie, origin: 'http://localhost:3000' });
    expect(foreign.statusCode).toBe(403);
    expect(foreign.json()).toMatchObject({ code: 'foreign_origin' });
    const huge = { token: 'x'.repeat(20_000) };
    expect((await ask('POST', '/ops/api/session', OURS, huge)).statusCode).toBe(413);
  });

  it('keeps its sessions over a restart, but not over a change of the token', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'console-'));
    try {
      await start({ ledger: sqliteLedger({ dir }) });
      const { cookie } = await logIn();
      await app.close();
      await start({ ledger: sqliteLedger({ dir }) });
      expect((await ask('GET', '/ops/api/events', { ...OURS, cookie })).statusCode).toBe(200);
      await app.close();
      const token = () => `${OPERATOR}-changed`;
      await start({ ledger: sqliteLedger({ dir }), console: { token } });
      expect((await ask('GET', '/ops/api/events', { ...OURS, cookie })).statusCode).toBe(401);
    } finally {
      await app.close();
      await rm(dir, { recursive: true });
    }
  });

  it('goes with the global prefix of the host, its cookie, too', async () => {
    await start({ prepare: (host) => host.setGlobalPrefix('api') });
    expect((await ask('GET', '/api/console/events')).json()).toMatchObject({
      code: 'console_not_built',
    });
    const { cookie, path } = await logIn('/api');
    expect(path).toBe('/api/ops');
    expect((await ask('GET', '/api/ops/api/events', { ...OURS, cookie })).statusCode).toBe(200);
    expect((await ask('GET', '/console')).statusCode).toBe(404);
  });

  it('sends as a sender to where the hooks of the host are, and writes none of its files', async () => {
    await start({ prepare: (host) => host.setGlobalPrefix('api') });
    const { cookie } = await logIn('/api');
    const asked = { ...OURS, cookie };
    const body = { hook: 'wake', payload: { text: 'Up' }, as: 'sender' };
    const sent = await ask('POST', '/api/ops/api/send', asked, body);
    expect(sent.json()).toMatchObject({ ok: true });
    const made = await ask('POST', '/api/ops/api/tokens', asked, { id: 'ci' });
    expect([made.statusCode, made.json()]).toMatchObject([501, { code: 'no_configuration_files' }]);
    const ended = await ask('DELETE', '/api/ops/api/tokens/ci', asked);
    expect([ended.statusCode, ended.json()]).toMatchObject([
      501,
      { code: 'no_configuration_files' },
    ]);
    const { 'x-hooks-console': _ours, ...foreign } = asked;
    const other = await ask('POST', '/api/ops/api/tokens', foreign, { id: 'ci' });
    expect([other.statusCode, other.json()]).toMatchObject([
      403,
      { code: 'console_header_missing' },
    ]);
  });

  it('names no command and no key of a service, neither of which the host has', async () => {
    await start();
    const hooks = app.get(LedgerAdmin, { strict: false });
    await hooks.setPaused(true);
    const { items } = (await ask('GET', '/ops/api/attention', BEARER)).json();
    expect(items).toMatchObject([{ kind: 'paused', command: null, todo: 'resume it' }]);
    const { cookie } = await logIn();
    const foreign = { ...OURS, cookie, origin: 'http://elsewhere.example' };
    const refused = (await ask('POST', '/ops/api/resume', foreign)).json();
    expect(refused).toMatchObject({ code: 'foreign_origin' });
    expect(refused.error).toMatch(/and name it in trustedProxies\.$/);
    expect(await hooks.isPaused()).toBe(true);
  });

  it('has no version, and bears a strict pipe of the host', async () => {
    const pipe = new ValidationPipe({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
    });
    await start({
      providers: [{ provide: APP_PIPE, useValue: pipe }],
      prepare: (host) => host.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
    });
    const { cookie } = await logIn();
    const listed = await ask('GET', '/ops/api/events?limit=5', { ...OURS, cookie });
    expect(listed.statusCode).toBe(200);
    expect((await ask('GET', '/v1/host')).statusCode).toBe(200);
  });

  it.each<[string, NestInterceptor['intercept']]>([
    ['wraps', (_, next) => next.handle().pipe(map((data: unknown) => ({ data })))],
    ['swallows errors', (_, next) => next.handle().pipe(catchError(() => of({ caught: true })))],
    ['empties', (_, next) => next.handle().pipe(ignoreElements())],
  ])('answers the same with an interceptor of the host that %s', async (_title, intercept) => {
    const useValue: NestInterceptor = { intercept };
    await start({ providers: [{ provide: APP_INTERCEPTOR, useValue }] });
    const { cookie } = await logIn();
    const asked = { ...OURS, cookie };
    const session = await ask('GET', '/ops/api/session', asked);
    expect(session.json()).toEqual({
      loggedIn: true,
      endsAt: expect.any(String),
      as: { id: 'operator', role: 'configure' },
      isEmbedded: true,
    });
    expect((await ask('GET', '/ops/api/events', asked)).json()).toMatchObject({ events: [] });
    const unknown = await ask('GET', '/ops/api/events/nobody', asked);
    expect([unknown.statusCode, unknown.json()]).toMatchObject([404, { code: 'unknown_event' }]);
    const query = await ask('GET', '/ops/api/events?limit=x', asked);
    expect([query.statusCode, query.json()]).toMatchObject([400, { code: 'invalid_query' }]);
    const sent = await ask('POST', '/ops/api/send', asked, {
      hook: 'wake',
      payload: { text: 'x' },
    });
    expect([sent.statusCode, sent.json()]).toMatchObject([200, { ok: true, mode: 'now' }]);
    const paused = await ask('POST', '/ops/api/pause', asked);
    expect([paused.statusCode, paused.json()]).toMatchObject([200, { ok: true }]);
    const page = await ask('GET', '/console/events');
    expect([page.statusCode, page.json()]).toMatchObject([404, { code: 'console_not_built' }]);
    const { cookies } = await ask('DELETE', '/ops/api/session', asked);
    expect(cookies).toMatchObject([{ value: '' }]);
  });

  it('is behind the global guards of the host, unless it is marked for them', async () => {
    const providers = [{ provide: APP_GUARD, useClass: ClosedByDefault }];
    await start({ providers });
    expect((await ask('GET', '/console')).statusCode).toBe(403);
    const refused = await ask('GET', '/ops/api/events', BEARER);
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ ok: false, code: 'refused_by_host' });
    await app.close();
    const decorators = [SetMetadata('public', true)];
    await start({ providers, console: { token: OPERATOR, decorators } });
    expect((await ask('GET', '/console')).statusCode).toBe(404);
    expect((await ask('GET', '/ops/api/events', BEARER)).statusCode).toBe(200);
    expect((await ask('GET', '/ops/api/events')).statusCode).toBe(401);
  });

  it('trusts the proxies that it is told of', async () => {
    const proxied = { ...OURS, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' };
    const login = () =>
      ask(
        'POST',
        '/ops/api/session',
        { ...proxied, origin: 'https://localhost' },
        { token: OPERATOR },
      );
    await start();
    expect((await login()).json()).toMatchObject({ code: 'loopback_only' });
    await app.close();
    await start({ console: { token: OPERATOR, exposed: true, trustedProxies: ['127.0.0.1'] } });
    expect((await login()).headers['set-cookie']).toMatch(/^__Secure-hooks_session=.*; Secure$/);
  });

  it('is asked under its own names only', async () => {
    await start();
    const evil = { host: 'evil.example', origin: 'http://evil.example', 'x-hooks-console': '1' };
    for (let n = 0; n < 25; n += 1) {
      const guess = await ask('POST', '/ops/api/session', evil, { token: 'wrong' });
      expect(guess.json()).toMatchObject({ ok: false, code: 'host_not_allowed' });
    }
    expect((await ask('GET', '/console', evil)).statusCode).toBe(421);
    expect((await ask('POST', '/ops/api/session', OURS, { token: 'wrong' })).statusCode).toBe(401);
    await app.close();
    await start({ console: { token: OPERATOR, hosts: ['Hooks.Example.com'] } });
    const named = { ...OURS, host: 'hooks.example.com', origin: 'http://hooks.example.com' };
    expect((await ask('POST', '/ops/api/session', named, { token: OPERATOR })).statusCode).toBe(
      200,
    );
  });

  it.each([
    ['is short', 'sixteen-letters', /HooksConsoleModule: token .*16/],
    ['is blank', ' ', /HooksConsoleModule: token is missing/],
    ['is missing', process.env['NO_SUCH_TOKEN']!, /HooksConsoleModule: token is missing/],
    ['opens a hook', HOOK, /HooksConsoleModule: token opens a hook/],
  ])('is refused at the start when its token %s', async (_, token, sentence) => {
    await expect(start({ console: { token } })).rejects.toThrow(sentence);
  });

  it('lets nobody in while its function gives no good token', async () => {
    let token = OPERATOR;
    await start({ console: { token: () => token } });
    const { cookie } = await logIn();
    token = '';
    expect((await ask('GET', '/ops/api/events', { ...OURS, cookie })).statusCode).toBe(401);
    for (const given of ['', ' ', 'short', process.env['NO_SUCH_TOKEN']!]) {
      token = given;
      const answer = await ask('POST', '/ops/api/session', OURS, { token: given });
      expect([400, 401]).toContain(answer.statusCode);
      const bearer = { authorization: `Bearer ${given}` };
      expect((await ask('GET', '/ops/api/events', bearer)).statusCode).toBe(401);
    }
  });
});

describe('two ingresses with names, each with a console below a path', () => {
  const PARTNERS = 'the-operator-token-of-the-partners';

  class Uses {
    constructor(
      @InjectHooks('own') readonly own: Hooks,
      @InjectHooks('partners') readonly partners: Hooks,
      @InjectHooks('partners', EventStore) readonly events: EventStore,
    ) {}
  }

  async function startBoth(path: string, hooksPath = '/partners/hooks') {
    const common = { enabled: true, runner: demoRunner(), clock: new ManualClock() };
    const own = HooksModule.forRoot({
      ...common,
      name: 'own',
      token: HOOK,
      ledger: memoryLedger(),
    });
    const partners = HooksModule.forRootAsync({
      name: 'partners',
      path: hooksPath,
      useFactory: () => ({ ...common, token: `${HOOK}-of-partners`, ledger: memoryLedger() }),
    });

    @Module({
      imports: [
        own,
        partners,
        HooksConsoleModule.forHooks(own, { token: OPERATOR }),
        HooksConsoleModule.forHooks(partners, { token: PARTNERS, path }),
      ],
      providers: [Uses],
    })
    class HostModule {}

    const testing = await Test.createTestingModule({ imports: [HostModule] }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: false,
    });
    app.setGlobalPrefix('api');
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  }

  it('are injected by their names, and shown apart', async () => {
    await startBoth('partners');
    const { own, partners, events } = app.get(Uses);
    expect(app.get(getHooksToken('partners'))).toBe(partners);
    const told = await partners.wake({ text: 'from a partner', mode: 'next-heartbeat' });
    expect(await events.get(told.eventId)).toMatchObject({ hook: 'wake' });
    expect((await events.list({ limit: 9 })).events).toHaveLength(1);
    await own.wake({ text: 'of our own', mode: 'next-heartbeat' });
    await own.wake({ text: 'once more', mode: 'next-heartbeat' });

    const listed = async (prefix: string, token: string) => {
      const bearer = { authorization: `Bearer ${token}` };
      const answer = await ask('GET', `/api${prefix}/ops/api/events`, bearer);
      return answer.statusCode === 200 ? answer.json().events.length : answer.statusCode;
    };
    expect(await listed('', OPERATOR)).toBe(2);
    expect(await listed('/partners', PARTNERS)).toBe(1);
    expect([await listed('', PARTNERS), await listed('/partners', OPERATOR)]).toEqual([401, 401]);
    const page = await ask('GET', '/api/partners/console');
    expect(page.json()).toMatchObject({ code: 'console_not_built' });
    const session = await ask('POST', '/api/partners/ops/api/session', OURS, { token: PARTNERS });
    expect(session.cookies).toMatchObject([{ path: '/api/partners/ops' }]);
  });

  it('is not injected by class', async () => {
    await startBoth('partners');
    expect(() => app.get(Hooks, { strict: true })).toThrow(/Hooks/);
  });

  it.each([
    ['partners', '/partners'],
    ['partners', '/partners/ops'],
  ])('at %s and hooks at %s are refused at the start', async (path, hooksPath) => {
    await expect(startBoth(path, hooksPath)).rejects.toThrow(
      /would meet; give one of them another path/,
    );
  });
});
