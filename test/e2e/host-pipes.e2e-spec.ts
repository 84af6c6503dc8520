import { Catch, Controller, Injectable, Post, Scope, ValidationPipe } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter, PipeTransform } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { SystemClock } from '../../src/hooks/index.ts';
import { HookBody, HookValidationPipe } from '../../src/index.ts';
import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Host, Ingress } from '../support/ingress-host.ts';

let ingress: Ingress;
afterEach(() => ingress.close());

class ReplacingPipe implements PipeTransform {
  transform(): unknown {
    return { text: 3, message: 3 };
  }
}

class RefusingPipe implements PipeTransform {
  transform(): never {
    throw new Error('the host refuses');
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedPipe extends ReplacingPipe {}

const strict = new ValidationPipe({
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  transform: true,
  validateCustomDecorators: true,
  transformOptions: { enableImplicitConversion: true },
});

describe('Pipes that a host has set for all routes leave the hooks alone', () => {
  it.each<[string, Host]>([
    ['useGlobalPipes', { prepare: (app) => app.useGlobalPipes(strict, new ReplacingPipe()) }],
    ['a pipe that refuses', { prepare: (app) => app.useGlobalPipes(new RefusingPipe()) }],
    ['APP_PIPE', { module: { providers: [{ provide: APP_PIPE, useValue: strict }] } }],
    [
      'APP_PIPE of each request',
      { module: { providers: [{ provide: APP_PIPE, useClass: ScopedPipe }] } },
    ],
  ])('%s', async (_title, host) => {
    ingress = await openIngress({ ...host, options: { clock: new SystemClock() } });
    const answers = [
      await ingress.post('/hooks/wake', { text: ' hi ', extra: '1' }),
      await ingress.post('/hooks/agent', { message: ' hi ', timeoutSeconds: 5 }),
      await ingress.post('/hooks/any', { text: ' hi ', extra: '1' }),
      await ingress.post('/hooks/wake', { text: 3 }),
      await fetch(`${ingress.url}/hooks/runs/unknown?wait=1`, { headers: GOOD }),
      await fetch(`${ingress.url}/hooks/runs/unknown?wait=x`, { headers: GOOD }),
    ];
    const told = await Promise.all(answers.map(async (answer) => Object(await answer.json())));
    expect(answers.map(({ status }, at) => told[at].code ?? status)).toEqual([
      200,
      200,
      200,
      'invalid_payload',
      'unknown_run',
      'invalid_query',
    ]);
    expect(told[0].warnings).toEqual(['unknown field extra ignored']);
    expect(ingress.intake.requests.map(({ payload }) => payload)).toEqual([
      { text: ' hi ', extra: '1' },
      { message: ' hi ', timeoutSeconds: 5 },
      { text: ' hi ', extra: '1' },
    ]);
  });
});

class Item {
  @IsInt()
  count!: number;
}

class OrderPayload {
  @IsString()
  id!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Item)
  item?: Item;
}

@Controller('orders')
class OrdersController {
  @Post()
  take(@HookBody(HookValidationPipe) order: OrderPayload): unknown {
    return { order, isOrder: order instanceof OrderPayload, isItem: order.item instanceof Item };
  }

  @Post('untyped')
  takeAny(@HookBody(HookValidationPipe) order: unknown): unknown {
    return order;
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  catch(error: { getStatus?: () => number; getResponse?: () => unknown }, host: ArgumentsHost) {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.code(error.getStatus?.() ?? 500).send({ host: error.getResponse?.() ?? 'failed' });
  }
}

describe('HookValidationPipe on a route of the host', () => {
  beforeEach(async () => {
    ingress = await openIngress({
      module: {
        controllers: [OrdersController],
        providers: [{ provide: APP_FILTER, useClass: HostFilter }],
      },
    });
  });

  const post = async (path: string, body: unknown): Promise<unknown[]> => {
    const answer = await ingress.post(path, body, {});
    return [answer.status, await answer.json()];
  };

  it('makes the instance of the class that the parameter has', async () => {
    expect(await post('/orders', { id: 'a', item: { count: 3 } })).toEqual([
      201,
      { order: { id: 'a', item: { count: 3 } }, isOrder: true, isItem: true },
    ]);
  });

  it('400 in our words, for the filter of the host', async () => {
    expect(await post('/orders', { id: 3, item: { count: 'x' } })).toEqual([
      400,
      {
        host: {
          ok: false,
          error: 'id must be a string; item.count must be an integer number.',
          code: 'invalid_payload',
        },
      },
    ]);
  });

  it.each([[[{ id: 'a' }]], ['"text"']])('refuses %j, which is no object', async (body) => {
    expect(await post('/orders', body)).toMatchObject([
      400,
      { host: { error: 'Send a JSON object.' } },
    ]);
  });

  it('never lets a payload through that it could not check', async () => {
    expect(await post('/orders/untyped', { id: 3 })).toEqual([500, { host: 'failed' }]);
  });
});
