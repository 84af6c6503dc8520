import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { atLast, eventually } from '../support/eventually.ts';
import { FakeClock } from './fake-clock.ts';
import { KILLS_IN_A_ROW, ROUNDS, tell } from './rounds.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, TestedService } from './tested-service.ts';

// The agent is started once for a key, and says its answer until somebody has taken it.

const LETTERS_PER_ROUND = 3;
const KILLS = Math.ceil(ROUNDS / 2);
/** Longer than a service needs to begin what it finds. */
const LONGEST_LIFE_MS = 400;

let dir: string;
let agent: Server;
let service: TestedService;
let started: Map<string, number>;
let begun: Started[];
let answersByItself: boolean;
let answering: Promise<void>[];
let ended: AbortController;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-faults-callbacks-'));
  started = new Map();
  begun = [];
  answersByItself = true;
  answering = [];
  ended = new AbortController();
  agent = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    const times = started.get(key) ?? 0;
    started.set(key, times + 1);
    void json(request).then((body) => {
      response.writeHead(202).end('{}');
      begun.push(body as Started);
      if (times === 0 && answersByItself) answering.push(answer(body as Started));
    });
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  const { port } = agent.address() as AddressInfo;
  const runner = { type: 'http', mode: 'callback', baseUrl: `http://127.0.0.1:${port}/` };
  const configuration = {
    gateway: { auth: { token: OPERATOR_TOKEN } },
    hooks: { enabled: true, token: HOOK_TOKEN, publicUrl: 'http://hooks.example.com' },
    agents: { defaults: { heartbeat: { every: '0m' }, notify: false, runner } },
  };
  await writeFile(join(dir, 'gateway.json5'), JSON.stringify(configuration));
  service = await TestedService.start(dir);
});

afterEach(async () => {
  ended.abort();
  await Promise.all(answering);
  await service.stop();
  agent.close();
  await rm(dir, { recursive: true });
});

interface Started {
  readonly id: string;
  readonly prompt: string;
  readonly callback: { readonly token: string };
}

async function answer({ id, prompt, callback: { token } }: Started): Promise<void> {
  const text = `Answer to ${/letter \d+/.exec(prompt)?.[0]}.`;
  await pause(Math.random() * LONGEST_LIFE_MS);
  const steps = Math.floor(Math.random() * 5);
  for (let step = 0; step < steps; step += 1) {
    await say(id, token, { status: 'working', text: `line ${step}` });
  }
  await say(id, token, { status: 'succeeded', text });
  if (Math.random() < 0.5) await say(id, token, { status: 'succeeded', text });
}

async function say(id: string, token: string, body: object): Promise<void> {
  while (!ended.signal.aborted) {
    const said = await fetch(`${service.url}/hooks/runs/${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (said?.status === 200) return;
    // Nothing but the death of the service keeps an answer out.
    if (said !== undefined && said.status < 500) throw new Error(`answered ${said.status}`);
    await pause(20);
  }
}

async function send(n: number): Promise<string | undefined> {
  const letter = { message: `letter ${n}`, deliver: false, wakeMode: 'next-heartbeat' };
  const sent = await service.post('agent', letter, `letter-${n}`).catch(() => undefined);
  return sent && ((await sent.json().catch(() => ({}))) as { eventId?: string }).eventId;
}

/** An answer that is said twice may be stored, and is left for ten minutes: nobody waits for that. */
async function lettersEnd(): Promise<void> {
  await atLast('no letter is under way', async () => {
    const lists = await Promise.all(
      ['accepted', 'running', 'waiting'].map((status) =>
        service.read(`/ops/api/events?hook=agent&status=${status}`),
      ),
    );
    return lists.every((list) => (list as { events: unknown[] }).events.length === 0);
  });
}

it('kill -9 right after the result was taken, and eleven minutes away, lose nothing of it', async () => {
  await service.stop();
  const clock = new FakeClock(dir);
  const { env } = clock;
  service = await TestedService.start(dir, { env });
  answersByItself = false;
  const id = (await send(1)) ?? '';
  await eventually('it waits', async () => (await service.details(id)).status === 'waiting');
  const body = await eventually('it is started', () => begun[0] ?? false);
  const { token } = body.callback;
  await say(body.id, token, { status: 'working', text: 'reading' });
  await say(body.id, token, { status: 'succeeded', text: 'Answered.' });
  await service.kill();
  clock.set('+11m');
  service = await TestedService.start(dir, { env });
  const { runs } = await eventually('it is answered', async () => {
    const details = await service.details(id);
    return details.status === 'done' && details;
  });
  expect(runs).toMatchObject([{ status: 'succeeded', reply: 'Answered.' }]);
});

it('kill -9 starts no agent twice that knows its key, and loses and doubles no answer', async () => {
  for (let round = 0; round < KILLS; round += 1) {
    const from = round * LETTERS_PER_ROUND;
    const under = Array.from({ length: LETTERS_PER_ROUND }, (_, n) => send(from + n));
    await pause(Math.random() * LONGEST_LIFE_MS);
    if (round % KILLS_IN_A_ROW === 0) {
      await Promise.all(under);
      await lettersEnd();
    }
    await service.kill();
    await Promise.all(under);
    service = await TestedService.start(dir);
  }
  // A sender sends again what was not answered, with the same key.
  const letters = KILLS * LETTERS_PER_ROUND;
  let again = 0;
  for (let n = 0; n < letters; n += 1) {
    const id = (await send(n)) ?? '';
    const { runs } = await atLast(`letter ${n} is answered`, async () => {
      const details = await service.details(id);
      return ['done', 'failed'].includes(details.status) && details;
    });
    const [run] = runs;
    expect(run).toMatchObject({ status: 'succeeded', reply: `Answer to letter ${n}.` });
    again += [...started].reduce(
      (n, [key, times]) => n + (key.startsWith(run!.id) ? times - 1 : 0),
      0,
    );
    const resumed = run!.waits.filter(({ decision }) => decision?.verdict === 'resumed');
    expect(new Set(resumed.map(({ decision }) => decision?.event?.eventId)).size).toBe(
      resumed.length,
    );
  }
  expect(started.size).toBe(letters);
  tell(`${KILLS} kills, ${letters} agents started, ${again} of them again with the same key`);
});
