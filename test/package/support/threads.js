// A gateway whose threads are asked: a transform runs in one, and the ledger is read in another.
import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { EventStore, HooksModule, demoRunner, sqliteLedger } from 'nestjs-agent-hooks';

const token = 'a-token-only-for-this-consumer-test';
await mkdir('transforms', { recursive: true });
await writeFile(
  'transforms/greet.js',
  'export default ({ payload }) => ({ message: payload.text });',
);

class GatewayModule {}
Module({
  imports: [
    HooksModule.forRoot({
      enabled: true,
      token,
      configDir: process.cwd(),
      mappings: [{ id: 'ci', transform: { module: 'greet.js' } }],
      ledger: sqliteLedger({ dir: './data' }),
      runner: demoRunner(),
    }),
  ],
})(GatewayModule);

const app = await NestFactory.create(GatewayModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const answer = await fetch(`${await app.getUrl()}/hooks/ci`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ text: 'hello' }),
});
const { events } = await app.get(EventStore).list({ limit: 9 });
console.log(JSON.stringify({ transformed: answer.status, listed: events.length }));
await app.close();
