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
import { HookTokenGuard, HooksModule } from '../../src/hooks/index.ts';
import { GOOD, TOKEN, given, openDoor } from '../support/hooks-door.ts';
import type { Door, Host } from '../support/hooks-door.ts';

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

let door: Door;

afterEach(() => door.close());

async function status(path: string, headers = GOOD): Promise<number> {
  return (await door.post(path, {}, headers)).status;
}

describe('A host with a global guard, pipe, interceptor and filter', () => {
  async function open(decorators = [Public()]): Promise<void> {
    door = await openDoor({
      imports: (clock) => [HooksModule.forRoot({ ...given({ clock }), decorators })],
      module: { controllers: [HostController], providers: globals },
    });
  }

  it('does not disturb the hooks', async () => {
    await open();
    const answer = await door.post('/hooks/wake', { text: 'hi' });
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
    expect(door.endpoints.requests[0]!.payload).toEqual({ text: 'hi' });
    const refused = await door.post('/hooks/wake', 'no json');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { ok: false, error: expect.any(String), code: 'invalid_json' },
    ]);
  });

  it('is not disturbed by the hooks', async () => {
    await open();
    const answer = await fetch(`${door.url}/host/open`);
    expect([answer.status, await answer.json()]).toEqual([200, { data: { from: 'host' } }]);
    expect(await (await door.post('/host/echo', { a: 1 })).json()).toEqual({
      data: 'transformed by the host',
    });
    expect((await fetch(`${door.url}/host/closed`)).status).toBe(418);
    expect((await fetch(`${door.url}/nowhere`)).status).toBe(418);
    expect(
      (await door.post('/host/echo', '{', { 'content-type': 'application/json' })).status,
    ).toBe(418);
  });

  it('refuses unmarked hooks with its own status, in our shape, after our authentication', async () => {
    await open([]);
    const answer = await door.post('/hooks/wake', {});
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      ok: false,
      error: expect.not.stringContaining('the host says no'),
      code: 'refused_by_host',
    });
    expect(await status('/hooks/wake', { authorization: 'Bearer wrong' })).toBe(401);
    expect(door.endpoints.requests).toEqual([]);
  });

  it('an interceptor that swallows requests never makes an unstored 200', async () => {
    door = await openDoor({
      module: { providers: [{ provide: APP_INTERCEPTOR, useClass: SwallowingInterceptor }] },
    });
    const answer = await door.post('/hooks/wake', {});
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
    door = await openDoor(host);
    const answer = await door.post('/hooks/wake', { text: 'longer than ten bytes' });
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
    expect(door.endpoints.requests[0]!.payload).toEqual({ text: 'longer than ten bytes' });
  });

  it('its own JSON and other content types are parsed as before', async () => {
    door = await openDoor({
      module: { controllers: [HostController] },
      prepare: (app) =>
        app.useBodyParser('application/x-lines', {}, (_request, body, done) =>
          done(null, String(body).split('\n')),
        ),
    });
    expect(await (await door.post('/host/echo', { a: 1 })).json()).toEqual({ a: 1 });
    const lines = await door.post('/host/echo', 'a\nb', { 'content-type': 'application/x-lines' });
    expect(await lines.json()).toEqual(['a', 'b']);
    expect(
      (await door.post('/hooks/x', 'a\nb', { ...GOOD, 'content-type': 'application/x-lines' }))
        .status,
    ).toBe(415);
  });

  it('a middleware that has read the body makes a 500 that says so in the log, and no hanging', async () => {
    door = await openDoor({
      prepare: (app) =>
        app.use((request: NodeJS.ReadableStream, _response: unknown, next: () => void) => {
          request.resume().on('end', () => setImmediate(next));
        }),
    });
    expect(await status('/hooks/wake')).toBe(500);
    expect(JSON.stringify(door.log.lines)).toContain('a middleware of the host has read the body');
    expect(door.endpoints.requests).toEqual([]);
  });
});

describe('The prefix', () => {
  it.each<[string, Host, string]>([
    [
      'forRoot with a path',
      at((clock) => HooksModule.forRoot({ ...given({ clock }), path: ' in/ ' })),
      '/in',
    ],
    [
      'forRootAsync, whose path wins over the factory’s',
      at((clock) =>
        HooksModule.forRootAsync({
          path: '/in',
          useFactory: () => ({ ...given({ clock }), path: '/other' }),
        }),
      ),
      '/in',
    ],
    [
      'parameters',
      at((clock) => HooksModule.forRoot({ ...given({ clock }), path: '/:tenant/hooks' })),
      '/acme/hooks',
    ],
    ['setGlobalPrefix', { prepare: (app) => app.setGlobalPrefix('api') }, '/api/hooks'],
    [
      'URI versioning',
      { prepare: (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }) },
      '/v1/hooks',
    ],
    [
      'RouterModule',
      { module: { imports: [RouterModule.register([{ path: 'routed', module: HooksModule }])] } },
      '/routed/hooks',
    ],
  ])('%s', async (_title, host, prefix) => {
    door = await openDoor(host);
    expect(await status(`${prefix}/wake`)).toBe(200);
    expect(door.endpoints.requests.map(({ name }) => name)).toEqual(['wake']);
    expect(await status(prefix)).toBe(404);
    expect(await status(`${prefix}/wake`, { authorization: 'Bearer wrong' })).toBe(401);
    expect((await door.post(`${prefix}x/wake`, {})).status).toBe(404);
  });
});

function at(ingress: (clock: Door['clock']) => DynamicModule): Host {
  return { imports: (clock) => [ingress(clock)] };
}

describe('Two ingresses in one application', () => {
  beforeEach(async () => {
    const limit = { authFailures: { limit: 1 } };
    door = await openDoor({
      imports: (clock) => [
        HooksModule.forRoot({ ...given({ clock, ...limit }), path: '/one' }),
        HooksModule.forRootAsync({
          path: '/two',
          useFactory: () => given({ clock, ...limit, token: 'the-other-hook-token-here' }),
        }),
      ],
    });
  });

  const other = { authorization: 'Bearer the-other-hook-token-here' };

  it('have their own tokens', async () => {
    expect([await status('/one/wake'), await status('/two/wake', other)]).toEqual([200, 200]);
    expect([await status('/one/wake', other), await status('/two/wake')]).toEqual([401, 401]);
    expect(door.endpoints.tokens).toEqual([TOKEN, 'the-other-hook-token-here']);
  });

  it('have their own failure budgets', async () => {
    expect([await status('/one/wake', other), await status('/one/wake', other)]).toEqual([
      401, 429,
    ]);
    expect(await status('/two/wake')).toBe(401);
  });
});

describe('What a host forgot', () => {
  beforeEach(async () => {
    door = await openDoor();
  });

  it.each([
    ['ledger', /pass ledger: sqliteLedger\(\{ dir \}\)/],
    ['runner', /pass runner: demoRunner\(\)/],
  ] as const)('no %s: the start is refused with a sentence', async (key, sentence) => {
    await expect(openDoor({ options: { [key]: undefined } })).rejects.toThrow(sentence);
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
    await expect(openDoor({ options })).rejects.toThrow(/hooks\.token/);
    expect(opened).toBe(0);
  });
});

it('HookTokenGuard refuses a request that never came through the door', async () => {
  @Controller('unguarded')
  @UseGuards(HookTokenGuard)
  class OpenController {
    @Get()
    read(): string {
      return 'secret';
    }
  }
  @Module({ controllers: [OpenController] })
  class OpenModule {}
  door = await openDoor({ module: { imports: [OpenModule] } });
  const answer = await fetch(`${door.url}/unguarded`, { headers: GOOD });
  expect(answer.ok).toBe(false);
  expect(await answer.text()).not.toContain('secret');
});
