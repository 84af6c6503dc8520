import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  Body,
  Catch,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  Post,
  Req,
  Scope,
  UseFilters,
  UseGuards,
  Version,
  VersioningType,
} from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter, Type } from '@nestjs/common';
import { APP_GUARD, LazyModuleLoader } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { schemes, signRequest } from '../../src/hooks/http/auth/signatures/index.ts';
import { SignatureGuard } from '../../src/index.ts';
import { KeptLog } from '../support/ingress-host.ts';
import { PUBLIC_URL, otherSecret, senderOf } from '../support/signing-senders.ts';

const SECRET = 'a-secret-of-decent-length';
const ODD = '{ "text" :\t"😀 ä\\u00e4"\r\n ,"n":1.0 }  ';

let app: NestFastifyApplication;
let routes: RouteOptions[];
let log: KeptLog;
const handled: { readonly body: unknown; readonly rawBody: unknown }[] = [];
afterEach(() => app?.close());

type Prepare = (app: NestFastifyApplication) => unknown;

async function start(
  module: Parameters<typeof Module>[0],
  prepare: Prepare = () => {},
  adapter = new FastifyAdapter(),
): Promise<void> {
  @Module(module)
  class HostModule {}
  handled.length = 0;
  routes = [];
  log = new KeptLog();
  const testing = await Test.createTestingModule({ imports: [HostModule] })
    .setLogger(log)
    .compile();
  app = testing.createNestApplication<NestFastifyApplication>(adapter, { logger: log });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => void routes.push(route));
  await prepare(app);
  await app.listen(0, '127.0.0.1');
}

async function post(path: string, init: RequestInit): Promise<Response> {
  return fetch(`${await app.getUrl()}${path}`, { method: 'POST', ...init });
}

function keep(request: FastifyRequest): object {
  const { body, rawBody } = request as FastifyRequest & { rawBody?: Buffer };
  handled.push({ body, rawBody: rawBody?.toString() });
  return { ok: true };
}

/** Handlers with the guard on the class, and one beside it without. */
function hostOf(guard: Type, ...filters: Type<ExceptionFilter>[]): Type[] {
  @UseGuards(guard)
  @UseFilters(...filters)
  @Controller('signed')
  class SignedController {
    @Post()
    take(@Req() request: FastifyRequest): object {
      return keep(request);
    }
  }
  @Controller('open')
  class OpenController {
    @Post()
    take(@Req() request: FastifyRequest): object {
      return keep(request);
    }
  }
  return [SignedController, OpenController];
}

interface Sent {
  readonly scheme?: string;
  readonly secret?: string;
  readonly body?: string;
  readonly now?: number;
  readonly type?: string;
}

function signed({ scheme = 'github', secret = SECRET, body = ODD, now, type }: Sent = {}) {
  const { headers } = signRequest(schemes.get(scheme)!, {
    secret,
    body: Buffer.from(body),
    now: now ?? Date.now(),
  });
  return { body, headers: { 'content-type': type ?? 'application/json', ...headers } };
}

async function expectRefused(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ ok: false, code, error: expect.any(String) });
  expect(handled).toEqual([]);
}

describe('SignatureGuard lets in what is signed, and nothing else', () => {
  it('with the secret of a file, which ends its line', async () => {
    await start({ controllers: hostOf(SignatureGuard('github', { secrets: [`${SECRET}\r\n`] })) });
    expect((await post('/signed', signed())).status).toBe(201);
  });

  it.each(['github', 'stripe', 'slack', 'standard-webhooks', 'discord', 'hmac', 'twilio', 'jira'])(
    '%s',
    async (id) => {
      const scheme = schemes.get(id)!;
      const { toSign, options } = senderOf(scheme);
      const { secrets } = options;
      const publicUrl = PUBLIC_URL;
      await start({
        controllers: hostOf(SignatureGuard(id, { secrets: [...secrets], publicUrl })),
      });
      const type =
        scheme.body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
      const base = { 'content-type': type };
      const { headers, body } = signRequest(scheme, {
        ...toSign,
        headers: base,
        url: `${PUBLIC_URL}/signed`,
        now: Date.now(),
      });
      const sent = { headers: { ...base, ...headers }, body: new Uint8Array(body) };
      expect((await post('/signed', sent)).status).toBe(201);
      const text = Buffer.from(body).toString();
      const parsed: unknown =
        scheme.body === 'form' ? expect.objectContaining({ MessageSid: 'SM1' }) : JSON.parse(text);
      expect(handled.splice(0)).toEqual([{ rawBody: text, body: parsed }]);
      await expectRefused(
        await post('/signed', { headers: base, body: text }),
        401,
        'invalid_signature',
      );
      await app.close();
      const wrong = SignatureGuard(id, {
        secrets: secrets.map((secret) => otherSecret(scheme, secret)),
        publicUrl,
      });
      await start({ controllers: hostOf(wrong) });
      await expectRefused(await post('/signed', sent), 401, 'invalid_signature');
    },
  );

  it('compares the very bytes: emoji, odd blanks and numbers', async () => {
    await start({ controllers: hostOf(SignatureGuard('github', { secrets: [SECRET] })) });
    expect((await post('/signed', signed())).status).toBe(201);
    expect(handled.splice(0)).toEqual([{ body: JSON.parse(ODD), rawBody: ODD }]);
    const { headers } = signed();
    const changed = await post('/signed', { headers, body: `${ODD} ` });
    await expectRefused(changed, 401, 'invalid_signature');
    expect(changed.headers.get('www-authenticate')).toBe('Signature');
  });

  it('takes the options of verify: several secrets, a header, how old', async () => {
    const custom = { header: 'X-Own', hash: 'sha1', encoding: 'base64', prefix: 'v=' } as const;
    const guard = SignatureGuard('hmac', {
      secrets: ['an-older-secret-of-theirs', SECRET],
      ...custom,
    });
    const timed = SignatureGuard('stripe', () => ({ secrets: [SECRET], toleranceSeconds: 60 }));
    @Controller()
    class Own {
      @UseGuards(guard)
      @Post('own')
      own(@Req() request: FastifyRequest) {
        return keep(request);
      }

      @UseGuards(timed)
      @Post('timed')
      timed(@Req() request: FastifyRequest) {
        return keep(request);
      }
    }
    await start({ controllers: [Own] });
    const tag = createHmac('sha1', SECRET).update(ODD).digest('base64');
    const own = { 'content-type': 'application/json', 'x-own': `v=${tag}` };
    expect((await post('/own', { headers: own, body: ODD })).status).toBe(201);
    const before = (seconds: number) =>
      signed({ scheme: 'stripe', now: Date.now() - seconds * 1000 });
    expect((await post('/timed', before(30))).status).toBe(201);
    handled.length = 0;
    const stale = await post('/timed', before(90));
    await expectRefused(stale.clone(), 401, 'invalid_signature');
    expect(await stale.json()).toMatchObject({ error: expect.stringContaining('timestamp') });
  });

  it('is 413 above the limit, announced or not, in bytes, and lets the connection go on', async () => {
    const maxBodyBytes = Buffer.byteLength(ODD);
    const guard = SignatureGuard('github', { secrets: [SECRET], maxBodyBytes });
    await start({ controllers: hostOf(guard) });
    expect((await post('/signed', signed())).status).toBe(201);
    handled.length = 0;
    const large = signed({ body: `${ODD} ` });
    await expectRefused(await post('/signed', large), 413, 'payload_too_large');
    const chunks = new Blob([large.body]).stream();
    const init: RequestInit = { headers: large.headers, body: chunks, duplex: 'half' };
    await expectRefused(await post('/signed', init), 413, 'payload_too_large');
  });

  it('takes more than Fastify would, by its own limit', async () => {
    const guard = SignatureGuard('github', { secrets: [SECRET], maxBodyBytes: 3_000_000 });
    await start({ controllers: hostOf(guard) });
    const body = JSON.stringify({ text: 'x'.repeat(2_000_000) });
    expect((await post('/signed', signed({ body }))).status).toBe(201);
    const open = await post('/open', { headers: { 'content-type': 'application/json' }, body });
    expect(open.status).toBe(413);
  });

  it('is 408 where the body does not end', async () => {
    const guard = SignatureGuard('github', { secrets: [SECRET], bodyTimeoutSeconds: 0.05 });
    await start({ controllers: hostOf(guard) });
    const { headers } = signed();
    const endless = new ReadableStream({ start: (to) => to.enqueue(Buffer.from('{')) });
    const init: RequestInit = { headers, body: endless, duplex: 'half' };
    await expectRefused(await post('/signed', init), 408, 'body_timeout');
  });

  it('nothing of the application sees a body that is not verified', async () => {
    const parsed: unknown[] = [];
    await start(
      { controllers: hostOf(SignatureGuard('github', { secrets: [SECRET] })) },
      (host) => {
        host.useBodyParser('application/json', {}, (_request, body, done) => {
          parsed.push(body.toString());
          done(null, JSON.parse(body.toString()));
        });
      },
    );
    const { headers } = signed();
    await expectRefused(
      await post('/signed', { headers, body: '{"a":' }),
      401,
      'invalid_signature',
    );
    expect(parsed).toEqual([]);
    await post('/signed', signed());
    expect(parsed).toEqual([ODD]);
  });

  it('nor does a hook of its route', async () => {
    const read: string[] = [];
    const controllers = hostOf(SignatureGuard('github', { secrets: [SECRET] }));
    await start({ controllers }, (host) => {
      const fastify = host.getHttpAdapter().getInstance();
      fastify.addHook('onRoute', (route) => {
        route.preParsing = [
          ...[route.preParsing ?? []].flat(),
          async (_request, _reply, payload) => {
            const body = await buffer(payload);
            read.push(body.toString());
            return Readable.from(body, { objectMode: false });
          },
        ];
      });
    });
    const { headers } = signed();
    const payload = 'of a stranger';
    const refused = await app.inject({ method: 'POST', url: '/signed', payload });
    expect(refused.statusCode).toBe(401);
    await app.inject({ method: 'POST', url: '/signed', headers, payload: ODD });
    expect(read).toEqual(['', ODD]);
  });
});

describe('SignatureGuard lives in the application', () => {
  it('its filters see a refusal, with the headers that came', async () => {
    const seen: unknown[] = [];
    @Catch(HttpException)
    class Own implements ExceptionFilter {
      catch(error: HttpException, host: ArgumentsHost): void {
        const http = host.switchToHttp();
        const { headers } = http.getRequest<FastifyRequest>();
        seen.push([error.getStatus(), error.getResponse(), headers['content-type']]);
        void http.getResponse<FastifyReply>().status(418).send({ mine: true });
      }
    }
    await start({ controllers: hostOf(SignatureGuard('github', { secrets: [SECRET] }), Own) });
    const answer = await post('/signed', signed({ secret: 'another-secret-of-that-length' }));
    expect([answer.status, await answer.json()]).toEqual([418, { mine: true }]);
    expect(seen).toEqual([
      [401, expect.objectContaining({ ok: false, code: 'invalid_signature' }), 'application/json'],
    ]);
    expect(handled).toEqual([]);
  });

  it('a sender that goes away half-way is 400 to them, and no handler is called', async () => {
    const refused = Promise.withResolvers<unknown>();
    @Catch(HttpException)
    class Own implements ExceptionFilter {
      catch(error: HttpException): void {
        refused.resolve([error.getStatus(), error.getResponse()]);
      }
    }
    await start({ controllers: hostOf(SignatureGuard('github', { secrets: [SECRET] }), Own) });
    const { headers } = signRequest(schemes.get('github')!, {
      secret: SECRET,
      body: Buffer.from(ODD),
      now: Date.now(),
    });
    const signature = `x-hub-signature-256: ${headers['x-hub-signature-256']}`;
    const socket = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1');
    socket.write(
      `POST /signed HTTP/1.1\r\nhost: x\r\n${signature}\r\ncontent-length: 99\r\n\r\n{`,
      () => socket.destroy(),
    );
    expect(await refused.promise).toEqual([400, expect.objectContaining({ code: 'invalid_body' })]);
    expect(handled).toEqual([]);
  });

  it('in a module that is loaded lazily it stops nothing: Nest registers no routes of it', async () => {
    await start({});
    const guard = SignatureGuard('github', { secrets: [SECRET] });
    const [Signed] = hostOf(guard);
    @Module({ controllers: [Signed!] })
    class LateModule {}
    await app.get(LazyModuleLoader).load(() => LateModule);
    expect((await post('/signed', signed())).status).toBe(404);
  });

  it('keeps the bytes of no other route', async () => {
    await start({ controllers: hostOf(SignatureGuard('github', { secrets: [SECRET] })) });
    expect((await post('/open', signed())).status).toBe(201);
    expect(handled).toEqual([{ body: JSON.parse(ODD), rawBody: undefined }]);
    const marked = routes.filter(({ preParsing }) => preParsing !== undefined);
    expect(marked.map(({ url }) => url)).toEqual(['/signed']);
  });

  it('on a handler alone, versioned, behind a prefix, and on GET', async () => {
    const guard = SignatureGuard('github', { secrets: [SECRET] });
    @Controller('both')
    class Both {
      @UseGuards(guard)
      @Version(['1', '2'])
      @Post(['a', 'b/:id'])
      take(@Req() request: FastifyRequest) {
        return keep(request);
      }

      @UseGuards(guard)
      @Get('asked')
      ask() {
        return { asked: true };
      }

      @Post('open')
      open(@Body() body: unknown) {
        return { body };
      }
    }
    await start({ controllers: [Both] }, (host) => {
      host.setGlobalPrefix('api');
      host.enableVersioning({ type: VersioningType.URI });
    });
    for (const path of ['/api/v1/both/a', '/api/v2/both/a', '/api/v1/both/b/7']) {
      expect((await post(path, signed())).status).toBe(201);
      const wrong = signed({ secret: 'another-secret-of-that-length' });
      expect((await post(path, wrong)).status).toBe(401);
    }
    expect(handled).toHaveLength(3);
    const asking = (headers: Record<string, string>) =>
      app.inject({ url: '/api/both/asked', headers });
    const empty = signed({ body: '' });
    expect((await asking(empty.headers)).statusCode).toBe(200);
    expect((await asking({})).statusCode).toBe(401);
    expect(
      (
        await post('/api/both/open', {
          body: '{}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(201);
  });

  it('by header version, and of a handler that lives for a request', async () => {
    const guard = SignatureGuard('github', { secrets: [SECRET] });
    @UseGuards(guard)
    @Controller({ path: 'scoped', version: '3', scope: Scope.REQUEST })
    class Scoped {
      @Post()
      take(@Req() request: FastifyRequest) {
        return keep(request);
      }
    }
    await start({ controllers: [Scoped] }, (host) =>
      host.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' }),
    );
    const { headers, body } = signed();
    const versioned = { ...headers, 'x-version': '3' };
    expect((await post('/scoped', { headers: versioned, body })).status).toBe(201);
    handled.length = 0;
    const changed = await post('/scoped', { headers: versioned, body: `${body} ` });
    await expectRefused(changed, 401, 'invalid_signature');
  });

  it('one guard in two modules, two on one handler, and one that extends it', async () => {
    const github = SignatureGuard('github', { secrets: [SECRET] });
    const stripe = SignatureGuard('stripe', { secrets: [SECRET] });
    @Injectable()
    class Own extends github {}
    @UseGuards(github)
    @Controller('one')
    class One {
      @UseGuards(stripe)
      @Post()
      take(@Req() request: FastifyRequest) {
        return keep(request);
      }
    }
    @UseGuards(Own)
    @Controller('two')
    class Two {
      @Post()
      take(@Req() request: FastifyRequest) {
        return keep(request);
      }
    }
    @Module({ controllers: [Two] })
    class TwoModule {}
    await start({ controllers: [One], imports: [TwoModule] });
    expect((await post('/two', signed())).status).toBe(201);
    const [both, other] = [signed(), signed({ scheme: 'stripe' })];
    const headers = { ...both.headers, ...other.headers };
    expect((await post('/one', { headers, body: ODD })).status).toBe(201);
    expect(handled).toHaveLength(2);
    handled.length = 0;
    for (const { headers: alone } of [both, other]) {
      await expectRefused(
        await post('/one', { headers: alone, body: ODD }),
        401,
        'invalid_signature',
      );
    }
    await expectRefused(await post('/two', other), 401, 'invalid_signature');
  });
});

describe('The start is refused', () => {
  class Other extends FastifyAdapter {
    override getType(): string {
      return 'other';
    }
  }
  const github = () => SignatureGuard('github', { secrets: [SECRET] });
  const module = (guard: Type) => ({ controllers: hostOf(guard) });

  @Controller('inherited')
  class Base {
    @Post()
    take() {
      return {};
    }
  }

  it.each<[string, () => Parameters<typeof start>, RegExp]>([
    [
      'of a scheme that nobody knows',
      () => [module(SignatureGuard('githb', { secrets: [SECRET] }))],
      /^SignatureGuard\('githb'\): scheme is no known scheme; did you mean github\?$/,
    ],
    [
      'of a sender that does not sign',
      () => [module(SignatureGuard('alertmanager', { secrets: [SECRET] }))],
      /: scheme names a sender that does not sign/,
    ],
    [
      'without secrets',
      () => [module(SignatureGuard('github', { secrets: [] }))],
      /^SignatureGuard\('github'\): secrets must hold at least one secret$/,
    ],
    [
      'with a variable that is not set',
      () => [module(SignatureGuard('github', () => ({ secrets: [process.env['NOT_SET']!] })))],
      /^SignatureGuard\('github'\): secrets\[0\] must not be blank$/,
    ],
    [
      'with an option of another scheme',
      () => [module(SignatureGuard('github', { secrets: [SECRET], header: 'x' }))],
      /: header belongs to the scheme hmac alone$/,
    ],
    [
      'where the sender signs an address that is not given',
      () => [module(SignatureGuard('twilio', { secrets: [SECRET] }))],
      /: publicUrl must be set, since Twilio signs the URL that it calls$/,
    ],
    [
      'with limits that are none',
      () => {
        const limits = { maxBodyBytes: Number.NaN, bodyTimeoutSeconds: 0 };
        return [module(SignatureGuard('github', { secrets: [SECRET], ...limits }))];
      },
      /: maxBodyBytes must be a whole number .*; bodyTimeoutSeconds must be over 0 and at most 600$/,
    ],
    [
      'as a global guard',
      () => [{}, (host) => host.useGlobalGuards(new (github())())],
      /is carried by no route: put it on a controller or a handler.*it cannot be global$/,
    ],
    [
      'as APP_GUARD',
      () => [{ providers: [{ provide: APP_GUARD, useClass: github() }] }],
      /is carried by no route/,
    ],
    [
      'on any platform but Fastify',
      () => [module(github()), () => {}, new Other()],
      /^SignatureGuard\('github'\) needs Fastify: create the application with new FastifyAdapter/,
    ],
    [
      'where a route lost its configuration',
      () => [
        module(github()),
        (host) => {
          const fastify = host.getHttpAdapter().getInstance();
          const route = fastify.route.bind(fastify);
          fastify.route = (given) => route(Object.assign(given, { config: {} }));
        },
      ],
      / cannot keep the bytes of SignedController\.take, .*; use @Post\(\)/,
    ],
    [
      'where an inherited handler has the guard in one place alone',
      () => {
        @UseGuards(github())
        @Controller('closed')
        class Closed extends Base {}
        return [{ controllers: [Base, Closed] }];
      },
      / cannot guard Closed\.take alone: Base\.take is the same inherited handler; put it on both/,
    ],
  ])('%s', async (_title, given, sentence) => {
    await expect((async () => start(...given()))()).rejects.toThrow(sentence);
    expect(app?.getHttpServer().listening ?? false).toBe(false);
  });

  it('warns of a secret that can be guessed', async () => {
    await start({ controllers: hostOf(SignatureGuard('github', { secrets: ['short'] })) });
    const lines = log.lines.flat().join('\n');
    expect(lines).toContain("SignatureGuard('github'): secrets[0] is shorter than 16 characters");
    expect(lines).not.toContain('short\n');
  });

  it('not of an application without HTTP', async () => {
    const testing = await Test.createTestingModule(module(github())).compile();
    await testing.init();
    await testing.close();
  });
});
