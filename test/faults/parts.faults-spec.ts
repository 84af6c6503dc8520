import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventDetails } from '../../src/hooks/ports/index.ts';
import { atLast } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import { discord } from '../support/platforms/discord.ts';
import { mattermost } from '../support/platforms/mattermost.ts';
import { slack } from '../support/platforms/slack.ts';
import { telegram } from '../support/platforms/telegram.ts';
import { FakeClock } from './fake-clock.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, TestedService } from './tested-service.ts';

const TEXT = Array.from({ length: 2400 }, (_, n) => `Line ${n} of a long reply to everybody`).join(
  '\n',
);
const CHANNELS = {
  chan_2: { speech: telegram, onUnknown: 'retry' },
  chan_3: { speech: discord, onUnknown: 'stop' },
  chan_4: { speech: slack, onUnknown: 'stop' },
  chan_5: { speech: mattermost, onUnknown: 'retry' },
} as const satisfies Record<string, { speech: PlatformSpeech; onUnknown: string }>;
type Id = keyof typeof CHANNELS;
const IDS = Object.keys(CHANNELS) as Id[];
const WITH_KEYS: readonly Id[] = ['chan_3', 'chan_5'];

let dir: string;
let models: OpenAiServer;
let service: TestedService;
let servers: Record<Id, PlatformServer>;

async function configure(): Promise<void> {
  const channels = IDS.map((id) => {
    const { speech, onUnknown } = CHANNELS[id];
    const { provider, to } = speech;
    return [id, { provider, to, onUnknown, ...speech.settings(servers[id].origin) }];
  });
  const configuration = {
    gateway: { auth: { token: OPERATOR_TOKEN } },
    hooks: { enabled: true, token: HOOK_TOKEN },
    // A notice of what did not arrive would be a message beside the parts.
    agents: { defaults: { model: 'local/test', heartbeat: { every: '0m' }, notify: false } },
    models: { providers: { local: { baseUrl: models.baseUrl } } },
    channels: Object.fromEntries(channels),
  };
  await writeFile(join(dir, 'gateway.json5'), JSON.stringify(configuration));
}

async function ask(channel: Id): Promise<string> {
  const request = { message: 'Report', channel, wakeMode: 'next-heartbeat' };
  const answer = await service.post('agent', request);
  return ((await answer.json()) as { eventId: string }).eventId;
}

async function askAll(): Promise<Record<Id, string>> {
  const ids = await Promise.all(IDS.map(async (id) => [id, await ask(id)]));
  return Object.fromEntries(ids) as Record<Id, string>;
}

async function restart(): Promise<void> {
  await service.kill();
  service = await TestedService.start(dir);
}

async function ended(eventId: string): Promise<EventDetails> {
  return atLast(`${eventId} ends`, async () => {
    const details = await service.details(eventId);
    return !['accepted', 'running', 'delivering'].includes(details.status) && details;
  });
}

function placesOf(server: PlatformServer): number[] {
  return server.shown.map(({ text }) => Number(/^\((\d+)\/\d+\)\n\n/.exec(text)?.[1]));
}

function expectWhole(server: PlatformServer): void {
  const count = Number(/^\(1\/(\d+)\)/.exec(server.shown[0]?.text ?? '')?.[1]);
  expect(count).toBeGreaterThan(4);
  expect(placesOf(server)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  expect(bodiesOf(server)).toBe(TEXT);
}

function bodiesOf(server: PlatformServer): string {
  return server.shown.map(({ text }) => text.replace(/^\(\d+\/\d+\)\n\n/, '')).join('');
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-faults-parts-'));
  models = await startOpenAiServer();
  models.reply = () => TEXT;
  const started = IDS.map(async (id) => [id, await PlatformServer.start(CHANNELS[id].speech)]);
  servers = Object.fromEntries(await Promise.all(started)) as Record<Id, PlatformServer>;
  await configure();
  service = await TestedService.start(dir);
});

afterEach(async () => {
  await service.stop();
  await Promise.all([models.close(), ...Object.values(servers).map((server) => server.close())]);
  await rm(dir, { recursive: true });
});

describe('kill -9 while a part of a long reply is shown and its answer was not heard', () => {
  let details: Record<Id, EventDetails>;

  beforeEach(async () => {
    for (const server of Object.values(servers)) server.next({}, {}, { stall: 'at-once' });
    const events = await askAll();
    await Promise.all(Object.values(servers).map((server) => server.request(3)));
    await restart();
    const found = IDS.map(async (id) => [id, await ended(events[id])]);
    details = Object.fromEntries(await Promise.all(found)) as Record<Id, EventDetails>;
  });

  it('goes on with that part: twice only where there is no key and the operator chose it', () => {
    for (const id of WITH_KEYS) expectWhole(servers[id]);
    const [telegram, slack] = [placesOf(servers.chan_2), placesOf(servers.chan_4)];
    expect(telegram.slice(0, 5)).toEqual([1, 2, 3, 3, 4]);
    servers.chan_2.shown.splice(2, 1);
    expectWhole(servers.chan_2);
    expect(slack).toEqual([1, 2, 3]);
    for (const id of [...WITH_KEYS, 'chan_2'] as const) {
      expect(details[id].deliveries).toMatchObject([
        { status: 'delivered', attempts: [{ outcome: 'unknown' }, { outcome: 'delivered' }] },
      ]);
    }
    expect(details.chan_4).toMatchObject({
      status: 'failed',
      deliveries: [
        { status: 'unknown', attempts: [{ outcome: 'unknown' }, { outcome: 'unknown' }] },
      ],
    });
  });
});

describe('kill -9 between two parts, when the last one that was tried was refused', () => {
  it('goes on with that part, and nothing is shown twice or told as unknown', async () => {
    await service.stop();
    const clock = new FakeClock(dir);
    service = await TestedService.start(dir, { env: clock.env });
    for (const server of Object.values(servers)) server.next({}, {}, server.speech.limited(60));
    const events = await askAll();
    for (const id of IDS) {
      await atLast(`${id} notes it`, async () => {
        const { deliveries } = await service.details(events[id]);
        return deliveries[0]?.attempts.length === 1;
      });
    }
    await service.kill();
    clock.set('+2m');
    service = await TestedService.start(dir, { env: clock.env });
    for (const id of IDS) {
      expect((await ended(events[id])).deliveries).toMatchObject([
        { status: 'delivered', attempts: [{ outcome: 'retry' }, { outcome: 'delivered' }] },
      ]);
      expectWhole(servers[id]);
    }
  });
});

describe('kill -9 at any moment of a long reply', () => {
  it('shows every part once where there are keys, and elsewhere none twice of which the details tell nothing', async () => {
    const eventId = { chan_2: await ask('chan_2'), chan_3: await ask('chan_3') };
    for (let n = 1; n <= 6; n += 1) {
      await servers[n % 2 === 0 ? 'chan_2' : 'chan_3'].request(n * 2);
      await restart();
    }
    const { deliveries } = await ended(eventId.chan_2);
    await ended(eventId.chan_3);
    expectWhole(servers.chan_3);
    const shown = placesOf(servers.chan_2);
    const again = shown.filter((place, index) => place === shown[index - 1]).length;
    servers.chan_2.shown.splice(0, Infinity, ...once(servers.chan_2));
    expectWhole(servers.chan_2);
    const unknown = deliveries[0]?.attempts.filter(({ outcome }) => outcome === 'unknown') ?? [];
    expect(again).toBeLessThanOrEqual(unknown.length);
  });
});

function once({ shown }: PlatformServer): PlatformServer['shown'] {
  return shown.filter(({ text }, index) => text !== shown[index - 1]?.text);
}
