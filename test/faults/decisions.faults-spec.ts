import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { WaitPage } from '../../src/hooks/ports/index.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { mattermost } from '../support/platforms/mattermost.ts';
import { KILLS_IN_A_ROW, ROUNDS, tell } from './rounds.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, TestedService } from './tested-service.ts';

// The platform knows its messages by keys, so each is there once or not at all.

const LETTERS_PER_ROUND = 3;
/** Longer than a service needs to begin what it finds. */
const LONGEST_LIFE_MS = 400;

let dir: string;
let models: OpenAiServer;
let platform: PlatformServer;
let service: TestedService;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-faults-decisions-'));
  models = await startOpenAiServer();
  models.reply = (body) => `Answer to ${/letter \d+/.exec(JSON.stringify(body))?.[0]}.`;
  platform = await PlatformServer.start(mattermost);
  const { provider, to, settings } = mattermost;
  const configuration = {
    gateway: { auth: { token: OPERATOR_TOKEN } },
    hooks: { enabled: true, token: HOOK_TOKEN },
    agents: {
      defaults: {
        model: 'local/test',
        heartbeat: { every: '0m' },
        approve: 'reply',
        notify: false,
      },
    },
    models: { providers: { local: { baseUrl: models.baseUrl } } },
    channels: { chan_5: { provider, to, ...settings(platform.origin) } },
  };
  await writeFile(join(dir, 'gateway.json5'), JSON.stringify(configuration));
  service = await TestedService.start(dir);
});

afterEach(async () => {
  await service.stop();
  await Promise.all([models.close(), platform.close()]);
  await rm(dir, { recursive: true });
});

/** Undefined where the service died before its answer was heard. */
async function heard<T>(call: () => Promise<T>): Promise<T | undefined> {
  return call().catch((error: unknown) => {
    // By its name: it is of another realm than the TypeError of a test.
    if ((error as Error).name !== 'TypeError') throw error;
    return undefined;
  });
}

async function send(n: number): Promise<string | undefined> {
  const letter = { message: `letter ${n}`, channel: 'chan_5', wakeMode: 'next-heartbeat' };
  const answer = await service.post('agent', letter, `letter-${n}`);
  return ((await answer.json()) as { eventId: string }).eventId;
}

async function open(): Promise<WaitPage> {
  return (await service.read('/ops/api/waits?limit=200')) as WaitPage;
}

async function decide(id: string, verdict: 'approved' | 'denied'): Promise<void> {
  const answer = await fetch(`${service.url}/ops/api/waits/${id}/decide`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ verdict }),
  });
  // By the other of the two, or a moment before the run waits again.
  if (!answer.ok && answer.status !== 409) throw new Error(`answered ${answer.status}`);
}

async function decideSome({ waits }: WaitPage): Promise<void> {
  const some = waits.filter(() => Math.random() < 0.5);
  await Promise.all(
    some.flatMap(({ id }) => {
      const verdict = Math.random() < 0.5 ? 'approved' : 'denied';
      return [heard(() => decide(id, verdict)), heard(() => decide(id, verdict))];
    }),
  );
}

it(`kill -9 sends nothing that nobody approved, and everything that somebody did, once`, async () => {
  const ids = new Map<number, string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = round * LETTERS_PER_ROUND;
    const page = await open();
    const under = [
      ...Array.from({ length: LETTERS_PER_ROUND }, (_, n) => heard(() => send(from + n))),
      decideSome(page),
    ];
    await pause(Math.random() * LONGEST_LIFE_MS);
    if (round % KILLS_IN_A_ROW === 0) await service.settles();
    await service.kill();
    await Promise.all(under);
    service = await TestedService.start(dir);
  }
  // A sender sends again what was not answered, with the same key.
  const letters = ROUNDS * LETTERS_PER_ROUND;
  for (let n = 0; n < letters; n += 1) ids.set(n, (await send(n))!);
  await service.settles();
  // So that there is one of each, however few the rounds.
  const { waits } = await open();
  for (const [n, { id }] of waits.slice(0, 2).entries())
    await decide(id, n === 0 ? 'approved' : 'denied');
  await service.settles();

  const verdicts = new Map<number, string>();
  for (const [n, id] of ids) {
    const { status, runs } = await service.details(id);
    const [last] = runs[0]!.waits.slice(-1);
    verdicts.set(n, last?.decision?.verdict ?? 'open');
    expect([n, status]).toEqual([n, last?.decision == null ? 'waiting' : 'done']);
  }
  const approved = [...verdicts].filter(([, verdict]) => verdict === 'approved');
  const shown = platform.shown.map(({ text }) => text).toSorted();
  expect(shown).toEqual(approved.map(([n]) => `Answer to letter ${n}.`).toSorted());
  const count = (which: string) => [...verdicts].filter(([, one]) => one === which).length;
  tell(
    `${ROUNDS} kills, ${approved.length} approved, ${count('denied')} denied, ${count('open')} open`,
  );
  expect(approved.length).toBeGreaterThan(0);
  expect(count('denied')).toBeGreaterThan(0);
});
