// A host with a handler, in a process of its own that may be killed: says what its handler is given, and does not end it.
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HooksModule, OnHook, sqliteLedger } from '../../src/index.ts';
import type { HookEvent } from '../../src/index.ts';
import { TOKEN, runner } from './ingress-host.ts';

class Orders {
  @OnHook('orders')
  async onOrder({ id, attempt }: HookEvent): Promise<void> {
    process.send!({ id, attempt });
    await new Promise(() => {});
  }
}

const [dir = ''] = process.argv.slice(2);
const mappings = [{ id: 'orders' }];
const options = { enabled: true, token: TOKEN, ledger: sqliteLedger({ dir }), runner, mappings };

@Module({ imports: [HooksModule.forRoot(options)], providers: [Orders] })
class HostModule {}

const adapter = new FastifyAdapter();
const host = await NestFactory.create<NestFastifyApplication>(HostModule, adapter, {
  logger: false,
});
await host.listen(0, '127.0.0.1');
process.send!({ url: await host.getUrl() });
