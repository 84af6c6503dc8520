import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/index.ts';
import { DeliveryError } from '../../src/hooks/index.ts';
import type { AgentTurn } from '../../src/hooks/index.ts';
import { FastClock, ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

/** One line that a heartbeat shows: what stands between two markers. */
const SHOWN =
  /[^\n]*\n<<<EXTERNAL_UNTRUSTED_CONTENT id="\w+">>>[^]*?<<<END_EXTERNAL_UNTRUSTED_CONTENT/gu;

/** A reply of 300 characters, and in a heartbeat a message for everything that no person has heard of. */
function careful({ kind, prompt }: AgentTurn): string {
  if (kind === 'run') return 'What happened: '.padEnd(300, 'x');
  const shown = [...prompt.matchAll(SHOWN)].map(([text]) => text);
  const unheard = shown.filter((text) => !/^(Already|Being) sent to /u.test(text));
  return unheard.length === 0 ? 'HEARTBEAT_OK' : `There is news: ${unheard.length}`;
}

let hooks: Hooks;

const heartbeats = () => hooks.runner.turns.filter(({ kind }) => kind === 'heartbeat');
const isOver = async () => (await hooks.events()).every(({ status }) => /done|failed/.test(status));

describe('one event, one message (behaviour §5), with a model that reads what was sent', () => {
  const REQUESTS = 80;
  /** About as long as an alert or the beginning of a mail. */
  const ask = () => hooks.ask('/agent', { message: 'The disk of db1 is nearly full. '.repeat(19) });

  async function start(sendMs: number): Promise<void> {
    const clock = new FastClock(100);
    hooks = await Hooks.start({ clock });
    hooks.runner.reply = careful;
    hooks.chan1.answer = async () => {
      await clock.wait(sendMs);
      return {};
    };
  }
  afterEach(() => hooks.close());

  function characters(kind: AgentTurn['kind']): number {
    const turns = hooks.runner.turns.filter((turn) => turn.kind === kind);
    const texts = turns.flatMap(({ prompt, history }) => [prompt, ...history.map((it) => it.text)]);
    return texts.reduce((sum, { length }) => sum + length, 0);
  }

  it.each([
    ['at once', 0, () => Promise.all(Array.from({ length: REQUESTS }, ask))],
    [
      'at once, to a platform that takes 5 s',
      5000,
      () => Promise.all(Array.from({ length: REQUESTS }, ask)),
    ],
    [
      'one after the other',
      0,
      async () => {
        for (let n = 0; n < REQUESTS; n += 1) await hooks.ended((await ask()).eventId);
      },
    ],
  ])(
    '80 default requests %s give 80 messages, and heartbeats cost no more than the runs',
    async (_, sendMs, request) => {
      await start(sendMs);
      await request();
      await eventually('all are done', isOver);
      expect(hooks.chan1.messages).toHaveLength(REQUESTS);
      expect(characters('heartbeat')).toBeLessThanOrEqual(characters('run'));
      expect(heartbeats().length).toBeGreaterThan(0);
    },
  );

  it('what could not be delivered is told', async () => {
    const clock = new ManualClock();
    hooks = await Hooks.start({ clock });
    hooks.runner.reply = careful;
    hooks.chan1.answer = async () => {
      hooks.chan1.answer = async () => ({});
      throw new DeliveryError('the chat is\ngone', 'permanent');
    };
    const { eventId } = await ask();
    await eventually('it was not delivered', async () => {
      const { deliveries } = await hooks.details(eventId);
      return deliveries.some(({ status }) => status === 'dead');
    });
    clock.advance(250);
    expect(await hooks.ended(eventId)).toMatchObject({ status: 'failed', heartbeat: 'done' });
    expect(heartbeats()[0]?.prompt).toMatch(
      /\nNot delivered: the chat is gone\n<<<EXTERNAL[^]*\n\nHook: What happened/u,
    );
    await eventually('the heartbeat tells it', () => hooks.chan1.messages.length === 2);
    const [summary, told] = hooks.chan1.messages.map(({ text }) => text);
    expect(summary).toContain('What happened');
    expect(told).toBe('There is news: 2');
  });

  it('with hooks.summary unless-delivered a heartbeat finds nothing of what arrived', async () => {
    const clock = new ManualClock();
    hooks = await Hooks.start({ clock, summary: 'unless-delivered' });
    hooks.runner.reply = careful;
    const { eventId } = await ask();
    await hooks.ended(eventId);
    clock.advance(30_000);
    await eventually(
      'the heartbeat has ended',
      async () => (await hooks.waiting('heartbeat')) === 1,
    );
    expect(hooks.chan1.messages).toHaveLength(1);
    expect(heartbeats()).toEqual([]);
  });
});

describe('the heartbeat of a run whose message is under way (behaviour §5)', () => {
  let dir: string;
  let clock: ManualClock;

  async function start(): Promise<void> {
    const agents = { defaults: { heartbeat: { every: '0m' } } };
    hooks = await Hooks.start({ ledger: sqliteLedger({ dir }), clock, agents, shutdownSeconds: 0 });
    hooks.runner.reply = careful;
    hooks.chan1.answer = () => Promise.reject(new DeliveryError('down', 'retryable', 3_600_000));
  }

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hooks-one-message-'));
    clock = new ManualClock();
    await start();
  });
  afterEach(async () => {
    await hooks.close();
    await rm(dir, { recursive: true });
  });

  const sent = (times: number) =>
    eventually('the message is tried', () => hooks.chan1.messages.length === times);

  it('comes after 30 seconds, though the process ended meanwhile and the message waits for hours', async () => {
    await hooks.ask('/agent', { message: 'Hello' });
    await sent(1);
    clock.advance(29_000);
    await hooks.close();
    await start();
    expect(await hooks.waiting('heartbeat')).toBe(1);
    expect(heartbeats()).toEqual([]);
    clock.advance(1000);
    await eventually('the agent is asked', () => heartbeats().length === 1);
    expect(heartbeats()[0]?.prompt).toMatch(
      /\nBeing sent to chan_1:\n<<<EXTERNAL[^]*\n\nHook: What happened/u,
    );
    await eventually('nothing waits', async () => (await hooks.waiting('heartbeat')) === 0);
  });

  it('holds up no other event', async () => {
    await hooks.ask('/agent', { message: 'Hello' });
    await sent(1);
    const { eventId } = await hooks.ask('/wake', { text: 'the door is open' });
    clock.advance(250);
    await hooks.ended(eventId);
    expect(heartbeats()[0]?.prompt).toContain('the door is open');
    expect(heartbeats()[0]?.prompt).not.toContain('What happened');
    expect(await hooks.waiting('heartbeat')).toBe(1);
    clock.advance(30_000);
    await eventually('the rest is shown', () => heartbeats().length === 2);
    expect(heartbeats()[1]?.prompt).toContain('Being sent to chan_1');
  });
});

describe('runs under hooks.defaultSessionKey (behaviour §5 "Order")', () => {
  afterEach(() => hooks.close());

  it('run side by side up to maxConcurrent, those of a named key one after the other', async () => {
    const agents = { defaults: { maxConcurrent: 3 } };
    hooks = await Hooks.start({ agents, allowRequestSessionKey: true });
    const gate = Promise.withResolvers<string>();
    hooks.runner.reply = ({ kind }) => (kind === 'run' ? gate.promise : 'HEARTBEAT_OK');
    const named = { message: 'Hello', sessionKey: 'hook:named' };
    const bodies = [named, named, { message: 'Hello' }, { message: 'Hello' }, { message: 'Hello' }];
    const answers = [];
    for (const body of bodies) answers.push(await hooks.ask('/agent', body));
    await eventually('three run', () => hooks.runner.turns.length === 3);
    const keys = hooks.runner.turns.map(({ sessionKey }) => sessionKey).toSorted();
    expect(keys).toEqual(['agent:main:hook:e2e', 'agent:main:hook:e2e', 'agent:main:hook:named']);
    gate.resolve('done');
    for (const { eventId } of answers) await hooks.ended(eventId);
  });
});
