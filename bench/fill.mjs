// Fills a ledger through the module itself, as fast as it can.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentRunner, Hooks, HooksModule, LedgerAdmin, sqliteLedger } from '../dist/index.js';

const SENDERS = 512;
const RUN_EVERY = 50;
const RUNS_PER_SESSION = 2;
const TEXT = 'x'.repeat(250);

class InstantRunner extends AgentRunner {
  run() {
    return Promise.resolve({ text: 'Done: nothing needs your attention.' });
  }
}

/**
 * @param events how many; resolves once every run of them has ended
 */
export async function fill(dir, events) {
  const began = performance.now();
  const module = HooksModule.forRoot({
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ['fill:'],
    mappings: [{ id: 'nothing', match: { path: 'nothing' }, action: 'ignore' }],
    agents: {
      defaults: {
        maxConcurrent: 64,
        heartbeat: { every: '0m' },
      },
    },
    ledger: sqliteLedger({ dir }),
    runner: new InstantRunner(),
  });
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const hooks = app.get(Hooks);
  let sent = 0;
  const sender = async () => {
    while (sent < events) {
      const number = sent;
      sent += 1;
      if (number % RUN_EVERY === 0) await hooks.run(runOf(number / RUN_EVERY));
      else await hooks.send('nothing', { number, text: TEXT });
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const admin = app.get(LedgerAdmin);
  while ((await admin.counts()).some(({ kind }) => kind === 'run')) await delay(50);
  await app.close();
  return { seconds: (performance.now() - began) / 1000 };
}

function runOf(number) {
  const sessionKey = `fill:${Math.floor(number / RUNS_PER_SESSION)}`;
  return { message: `Number ${number}: ${TEXT}`, sessionKey, deliver: false, wakeMode: 'now' };
}
