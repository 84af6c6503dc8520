// npm run bench:deliveries [-- --replies 10000 --recipients 1000]: replies over all eight channels to local servers that
// speak as the platforms do and fail 5 of 100 requests. Checks that nothing is lost, doubled or out of order.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeChannel } from '../dist/adapters/channels/providers.js';
import { AgentRunner, HooksModule, LedgerAdmin, EventStore, sqliteLedger } from '../dist/index.js';

const { values } = parseArgs({
  options: {
    replies: { type: 'string', default: '10000' },
    recipients: { type: 'string', default: '1000' },
  },
});
const REPLIES = Number(values.replies);
const RECIPIENTS = Number(values.recipients);
const TOKEN = 'bench-token-that-is-long-enough-0123';
const LEAST_PER_SECOND = 300;
const SENDERS = 32;

/** A recipient of each platform's kind, by number. */
const RECIPIENT = {
  whatsapp: (n) => `+4917${10_000_000 + n}`,
  telegram: (n) => `${100_000 + n}`,
  discord: (n) => `${41_771_983_423_000_000n + BigInt(n)}`,
  slack: (n) => `C${1_000_000 + n}`,
  mattermost: (n) => `${n}`.padStart(26, 'a'),
  signal: (n) => `+4917${20_000_000 + n}`,
  imessage: (n) => `+4917${30_000_000 + n}`,
  msteams: (n) => `19:${n}@thread.tacv2`,
};

class Echo extends AgentRunner {
  run({ prompt }) {
    return Promise.resolve({ text: `Reply ${/#(\d+)#/.exec(prompt)?.[1]}` });
  }
}

async function startService(platforms, dir) {
  const channels = Object.fromEntries(
    platforms.map(({ provider, settings }, index) => [
      `chan_${index + 1}`,
      { provider: makeChannel(provider, settings) },
    ]),
  );
  const module = HooksModule.forRoot({
    enabled: true,
    token: TOKEN,
    allowRequestSessionKey: true,
    agents: { defaults: { maxConcurrent: 32, heartbeat: { every: '0m' } } },
    ledger: sqliteLedger({ dir }),
    runner: new Echo(),
    channels,
  });
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

/**
 * Place of a recipient's platform. Discord, which takes 50 messages a second and whose client holds us to it, has one
 * recipient of twenty; the other platforms share the rest.
 */
function placeOf(platforms, r) {
  const discord = platforms.findIndex(({ provider }) => provider === 'discord');
  const others = platforms.map((_, place) => place).filter((place) => place !== discord);
  return r % 20 === 0 ? discord : others[r % others.length];
}

async function post(url, platforms, n) {
  const r = n % RECIPIENTS;
  const at = placeOf(platforms, r);
  const answer = await fetch(`${url}/hooks/agent`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      message: `#${n}#`,
      channel: `chan_${at + 1}`,
      to: RECIPIENT[platforms[at].provider](r),
      // Replies to one recipient come from one session, whose runs are in order.
      sessionKey: `hook:${r}`,
      wakeMode: 'next-heartbeat',
    }),
  });
  if (!answer.ok) throw new Error(`reply ${n}: ${answer.status} ${await answer.text()}`);
  const { eventId } = await answer.json();
  return eventId;
}

/** Sends in order per recipient: each sender has its own recipients. */
async function accept(url, platforms) {
  const events = Array.from({ length: REPLIES });
  const sender = async (s) => {
    for (let n = 0; n < REPLIES; n += 1) {
      if ((n % RECIPIENTS) % SENDERS === s) events[n] = await post(url, platforms, n);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, s) => sender(s)));
  return events;
}

async function ended(operations) {
  for (;;) {
    const counts = await operations.counts();
    if (!counts.some(({ state, count }) => state !== 'dead' && count > 0)) return;
    await delay(20);
  }
}

/** What became of each reply, and what contradicts the promise. */
async function judged(store, events, seen) {
  const times = new Map();
  const faults = [];
  for (const { name, knowsKeys, shown } of seen) {
    const lastOf = new Map();
    for (const { to, text } of shown) {
      const n = Number(/Reply (\d+)/.exec(text)?.[1]);
      const before = times.get(n) ?? 0;
      times.set(n, before + 1);
      if (before > 0 && knowsKeys) faults.push(`${name} showed reply ${n} twice`);
      if (before > 0) continue;
      if ((lastOf.get(to) ?? -1) > n) faults.push(`${name}: reply ${n} out of order`);
      lastOf.set(to, n);
    }
  }
  const ends = { delivered: 0, dead: 0 };
  for (const [n, id] of events.entries()) {
    const [{ status, error }] = (await store.get(id)).deliveries;
    if (!(status in ends)) faults.push(`reply ${n} is ${status}`);
    if (status === 'delivered' && !times.has(n)) faults.push(`reply ${n} was never shown`);
    if (status === 'dead' && !/^\S.{15,}/.test(error ?? '')) faults.push(`reply ${n}: no reason`);
    ends[status] += 1;
  }
  const again = [...times.values()].reduce((sum, count) => sum + count - 1, 0);
  return { ...ends, again, faults };
}

const dir = mkdtempSync(join(tmpdir(), 'hooks-deliveries-'));
const servers = fork(new URL('platforms.mjs', import.meta.url));
const [platforms] = await once(servers, 'message');
const app = await startService(platforms, dir);
const began = performance.now();
const events = await accept((await app.getUrl()).replace('[::1]', '127.0.0.1'), platforms);
const accepted = performance.now();
await ended(app.get(LedgerAdmin));
const seconds = (performance.now() - began) / 1000;
servers.send('tell');
const [seen] = await once(servers, 'message');
const { delivered, dead, again, faults } = await judged(app.get(EventStore), events, seen);
const requests = seen.reduce((sum, platform) => sum + platform.requests, 0);
await app.close();
rmSync(dir, { recursive: true });

const rate = REPLIES / seconds;
process.stdout.write(`${REPLIES} replies, ${RECIPIENTS} recipients, ${platforms.length} channels
accepted in ${((accepted - began) / 1000).toFixed(1)} s; all ended after ${seconds.toFixed(1)} s: ${rate.toFixed(0)}/s
${delivered} delivered, ${dead} dead with a reason; ${requests} requests
shown twice after a lost answer, on platforms without keys: ${again}
faults: ${faults.length}${faults
  .slice(0, 10)
  .map((fault) => `\n  ${fault}`)
  .join('')}
`);
if (faults.length > 0 || rate < LEAST_PER_SECOND) process.exitCode = 1;
