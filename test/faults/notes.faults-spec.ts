import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { github } from '../support/platforms/github.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { KILLS_IN_A_ROW, ROUNDS, tell } from './rounds.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, TestedService } from './tested-service.ts';

/*
 * Each letter is answered on an issue of its own, where a note says meanwhile that it is worked on, and the service is
 * killed again and again at any moment. GitHub knows no keys: a note that was on its way may be there, and is not written
 * again; whatever note is known has the answer in its place.
 */

const LETTERS_PER_ROUND = 3;
/** Longer than a service needs to begin what it finds. */
const LONGEST_LIFE_MS = 400;
const WORKING = 'Working on it…';

let dir: string;
let models: OpenAiServer;
let platform: PlatformServer;
let service: TestedService;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-faults-notes-'));
  models = await startOpenAiServer();
  models.reply = (body) => `Answer to ${/letter \d+/.exec(JSON.stringify(body))?.[0]}.`;
  platform = await PlatformServer.start(github);
  const configuration = {
    gateway: { auth: { token: OPERATOR_TOKEN } },
    hooks: {
      enabled: true,
      token: HOOK_TOKEN,
      mappings: [
        {
          id: 'letters',
          messageTemplate: 'letter {{ n }}',
          reply: 'source',
          statusNote: true,
          replyTo: { provider: 'github', to: 'acme/shop#{{ issue }}', private: true },
        },
      ],
    },
    agents: { defaults: { model: 'local/test', heartbeat: { every: '0m' }, notify: false } },
    models: { providers: { local: { baseUrl: models.baseUrl } } },
    channels: { chan_5: { provider: 'github', ...github.settings(platform.origin) } },
  };
  await writeFile(join(dir, 'gateway.json5'), JSON.stringify(configuration));
  service = await TestedService.start(dir);
});

afterEach(async () => {
  await service.stop();
  await Promise.all([models.close(), platform.close()]);
  await rm(dir, { recursive: true });
});

async function send(n: number): Promise<string> {
  const answer = await service.post('letters', { n, issue: n + 1 }, `letter-${n}`);
  return ((await answer.json()) as { eventId: string }).eventId;
}

it('kill -9 leaves one note of a run, and its answer in the place of each that is known', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = round * LETTERS_PER_ROUND;
    const under = Array.from({ length: LETTERS_PER_ROUND }, (_, n) =>
      // The service died before its answer was heard.
      send(from + n).catch(() => undefined),
    );
    await pause(Math.random() * LONGEST_LIFE_MS);
    if (round % KILLS_IN_A_ROW === 0) await service.settles();
    await service.kill();
    await Promise.all(under);
    service = await TestedService.start(dir);
  }
  const letters = ROUNDS * LETTERS_PER_ROUND;
  // A sender sends again what was not answered, with the same key.
  const ids = await Promise.all(Array.from({ length: letters }, (_, n) => send(n)));
  await service.settles();

  let left = 0;
  for (const [n, id] of ids.entries()) {
    const issue = `acme/shop#${n + 1}`;
    const { status, deliveries } = await service.details(id);
    expect([n, status]).toEqual([n, 'done']);
    const notes = platform.asked.filter(({ to, text }) => to === issue && text === WORKING);
    expect(notes.length).toBeLessThanOrEqual(1);
    const there = platform.shown.filter(({ to }) => to === issue).map(({ text }) => text);
    const isKnown = deliveries.length === 2;
    if (isKnown) expect(there).toEqual([`Answer to letter ${n}.`]);
    else expect(there).toContain(`Answer to letter ${n}.`);
    left += there.filter((text) => text === WORKING).length;
  }
  tell(`${ROUNDS} kills, ${letters} letters, ${left} notes left of which nobody knew`);
});
