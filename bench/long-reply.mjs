// npm run bench:long-reply [-- --characters 1000000]: one long reply through the outbox on SQLite, in messages of Discord's
// size that are taken at once. Says what a message costs the disk and the processor.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeChannel } from '../dist/adapters/channels/providers.js';
import { Channel } from '../dist/channels.js';
import { AgentRunner, HooksModule, LedgerAdmin, sqliteLedger } from '../dist/index.js';

const { values } = parseArgs({ options: { characters: { type: 'string', default: '1000000' } } });
const CHARACTERS = Number(values.characters);
const TOKEN = 'bench-token-that-is-long-enough-0123';
const LINE = 'A line of words, and then the next one, which goes on for a while.\n';

class LongReply extends AgentRunner {
  run() {
    return Promise.resolve({ text: LINE.repeat(CHARACTERS / LINE.length) });
  }
}

/** Discord without its server and its limit of 50 messages a second. */
class Taken extends Channel {
  provider = 'taken';
  sent = 0;
  #discord = makeChannel('discord', { token: 't' });

  parts(markdown) {
    return this.#discord.parts(markdown);
  }

  async send() {
    this.sent += 1;
    return { messageId: `${this.sent}` };
  }
}

/** What this process has written, in bytes: nearly all of it the ledger's. */
function written() {
  return Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))[1]);
}

const dir = mkdtempSync(join(tmpdir(), 'hooks-long-reply-'));
const channel = new Taken();
const module = HooksModule.forRoot({
  enabled: true,
  token: TOKEN,
  agents: { defaults: { heartbeat: { every: '0m' } } },
  ledger: sqliteLedger({ dir }),
  runner: new LongReply(),
  channels: { chan_3: { provider: channel, to: '1' } },
});
const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
const before = { bytes: written(), cpu: process.cpuUsage(), at: performance.now() };
const answer = await fetch(`${url}/hooks/agent`, {
  method: 'POST',
  headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'Go', channel: 'chan_3', wakeMode: 'next-heartbeat' }),
});
if (!answer.ok) throw new Error(await answer.text());
while ((await app.get(LedgerAdmin).counts()).some(({ count }) => count > 0)) await delay(20);
const seconds = (performance.now() - before.at) / 1000;
const bytes = written() - before.bytes;
const { user, system } = process.cpuUsage(before.cpu);
await app.close();
rmSync(dir, { recursive: true });

const perPart = (amount) => Math.round(amount / channel.sent).toLocaleString('en');
process.stdout
  .write(`${CHARACTERS.toLocaleString('en')} characters in ${channel.sent} messages, ${seconds.toFixed(1)} s
written: ${(bytes / 1e6).toFixed(1)} MB, ${perPart(bytes)} bytes a message
processor: ${perPart(user + system)} µs a message
`);
