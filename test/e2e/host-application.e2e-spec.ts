import {
  Body,
  Catch,
  Controller,
  ForbiddenException,
  Get,
  Injectable,
  Module,
  Post,
  SetMetadata,
  UseGuards,
  VersioningType,
} from '@nestjs/common';
import type {
  ArgumentsHost,
  CallHandler,
  CanActivate,
  DynamicModule,
  ExceptionFilter,
  ExecutionContext,
  NestInterceptor,
  PipeTransform,
} from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  Reflector,
  RouterModule,
} from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Observable, map, of } from 'rxjs';
import { HookGuard, HooksModule } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { GOOD, TOKEN, given, openIngress } from '../support/ingress-host.ts';
import type { Host, Ingress } from '../support/ingress-host.ts';

const Public = (): ReturnType<typeof SetMetadata> => SetMetadata('public', true);

@Controller('host')
class HostController {
  @Get('open')
  @Public()
  open(): unknown {
    return { from: 'host' };
  }

  @Post('echo')
  @Public()
  echo(@Body() body: unknown): unknown {
    return body;
  }

  @Get('closed')
  closed(): unknown {
    return {};
  }
}

@Injectable()
class PublicOnlyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>('public', targets)) return true;
    throw new ForbiddenException('the host says no');
  }
}

class WrappingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

class SwallowingInterceptor implements NestInterceptor {
  intercept(): Observable<unknown> {
    return of({ cached: true });
  }
}

class ShoutingPipe implements PipeTransform {
  transform(): unknown {
    return 'transformed by the host';
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().code(418).send({ host: 'filter' });
  }
}

const globals = [
  { provide: APP_GUARD, useClass: PublicOnlyGuard },
  { provide: APP_INTERCEPTOR, useClass: WrappingInterceptor },
  { provide: APP_PIPE, useClass: ShoutingPipe },
  { provide: APP_FILTER, useClass: HostFilter },
];

let ingress: Ingress;

afterEach(() => ingress.close());

async function status(path: string, headers = GOOD): Promise<number> {
  return (await ingress.post(path, { text: 'x' }, headers)).status;
}

describe('A host with a global guard, pipe, interceptor and filter', () => {
  async function open(decorators = [Public()]): Promise<void> {
    ingress = await openIngress({
      imports: (clock, ledger) => [
        HooksModule.forRoot({ ...given({ clock, ledger }), decorators }),
      ],
      module: { controllers: [HostController], providers: globals },
    });
  }

  it('does not disturb the hooks', async () => {
    await open();
    const answer = await ingress.post('/hooks/wake', { text: 'hi' });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: true, mode: 'now', eventId: 'event-1' },
    ]);
    expect(ingress.intake.requests[0]!.payload).toEqual({ text: 'hi' });
    const refused = await ingress.post('/hooks/wake', 'no json');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { ok: false, error: expect.any(String), code: 'invalid_json' },
    ]);
  });

  it('is not disturbed by the hooks', async () => {
    await open();
    const answer = await fetch(`${ingress.url}/host/open`);
    expect([answer.status, await answer.json()]).toEqual([200, { data: { from: 'host' } }]);
    expect(await (await ingress.post('/host/echo', { a: 1 })).json()).toEqual({
      data: 'transformed by the host',
    });
    expect((await fetch(`${ingress.url}/host/closed`)).status).toBe(418);
    expect((await fetch(`${ingress.url}/nowhere`)).status).toBe(418);
    expect(
      (await ingress.post('/host/echo', '{', { 'content-type': 'application/json' })).status,
    ).toBe(418);
  });

  it('refuses unmarked hooks with its own status, in our shape, before our authentication', async () => {
    await open([]);
    const answer = await ingress.post('/hooks/wake', {});
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      ok: false,
      error: expect.not.stringContaining('the host says no'),
      code: 'refused_by_host',
    });
    expect(await status('/hooks/wake', { authorization: 'Bearer wrong' })).toBe(403);
    expect(ingress.intake.requests).toEqual([]);
  });

  it('an interceptor that swallows requests never makes an unstored 200', async () => {
    ingress = await openIngress({
      module: { providers: [{ provide: APP_INTERCEPTOR, useClass: SwallowingInterceptor }] },
    });
    const answer = await ingress.post('/hooks/wake', {});
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { ok: false, error: expect.any(String), code: 'internal_error' },
    ]);
  });
});

describe('A host with parsers and limits of its own', () => {
  it.each<[string, Host]>([
    [
      'that removed every parser',
      { prepare: (app) => app.getHttpAdapter().getInstance().removeAllContentTypeParsers() },
    ],
    [
      'whose JSON parser throws',
      {
        prepare: (app) =>
          app.useBodyParser('application/json', {}, () => {
            throw new Error('the host parses');
          }),
      },
    ],
    ['whose bodyLimit is 10 bytes', { adapter: { bodyLimit: 10 } }],
    [
      'with an asynchronous onSend hook',
      {
        prepare: (app) =>
          void app
            .getHttpAdapter()
            .getInstance()
            .addHook(
              'onSend',
              (_request, _reply, payload, done) => void setImmediate(done, null, payload),
            ),
      },
    ],
  ])('%s does not disturb the hooks', async (_title, host) => {
    ingress = await openIngress(host);
    const answer = await ingress.post('/hooks/wake', { text: 'longer than ten bytes' });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: true, mode: 'now', eventId: 'event-1' },
    ]);
    expect(ingress.intake.requests[0]!.payload).toEqual({ text: 'longer than ten bytes' });
  });

  it('its own JSON and other content types are parsed as before', async () => {
    ingress = await openIngress({
      module: { controllers: [HostController] },
      prepare: (app) =>
        app.useBodyParser('application/x-lines', {}, (_request, body, done) =>
          done(null, String(body).split('\n')),
        ),
    });
    expect(await (await ingress.post('/host/echo', { a: 1 })).json()).toEqual({ a: 1 });
    const lines = await ingress.post('/host/echo', 'a\nb', {
      'content-type': 'application/x-lines',
    });
    expect(await lines.json()).toEqual(['a', 'b']);
    expect(
      (await ingress.post('/hooks/x', 'a\nb', { ...GOOD, 'content-type': 'application/x-lines' }))
        .status,
    ).toBe(415);
  });

  it('a middleware that has read the body makes a 500 that says so in the log, and no hanging', async () => {
    ingress = await openIngress({
      prepare: (app) =>
        app.use((request: NodeJS.ReadableStream, _response: unknown, next: () => void) => {
          request.resume().on('end', () => setImmediate(next));
        }),
    });
    expect(await status('/hooks/wake')).toBe(500);
    expect(JSON.stringify(ingress.log.lines)).toContain(
      'a middleware of the host has read the body',
    );
    expect(ingress.intake.requests).toEqual([]);
  });
});

describe('The prefix', () => {
  it.each<[string, Host, string]>([
    [
      'forRoot with a path',
      at((clock, ledger) => HooksModule.forRoot({ ...given({ clock, ledger }), path: ' in/ ' })),
      '/in',
    ],
    [
      'forRootAsync, whose factory may say the same',
      at((clock, ledger) =>
        HooksModule.forRootAsync({
          path: '/in',
          useFactory: () => ({ ...given({ clock, ledger }), path: 'in' }),
        }),
      ),
      '/in',
    ],
    [
      'parameters',
      at((clock, ledger) =>
        HooksModule.forRoot({ ...given({ clock, ledger }), path: '/:tenant/hooks' }),
      ),
      '/acme/hooks',
    ],
    ['setGlobalPrefix', { prepare: (app) => app.setGlobalPrefix('api') }, '/api/hooks'],
    [
      'setGlobalPrefix with a parameter',
      { prepare: (app) => app.setGlobalPrefix(':tenant/v2/') },
      '/acme/v2/hooks',
    ],
    [
      'setGlobalPrefix that excludes them',
      { prepare: (app) => app.setGlobalPrefix('api', { exclude: ['hooks', 'hooks/*path'] }) },
      '/hooks',
    ],
    [
      'URI versioning',
      { prepare: (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }) },
      '/hooks',
    ],
    [
      'RouterModule',
      { module: { imports: [RouterModule.register([{ path: 'routed', module: HooksModule }])] } },
      '/routed/hooks',
    ],
  ])('%s', async (_title, host, prefix) => {
    ingress = await openIngress(host);
    expect(await status(`${prefix}/wake`)).toBe(200);
    expect(ingress.intake.requests.map(({ name }) => name)).toEqual(['wake']);
    expect(await status(prefix)).toBe(404);
    expect(await status(`${prefix}/wake`, { authorization: 'Bearer wrong' })).toBe(401);
    expect((await fetch(`${ingress.url}${prefix}/runs/x`)).status).toBe(401);
    expect((await ingress.post(`${prefix}x/wake`, {})).status).toBe(404);
  });
});

function at(module: (...given: Parameters<NonNullable<Host['imports']>>) => DynamicModule): Host {
  return { imports: (clock, ledger) => [module(clock, ledger)] };
}

describe('Two ingresses in one application', () => {
  beforeEach(async () => {
    const limit = { authFailures: { limit: 1 } };
    ingress = await openIngress({
      imports: (clock, ledger) => [
        HooksModule.forRoot({ ...given({ clock, ledger, ...limit }), path: '/one' }),
        HooksModule.forRootAsync({
          name: 'two',
          path: '/two',
          useFactory: () => given({ clock, ledger, ...limit, token: 'the-other-hook-token-here' }),
        }),
      ],
    });
  });

  const other = { authorization: 'Bearer the-other-hook-token-here' };

  it('have their own tokens', async () => {
    expect([await status('/one/wake'), await status('/two/wake', other)]).toEqual([200, 200]);
    expect([await status('/one/wake', other), await status('/two/wake')]).toEqual([401, 401]);
  });

  it('have their own failure budgets', async () => {
    expect([await status('/one/wake', other), await status('/one/wake', other)]).toEqual([
      401, 429,
    ]);
    expect(await status('/two/wake')).toBe(401);
  });
});

it('A mark for the guard of the host opens one of two ingresses, and not the other', async () => {
  ingress = await openIngress({
    imports: (clock, ledger) => [
      HooksModule.forRoot({ ...given({ clock, ledger }), path: '/one', decorators: [Public()] }),
      HooksModule.forRoot({ ...given({ clock, ledger }), name: 'two', path: '/two' }),
    ],
    module: { providers: [{ provide: APP_GUARD, useClass: PublicOnlyGuard }] },
  });
  expect([await status('/one/wake'), await status('/two/wake')]).toEqual([200, 403]);
  expect([await status('/one/any'), await status('/two/any')]).toEqual([200, 403]);
});

describe('What a host forgot', () => {
  beforeEach(async () => {
    ingress = await openIngress();
  });

  it.each([
    ['ledger', /pass ledger: sqliteLedger\(\{ dir \}\)/],
    ['runner', /pass runner: demoRunner\(\)/],
  ] as const)('no %s: the start is refused with a sentence', async (key, sentence) => {
    await expect(openIngress({ options: { [key]: undefined } })).rejects.toThrow(sentence);
  });

  it('a configuration that cannot be used refuses the start and opens no ledger', async () => {
    let opened = 0;
    const ledger = {
      open: () => {
        opened += 1;
        return Promise.reject(new Error('opened'));
      },
    };
    const options = { ledger, token: ' ', mappings: [{ id: 'x', match: {} }] };
    await expect(openIngress({ options })).rejects.toThrow(
      /^ {2}token is required when enabled is true/m,
    );
    expect(opened).toBe(0);
  });
});

describe('HookGuard on a route of the host', () => {
  beforeEach(async () => {
    @Controller('guarded')
    @UseGuards(HookGuard)
    class GuardedController {
      @Get()
      read(): string {
        return 'secret';
      }
    }
    const clock = new ManualClock();
    const tokenHeader = 'X-Own-Token';
    const hooks = HooksModule.forRoot(given({ clock, tokenHeader, authFailures: { limit: 2 } }));
    @Module({ imports: [hooks], controllers: [GuardedController] })
    class GuardedModule {}
    ingress = await openIngress({ imports: () => [hooks], module: { imports: [GuardedModule] } });
  });

  const read = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${ingress.url}/guarded`, { headers });

  it('lets a right token through, whatever the method', async () => {
    for (const headers of [GOOD, { 'x-own-token': TOKEN }]) {
      const answer = await read(headers);
      expect([answer.status, await answer.text()]).toEqual([200, 'secret']);
    }
  });

  it('401 with our words and header, in the form that the host gives errors', async () => {
    const answer = await read({ authorization: 'Bearer wrong' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await answer.json()).toMatchObject({ ok: false, code: 'unauthorized' });
  });

  it('429 while the client is locked', async () => {
    const wrong = { authorization: 'Bearer wrong' };
    expect([(await read(wrong)).status, (await read(wrong)).status]).toEqual([401, 401]);
    const locked = await read(wrong);
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '60']);
  });
});
