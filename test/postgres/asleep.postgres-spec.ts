import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LEASE_MS } from '../../src/hooks/ports/work-ledger.ts';
import { inTurns } from '../faults/sender.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { atLast, eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

/** Then every lease has ended that was not renewed. */
const ASLEEP_MS = LEASE_MS + 5000;

const markerOf = (text: string) => /\[[^\]]*\]/.exec(text)?.[0] ?? '';

describe('A service that stands still for longer than its leases hold (SIGSTOP)', () => {
  const suite = PostgresSuite.inThisFile();

  it('writes nothing of what others have taken over, and works on when it wakes', async () => {
    await using database = await suite.server.database();
    await using world = await World.open({ store: { postgres: { url: database.url } } });
    await using sleeper = await world.start();
    const asleep = Promise.withResolvers<void>();
    world.chats.meanwhile = { after: asleep.promise };
    await world.loadOf(sleeper, 1);
    await eventually('a message is on its way', () => world.chats.asked.length > 0);
    world.models.meanwhile = { after: asleep.promise };
    const runsBefore = world.runs.length;
    await world.loadOf(sleeper, 3);
    await eventually('agents are asked', () => world.runs.length >= runsBefore + 4);
    const sending = world.chats.asked.map(({ text }) => markerOf(text));
    sleeper.sleep();
    const fellAsleepAt = Date.now();
    asleep.resolve();
    for (const server of [world.chats, world.models]) server.meanwhile = {};

    await using other = await world.start();
    await world.loadOf(other, 5);
    await world.drain(other);
    await delay(Math.max(0, fellAsleepAt + ASLEEP_MS - Date.now()));
    const done = [world.runs.length, world.chats.asked.length];
    sleeper.wake();
    await eventually(
      'it finds its leases lost',
      () => sleeper.output.split('and its result is dropped').length > sending.length + 4,
    );
    expect(await sleeper.health('ready')).toBe(200);
    expect([world.runs.length, world.chats.asked.length]).toEqual(done);

    const both = inTurns(sleeper, other);
    await world.loadOf(both, 5);
    await world.drain(sleeper);
    expect(await verdictOn(world, sleeper)).toEqual(FLAWLESS);
    // Only what was on its way when it fell asleep came twice.
    const sent = world.chats.asked.map(({ text }) => markerOf(text));
    const twice = sent.filter((marker, n) => sent.indexOf(marker) < n);
    expect(twice.toSorted()).toEqual(sending.toSorted());
    expect(other.output).not.toContain('was lost');
    for (const service of [sleeper, other]) expect((await service.stop()).code).toBe(0);
  });

  it('makes no heartbeat come twice, asleep or awake', async () => {
    await using database = await suite.server.database();
    const every = 1000;
    const heartbeat = { every: '1s', prompt: 'This is a heartbeat.' };
    await using world = await World.open({
      store: { postgres: { url: database.url } },
      agents: { defaults: { model: 'local/test', heartbeat } },
    });
    const began = Date.now();
    await using sleeper = await world.start();
    await using other = await world.start();
    await sleeper.post('wake', { text: 'Note [x]', mode: 'next-heartbeat' });
    const beats = (count: number) => atLast('heartbeats', () => world.heartbeats.length >= count);
    await beats(2);
    sleeper.sleep();
    const { length } = world.heartbeats;
    await beats(length + 4);
    sleeper.wake();
    await beats(length + 8);
    expect(world.heartbeats.length).toBeLessThanOrEqual((Date.now() - began) / every + 1);
    expect(other.hasEnded).toBe(false);
  });

  it('keeps nobody waiting for a lock that it holds', async () => {
    await using database = await suite.server.database();
    const program = fileURLToPath(new URL('lock-holder.ts', import.meta.url));
    const child = spawn(process.execPath, [program, database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(createInterface({ input: child.stdout }), 'line');
      child.kill('SIGSTOP');
      await ask(database.url, `SET statement_timeout = '20s'; SELECT pg_advisory_lock(1, 1)`);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
