// The smallest gateway: it boots, takes one wake, and says what became of it. JavaScript, so that no compiler is needed.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { EventStore, HooksModule, demoRunner } from 'nestjs-agent-hooks';
import { memoryLedger } from 'nestjs-agent-hooks/testing';

const token = 'a-token-only-for-this-consumer-test';

class GatewayModule {}
Module({
  imports: [
    HooksModule.forRoot({
      enabled: true,
      token,
      defaultSessionKey: 'hook:consumer',
      ledger: memoryLedger(),
      runner: demoRunner(),
    }),
  ],
})(GatewayModule);

const app = await NestFactory.create(GatewayModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const answer = await fetch(`${await app.getUrl()}/hooks/wake`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ text: 'hello', mode: 'next-heartbeat' }),
});
const { eventId } = await answer.json();
const event = await app.get(EventStore).get(eventId);
console.log(JSON.stringify({ status: answer.status, hook: event?.hook, event: event?.status }));
await app.close();
