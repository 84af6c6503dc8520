// The least a refusal through Nest's own chain can cost: on Fastify, a guard that throws one shared exception without a
// stack, and a filter that answers it. Nothing of ours: no token is compared, no failure counted, no line logged.
import 'reflect-metadata';
import { Catch, Controller, Injectable, Module, Post, UseFilters, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

Error.stackTraceLimit = 0;
const REFUSED = new Error('The hook token is missing or wrong.');
Error.stackTraceLimit = 10;

class Guard {
  canActivate() {
    throw REFUSED;
  }
}
Injectable()(Guard);

class Filter {
  catch(error, host) {
    const reply = host.switchToHttp().getResponse();
    reply.code(401).send({ ok: false, error: error.message, code: 'unauthorized' });
  }
}
Injectable()(Filter);
Catch()(Filter);

class WakeController {
  wake() {
    return { ok: true };
  }
}
Post('wake')(
  WakeController.prototype,
  'wake',
  Object.getOwnPropertyDescriptor(WakeController.prototype, 'wake'),
);
Controller('hooks')(WakeController);
UseGuards(Guard)(WakeController);
UseFilters(Filter)(WakeController);

class App {}
Module({ controllers: [WakeController] })(App);

const app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`listening on ${app.getHttpServer().address().port}\n`);
