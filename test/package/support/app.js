// The smallest gateway: it boots, takes a wake and a mapped request, refuses a stranger, and says what became of them. JavaScript, so that no compiler is needed.
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
      mappings: [{ id: 'ci', messageTemplate: '{{ text }}' }],
      ledger: memoryLedger(),
      runner: demoRunner(),
    }),
  ],
})(GatewayModule);

const app = await NestFactory.create(GatewayModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const url = await app.getUrl();
const post = (hook, bearer) =>
  fetch(`${url}/hooks/${hook}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'hello', mode: 'next-heartbeat' }),
  });
const { status, ...answer } = await post('wake', token).then(async (taken) => ({
  status: taken.status,
  ...(await taken.json()),
}));
const event = await app.get(EventStore).get(answer.eventId);
const mapped = (await post('ci', token)).status;
const refused = (await post('ci', 'not-the-token')).status;
console.log(JSON.stringify({ status, hook: event?.hook, event: event?.status, mapped, refused }));
await app.close();
