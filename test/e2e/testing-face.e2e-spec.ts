import { Test } from '@nestjs/testing';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventStore, HooksModule, Hooks, OnHook, deliver, run, wake } from '../../src/index.ts';
import type {
  HookEvent,
  HookResult,
  HooksModuleExtras,
  HooksModuleOptions,
} from '../../src/index.ts';
import {
  MovableClock,
  RecordingChannel,
  RecordingRunner,
  memoryLedger,
  settled,
  signed,
} from '../../src/testing.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = 'a-shared-secret-of-the-sender';

class Handler {
  result: (event: HookEvent) => HookResult = () => undefined;

  @OnHook('github')
  onEvent(event: HookEvent): HookResult {
    return this.result(event);
  }
}

let app: NestFastifyApplication;
let runner: RecordingRunner;
afterEach(() => app?.close());

async function start(
  given: Partial<HooksModuleOptions & HooksModuleExtras> = {},
  providers = [Handler],
): Promise<void> {
  runner = new RecordingRunner();
  const hooks = HooksModule.forRoot({
    enabled: true,
    token: 'a-hook-token-of-decent-length',
    ledger: memoryLedger(),
    runner,
    mappings: [{ id: 'github', verify: { secrets: [SECRET] } }],
    ...given,
  });
  const testing = await Test.createTestingModule({
    imports: [hooks],
    providers,
  }).compile();
  app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
    logger: false,
  });
  await app.init();
}

function store(): EventStore {
  return app.get(EventStore, { strict: false });
}

async function attemptsKept(): Promise<number | undefined> {
  const [event] = (await store().list({ limit: 1 })).events;
  return (await store().get(event!.id))?.deliveries[0]?.attempts.length;
}

function github(body: unknown): Promise<{ statusCode: number }> {
  const headers = { 'x-github-event': 'push' };
  return app.inject({ url: '/hooks/github', ...signed('github', SECRET, body, { headers }) });
}

describe('nestjs-agent-hooks/testing', () => {
  it('settled: handlers, runs, heartbeats and deliveries have ended, and are recorded', async () => {
    const channel = new RecordingChannel();
    await start({ channels: { chan_1: { provider: channel, to: 'ops' } } });
    app.get(Handler).result = () => [
      run({ message: 'look' }),
      wake('woken'),
      deliver({ message: 'sent' }),
    ];
    expect(await github({ ref: 'main' })).toMatchObject({ statusCode: 200 });
    await settled(app);
    expect(runner.runs.map(({ prompt }) => prompt).join()).toContain('look');
    expect(runner.heartbeats.map(({ prompt }) => prompt).join()).toContain('woken');
    expect(channel.deliveries.map(({ text }) => text).toSorted()).toEqual(['done', 'sent']);
  });

  it('settled says what is open still', async () => {
    await start({ agents: { list: [{ id: 'main', approve: 'run' }] } });
    const { eventId } = await app.get(Hooks, { strict: false }).run({ message: 'may I?' });
    const asked = async () => (await store().get(eventId))?.status === 'waiting';
    await eventually('somebody is asked', asked);
    await expect(settled(app, { withinMs: 50 })).rejects.toThrow(
      new RegExp(`^not settled within 50 ms: event ${eventId} of agent is waiting`),
    );
  });

  it('settled finds an ingress by its name', async () => {
    await start({ name: 'partners', mappings: [] }, []);
    await settled(app, { name: 'partners' });
  });

  it('a clock that is moved: what was to be tried in hours is tried at once', async () => {
    const clock = new MovableClock();
    await start({ clock });
    let attempts = 0;
    app.get(Handler).result = () => {
      attempts += 1;
      if (attempts < 8) throw new Error('not yet');
    };
    await github({});
    for (let at = 1; at < 8; at += 1) {
      await eventually('it has failed', async () => (await attemptsKept()) === at);
      clock.move(3_600_000);
    }
    await settled(app);
    expect(attempts).toBe(8);
  });

  it('signed: as each sender signs, at a time', async () => {
    await start();
    expect(await github('{ "as": "it is" }')).toMatchObject({ statusCode: 200 });
    const forged = { ...signed('github', 'another secret', {}), url: '/hooks/github' };
    expect(await app.inject(forged)).toMatchObject({ statusCode: 401 });
    const slack = signed('slack', SECRET, {}, { now: 1_700_000_000_000 });
    expect(slack.headers).toMatchObject({ 'x-slack-request-timestamp': '1700000000' });
    expect(() => signed('gitbuh', SECRET, {})).toThrow(
      /^there is no scheme gitbuh; known are .*github/,
    );
  });

  it('a clock is not moved back', () => {
    expect(() => new MovableClock().move(-1)).toThrow('by more than 0 milliseconds');
  });
});
