// The least a request through Nest's own chain can cost, accepted or refused: on Fastify, a controller behind a guard that
// compares a token or throws one shared exception without a stack, and a filter that answers it. Nothing of ours: no
// failure is counted, no line logged. IDLE_THREADS=2 gives it as many threads that do nothing, as the ledger has.
import 'reflect-metadata';
import { Worker } from 'node:worker_threads';
import {
  Catch,
  Controller,
  HttpCode,
  Injectable,
  Module,
  Post,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const AUTHORIZATION = 'Bearer bench-token-that-is-long-enough-0123';
Error.stackTraceLimit = 0;
const REFUSED = new Error('The hook token is missing or wrong.');
Error.stackTraceLimit = 10;

class Guard {
  canActivate(context) {
    if (context.switchToHttp().getRequest().headers.authorization === AUTHORIZATION) return true;
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
const wake = Object.getOwnPropertyDescriptor(WakeController.prototype, 'wake');
Post('wake')(WakeController.prototype, 'wake', wake);
HttpCode(200)(WakeController.prototype, 'wake', wake);
Controller('hooks')(WakeController);
UseGuards(Guard)(WakeController);
UseFilters(Filter)(WakeController);

class App {}
Module({ controllers: [WakeController] })(App);

const threads = Array.from({ length: Number(process.env.IDLE_THREADS ?? 0) });
globalThis.idle = threads.map(() => new Worker('setInterval(() => {}, 1_000_000)', { eval: true }));
const app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`listening on ${app.getHttpServer().address().port}\n`);
