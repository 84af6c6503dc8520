import { hash } from 'node:crypto';
import { Client } from 'pg';
import type { TestedService } from '../faults/tested-service.ts';
import { inTurns } from '../faults/sender.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { atLast, eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { PostgresSuite } from './suite.ts';

const suite = PostgresSuite.inThisFile();
let database: TestDatabase;
let world: World;
let both: [TestedService, TestedService];

async function begin(sections: Readonly<Record<string, object>> = {}): Promise<void> {
  database = await suite.server.database();
  world = await World.open({ store: { postgres: { url: database.url } }, ...sections });
  both = [await world.start(), await world.start()];
}

async function end(): Promise<void> {
  await Promise.all(both.map((service) => service.stop()));
  await world[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
}

async function accepted(service: TestedService, message: string, key?: string): Promise<string> {
  const answer = await service.post('agent', { message, sessionKey: 'faults:a' }, key);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { eventId: string }).eventId;
}

const asked = (text: string) => world.runs.filter((body) => body.includes(text)).length;

describe('Two services on one database', () => {
  beforeAll(() => begin());
  afterAll(end);

  it('do what either accepts once, in order, and tell of it alike', async () => {
    const [a, b] = both;
    await world.loadOf(inTurns(a, b), 20);
    await world.drain(b);
    expect(await verdictOn(world, a)).toEqual(FLAWLESS);
    const id = world.acknowledged[0]!.eventId;
    expect(await b.details(id)).toEqual(await a.details(id));
  });

  it('and a third ask other models while one is sick, and do its turns once when it is well again', async () => {
    const [a, b] = both;
    await using c = await world.start();
    const send = async (model: string, count: number): Promise<string[]> => {
      const messages = Array.from({ length: count }, (_, n) => `for ${model}: ${n};`);
      for (const [n, message] of messages.entries()) {
        const sessionKey = `faults:${model}-${n}`;
        const service = [a, b, c][n % 3]!;
        const answer = await service.post('agent', {
          message,
          sessionKey,
          model: `local/${model}`,
        });
        expect(answer.status).toBe(200);
      }
      return messages;
    };
    world.models.overloaded.add('sick');
    const ofSick = await send('sick', 6);
    await eventually('each of them has found out', () => asked('for sick') >= 3);
    const ofWell = await send('well', 12);
    await atLast('all others are done', async () => (await a.unfinished()) === ofSick.length);
    for (const message of ofWell) expect(asked(message)).toBe(1);

    world.models.overloaded.clear();
    const before = ofSick.map(asked);
    await world.drain(b);
    expect(ofSick.map(asked)).toEqual(before.map((count) => count + 1));
    await c.stop();
  });

  it('heed nothing that somebody else in the database says to them', async () => {
    const [a, b] = both;
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const channel = `hooks_${hash('sha256', 'hooks').slice(0, 16)}`;
    const texts = ['', '{', 'null', '{"from":"x","lanes":7,"events":["x","\u0027",null]}'];
    for (const text of texts) await client.query('SELECT pg_notify($1, $2)', [channel, text]);
    await client.end();
    await Promise.all([accepted(a, 'goes on'), accepted(b, 'goes on')]);
    await world.drain(a);
    expect([asked('goes on'), a.hasEnded, b.hasEnded]).toEqual([2, false, false]);
  });
});

describe('Two services on one database, with other settings', () => {
  const EVERY_MS = 1000;
  let began: number;
  beforeAll(async () => {
    began = Date.now();
    const heartbeat = { every: '1s', prompt: 'This is a heartbeat.' };
    const agents = { defaults: { model: 'local/test', heartbeat } };
    await begin({ agents, hooks: { authFailures: { limit: 6 } } });
  });
  afterAll(end);

  it('have one periodic heartbeat of an agent', async () => {
    await both[0].post('wake', { text: 'Note [x]', mode: 'next-heartbeat' });
    await eventually('some have been', () => world.heartbeats.length >= 3);
    expect(world.heartbeats.length).toBeLessThanOrEqual((Date.now() - began) / EVERY_MS + 1);
  });

  it('lock out together who guesses a token', async () => {
    const [a, b] = both;
    const guess = async ({ url }: TestedService) => {
      const headers = { authorization: 'Bearer wrong', 'content-type': 'application/json' };
      return (await fetch(`${url}/hooks/wake`, { method: 'POST', headers, body: '{}' })).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await guess(a), await guess(b));
    // The sixth locks at the one; the other learns of it with its next.
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 429]);
    expect(await guess(a)).toBe(429);
    await accepted(b, 'a right token is welcome');
  });
});
