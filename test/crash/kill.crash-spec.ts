import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventDetails } from '../../src/hooks/ports/index.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { telegram } from '../support/platforms/telegram.ts';
import { Gateway } from './gateway.ts';
import { Sender } from './sender.ts';
import type { Acknowledged } from './sender.ts';

/** Rounds of load, each ended by kill -9 at a random moment. `CRASH_ROUNDS=200` for the long run. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? '20');
const SESSIONS = ['a', 'b', 'c', 'd'];

let dir: string;
let models: OpenAiServer;
let chats: PlatformServer;
let operator: Gateway;
const acknowledged: Acknowledged[] = [];

function configuration(): string {
  return JSON.stringify({
    gateway: { auth: { token: 'operator-token-for-the-crash-test' } },
    hooks: {
      enabled: true,
      token: 'hook-token-for-the-crash-test',
      allowRequestSessionKey: true,
      allowedSessionKeyPrefixes: ['crash:'],
      defaultSessionKey: 'crash:default',
    },
    agents: { defaults: { model: 'local/test', heartbeat: { every: '0m' } } },
    models: { providers: { local: { baseUrl: models.baseUrl } } },
    channels: { chan_2: { ...telegram.settings(chats.origin), to: '42' } },
  });
}

async function loadUntilKilled(round: number): Promise<void> {
  const gateway = await Gateway.start(dir);
  const senders = SESSIONS.map((session) => new Sender(gateway, session, round));
  const sending = senders.map((sender) => sender.run());
  const isHeard = () => senders.some((sender) => sender.acknowledged.length > 0);
  // On a busy machine a start that is soon cut off would have promised nothing in any round.
  if (round % 2 === 1) await eventually('an answer', isHeard);
  await gateway.killAfter(Math.random() * 400);
  await Promise.all(sending);
  for (const sender of senders) acknowledged.push(...sender.acknowledged);
}

/** The markers of one session in the order in which the model was first asked about them. */
function askedOf(session: string): string[] {
  const marker = new RegExp(`\\[${session}:\\d+:\\d+\\]`, 'g');
  return [...new Set(runTexts().flatMap((text) => text.match(marker) ?? []))];
}

beforeAll(
  async () => {
    dir = await mkdtemp(join(tmpdir(), 'hooks-crash-'));
    models = await startOpenAiServer();
    models.reply = (body) =>
      `Done with ${/Please answer (\[[^\]]*\])/.exec(JSON.stringify(body))?.[1] ?? 'nothing'}`;
    chats = await PlatformServer.start(telegram);
    await writeFile(join(dir, 'gateway.json5'), configuration());
    for (let round = 0; round < ROUNDS; round += 1) await loadUntilKilled(round);
    operator = await Gateway.start(dir);
    await eventually('all work ends', async () => (await operator.unfinished()) === 0, 60_000);
    // A heartbeat that was killed twice is given up; its lines wait for the next one.
    await operator.post('wake', { text: 'the last wake' });
    await eventually('all work ends', async () => (await operator.unfinished()) === 0, 60_000);
  },
  ROUNDS * 10_000 + 90_000,
);

afterAll(async () => {
  await operator.stop();
  await Promise.all([models.close(), chats.close()]);
  await rm(dir, { recursive: true });
}, 60_000);

describe(`kill -9 under load, ${ROUNDS} rounds`, () => {
  it('was killed while there was something to lose', () => {
    expect(acknowledged.length).toBeGreaterThanOrEqual(Math.floor(ROUNDS / 2));
  });

  it('finds every acknowledged event in the ledger, ended as promised', async () => {
    for (const { eventId, kind } of acknowledged) {
      const details = await operator.details(eventId);
      expect(details.id).toBe(eventId);
      expect(details.runs).toHaveLength(kind === 'agent' ? 1 : 0);
      expect(details.status).toBe(saysGivenUp(details) ? 'failed' : 'done');
      if (details.status === 'failed') continue;
      expect(details.runs.every(({ status }) => status === 'succeeded')).toBe(true);
      expect(details.deliveries.map(({ status }) => status)).toEqual(
        kind === 'agent' ? ['delivered'] : [],
      );
    }
  }, 120_000);

  it('runs each session in the order of acceptance', async () => {
    for (const session of SESSIONS) {
      const asked = askedOf(session);
      const order: string[] = [];
      for (const event of acknowledged) {
        if (event.kind !== 'agent' || event.session !== session) continue;
        const { marker, eventId } = event;
        // What was killed twice may be given up before the model has heard of it.
        const isExpected = asked.includes(marker) || !saysGivenUp(await operator.details(eventId));
        if (isExpected) order.push(marker);
      }
      expect(asked.filter((marker) => order.includes(marker))).toEqual(order);
    }
  }, 120_000);

  it('runs and delivers nothing twice without the details saying so', async () => {
    const asked = countsOf(runTexts(), /Please answer (\[[^\]]*\])/g);
    const sent = countsOf(
      chats.asked.map(({ text }) => text),
      /Done with (\[[^\]]*\])/g,
    );
    for (const { eventId, kind, marker } of acknowledged) {
      if (kind !== 'agent') continue;
      const { runs, deliveries } = await operator.details(eventId);
      const times = asked.get(marker) ?? 0;
      expect(times).toBeLessThanOrEqual(runs[0]?.attempts ?? 0);
      if (times > 1) expect(runs[0]?.notes).not.toHaveLength(0);
      expect(sent.get(marker) ?? 0).toBeLessThanOrEqual(deliveries[0]?.attempts.length ?? 0);
    }
  }, 120_000);

  it('leaves no wake behind in the main session', async () => {
    const wakes = acknowledged.filter(({ kind }) => kind === 'wake').map(({ marker }) => marker);
    const shown = models.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(wakes.filter((marker) => !shown.includes(marker))).toEqual([]);
  });
});

/** A run that was under way in five kills in a row is given up, and so is a delivery; a heartbeat may fail with them; nothing else may end badly here. */
function saysGivenUp({ runs, deliveries, summary, heartbeat }: EventDetails): boolean {
  const saysSo = /the service died \d+ times in a row during this run/;
  return (
    runs.some(
      ({ status, error, attempts }) =>
        status === 'interrupted' &&
        attempts >= 5 &&
        saysSo.test(error ?? '') &&
        saysSo.test(summary ?? ''),
    ) ||
    deliveries.some(({ status }) => status === 'unknown') ||
    heartbeat === 'failed'
  );
}

/** What the model was asked by runs; heartbeats quote the markers of wakes and summaries, too. */
function runTexts(): string[] {
  const texts = models.requests.map(({ body }) => JSON.stringify(body));
  return texts.filter((text) => !text.includes('Heartbeat.'));
}

function countsOf(texts: readonly string[], pattern: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [, marker = ''] of text.matchAll(pattern)) {
      counts.set(marker, (counts.get(marker) ?? 0) + 1);
    }
  }
  return counts;
}
