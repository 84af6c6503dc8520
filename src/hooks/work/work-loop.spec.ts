import type { HooksSettingsInput } from '../options/index.ts';
import {
  AgentError,
  DeliveryError,
  LEASE_MS,
  LedgerUnavailable,
  RequestObserver,
} from '../ports/index.ts';
import type { ObservedEnd } from '../ports/index.ts';
import { ExternalServices } from './external-services.ts';
import { deliveryLease, heartbeatLease, runLease } from '../../../test/support/leases.ts';
import { StandInLedger } from '../../../test/support/stand-in-ledger.ts';
import { WorkUnderTest, settled } from '../../../test/support/work-under-test.ts';

type AgentEntry = NonNullable<NonNullable<HooksSettingsInput['agents']>['list']>[number];

let work: WorkUnderTest;

let replies: ((reply: string) => void)[];

async function start(
  limits: number | { maxConcurrent: number; maxConcurrentTotal: number },
  shutdownSeconds = 0,
  ledger = new StandInLedger(),
): Promise<void> {
  await work?.close();
  const defaults = typeof limits === 'number' ? { maxConcurrent: limits } : limits;
  const agents = { defaults };
  work = await WorkUnderTest.start({ agents, shutdownSeconds, ledger });
  replies = [];
  work.runner.reply = () => new Promise((resolve) => void replies.push(resolve));
}

beforeEach(() => start(4));
afterEach(() => work.close());

function runs(count: number) {
  return Array.from({ length: count }, (_, i) =>
    runLease({ session: `agent:main:hook:${i}` }, { workId: 100 + i, ref: `run-${i}` }),
  );
}

function commits(): string[] {
  return work.ledger.work.commits.map(({ workId, outcome }) => `${workId} ${outcome.type}`);
}

describe('WorkLoop: claims, performs, commits (behaviour §5)', () => {
  it('does each kind of work and writes its end', async () => {
    work.ledger.work.give(...runs(1), heartbeatLease(), deliveryLease());
    await settled();
    replies[0]?.('done');
    await settled();
    expect(commits().toSorted()).toEqual(['100 done', '2 done', '3 done']);
  });

  it('runs at most maxConcurrent turns side by side, and asks for no more than fit', async () => {
    await start(2);
    work.ledger.work.give(...runs(3));
    await settled();
    expect(work.runner.turns).toHaveLength(2);
    replies[0]?.('done');
    await settled();
    expect(work.runner.turns).toHaveLength(3);
    expect(
      work.ledger.work.claims.filter(({ lane }) => lane === 'turn').map(({ max }) => max),
    ).toEqual([3, 1, 2, 1]);
  });

  it('begins no more of them than maxConcurrentTotal has room for', async () => {
    await start({ maxConcurrent: 3, maxConcurrentTotal: 2 });
    work.ledger.work.give(...runs(3));
    await settled();
    expect(work.runner.turns).toHaveLength(2);
    expect(work.ledger.work.claims[0]?.limits?.()).toMatchObject({ maxRuns: 3, maxRunsTotal: 2 });
  });

  it('asks for more while the end of a step is still being written', async () => {
    await start(1);
    const disk = Promise.withResolvers<boolean>();
    work.ledger.work.written = disk.promise;
    work.ledger.work.give(...runs(6));
    for (let n = 0; n < 6; n += 1) {
      await settled();
      replies[n]?.('done');
    }
    await settled();
    // What cannot be written does not pile up: twice as many as there are places, and no more.
    expect(work.runner.turns).toHaveLength(4);
    disk.resolve(true);
    await settled();
    expect(work.runner.turns).toHaveLength(5);
  });

  it('deliveries go on while every turn is taken', async () => {
    await start(1);
    work.ledger.work.give(...runs(1), deliveryLease());
    await settled();
    expect(work.channel.messages).toHaveLength(1);
  });
});

describe('WorkLoop: a graceful stop (behaviour §13 SIGTERM)', () => {
  it('gives what is under way its time to end, and claims nothing more', async () => {
    await start(4, 20);
    work.ledger.work.give(...runs(1));
    await settled();
    const stopped = work.stop();
    await settled();
    work.ledger.work.give(...runs(1));
    await settled();
    replies[0]?.('done');
    await stopped;
    expect(commits()).toEqual(['100 done']);
  });

  it.each([
    ['interrupts what takes longer: it is begun again at the next start', 4, 1],
    ['keeps to its time when every turn is taken', 1, 2],
  ])('%s', async (_, maxConcurrent, count) => {
    await start(maxConcurrent, 20);
    work.ledger.work.give(...runs(count));
    await settled();
    const stopped = work.stop();
    await settled();
    work.clock.advance(19_999);
    await settled();
    expect(work.ledger.work.commits).toEqual([]);
    work.clock.advance(1);
    await stopped;
    expect(commits()).toEqual(['100 retry']);
  });

  it('takes no time when nothing is under way, started or not', async () => {
    await start(4, 20);
    await expect(work.stop()).resolves.toBeUndefined();
    const notStarted = await WorkUnderTest.create({ shutdownSeconds: 20 });
    await expect(notStarted.stop()).resolves.toBeUndefined();
  });
});

describe('WorkLoop: what breaks (behaviour §13 nothing accepted is lost)', () => {
  it('a broken step gives the work back, and the others go on', async () => {
    work.sessions.context = () => Promise.reject(new Error('cannot be read'));
    const broken = runLease({ sessionMode: 'persistent' });
    work.ledger.work.give(broken, ...runs(1));
    await settled();
    replies[0]?.('done');
    await settled();
    const { workId, outcome, changes } = work.ledger.work.commits.at(0)!;
    expect({ workId, type: outcome.type, changes }).toEqual({
      workId: 1,
      type: 'retry',
      changes: [
        {
          type: 'run-update',
          id: 'run-1',
          note: expect.objectContaining({ attempt: 1, outcome: 'retry' }),
        },
      ],
    });
    const waits = outcome.type === 'retry' ? outcome.at - work.clock.now() : 0;
    expect(waits).toBeGreaterThan(0);
    expect(waits).toBeLessThanOrEqual(1000);
    expect(commits()[1]).toBe('100 done');
  });

  it('a step that breaks again and again is given up, and its record says so', async () => {
    work.sessions.context = () => Promise.reject(new Error('cannot be read'));
    work.ledger.work.give({ ...runLease({ sessionMode: 'persistent' }), failures: 7 });
    await settled();
    expect(work.ledger.work.commits).toMatchObject([
      {
        outcome: { type: 'dead' },
        changes: [
          { type: 'run-update', status: 'failed' },
          { type: 'system-event' },
          { type: 'work' },
          { type: 'bad-end' },
          { type: 'work' },
        ],
      },
    ]);
  });

  it('a step that breaks after an agent that may have acted is given up at once', async () => {
    work.runner.isSafe = false;
    work.sessions.routes = () => Promise.reject(new Error('cannot be read'));
    work.ledger.work.give(runLease());
    await settled();
    replies[0]?.('done');
    await settled();
    const broken = { type: 'run-update', status: 'failed', error: expect.stringContaining('log') };
    expect(work.ledger.work.commits).toMatchObject([
      {
        outcome: { type: 'dead' },
        changes: [
          broken,
          { type: 'system-event' },
          { type: 'work' },
          { type: 'bad-end' },
          { type: 'work' },
        ],
      },
    ]);
  });

  it('what was done while the ledger was full is committed later, not done again', async () => {
    const commit = work.ledger.work.commit.bind(work.ledger.work);
    let failures = 2;
    work.ledger.work.commit = (...args) =>
      failures-- > 0 ? Promise.reject(new LedgerUnavailable('the disk is full')) : commit(...args);
    work.ledger.work.give(...runs(1));
    await settled();
    replies[0]?.('done');
    for (let second = 0; second < 3; second += 1) {
      await settled();
      work.clock.advance(1000);
    }
    await settled();
    expect(commits()).toEqual(['100 done']);
    expect(replies).toHaveLength(1);
  });

  it('the result of a lost lease is dropped, and the loop goes on', async () => {
    work.ledger.work.isLeaseLost = true;
    work.ledger.work.give(...runs(1));
    await settled();
    replies[0]?.('lost');
    await settled();
    work.ledger.work.isLeaseLost = false;
    work.ledger.work.give(deliveryLease());
    await settled();
    expect(commits()).toEqual(['3 done']);
  });

  it('leases of long work are renewed before they run out, and only until it ends', async () => {
    work.ledger.work.give(...runs(1));
    await settled();
    for (let i = 0; i < 3; i += 1) {
      work.clock.advance(LEASE_MS / 3);
      await settled();
    }
    expect(work.ledger.work.renewed).toEqual([100, 100, 100]);
    replies[0]?.('done');
    await settled();
    work.clock.advance(LEASE_MS);
    await settled();
    expect(work.ledger.work.renewed).toHaveLength(3);
  });

  it('a step whose lease was lost is told to end, and nothing of it is written', async () => {
    const asked: AbortSignal[] = [];
    work.runner.reply = (_turn, signal) => new Promise(() => void asked.push(signal));
    work.ledger.work.give(...runs(1));
    await settled();
    work.ledger.work.isLeaseLost = true;
    work.clock.advance(LEASE_MS / 3);
    await settled();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    expect(commits()).toEqual([]);
    expect(work.log.lines.at(-1)).toContain('the lease of run run-0 of event event-1 was lost');
    work.ledger.work.isLeaseLost = false;
    work.clock.advance(LEASE_MS);
    await settled();
    expect(work.ledger.work.renewed).toEqual([100]);
    work.ledger.work.give(deliveryLease());
    await settled();
    expect(commits()).toEqual(['3 done']);
  });

  it('a ledger that cannot be asked is asked again a second later', async () => {
    const ledger = new StandInLedger();
    ledger.work.brokenCalls.add('claim');
    await start(4, 0, ledger);
    await settled();
    work.ledger.work.brokenCalls.clear();
    work.ledger.work.give(deliveryLease());
    await settled();
    expect(work.channel.messages).toEqual([]);
    work.clock.advance(1000);
    await settled();
    expect(work.channel.messages).toHaveLength(1);
  });

  it.each(['renew', 'commit'] as const)(
    'a ledger that breaks in %s ends nothing but that step',
    async (call) => {
      work.ledger.work.brokenCalls.add(call);
      work.ledger.work.give(...runs(1));
      await settled();
      work.clock.advance(LEASE_MS / 3);
      await settled();
      replies[0]?.('done');
      await settled();
      work.ledger.work.brokenCalls.clear();
      work.ledger.work.give(deliveryLease());
      await settled();
      expect(commits()).toContain('3 done');
    },
  );
});

describe('WorkLoop: what it logs', () => {
  it('is one sentence with the ids in it', async () => {
    const said = 'it said what was in the payload';
    work.runner.reply = () => Promise.reject(new AgentError(said, 'permanent'));
    await work.perform(runLease());
    await settled();
    const line = work.log.lines.at(-1) ?? '';
    expect(line).toContain('"run run-1 of event event-1 failed"');
    expect(line).toMatch(/"reason":"it failed \(permanent[^)]*\)"/);
    expect(line).not.toContain(said);
  });

  it('names work that no event asked for by its number', async () => {
    work.sessions.context = () => Promise.reject(new RangeError('cannot be read'));
    await work.perform(heartbeatLease());
    expect(work.log.lines.at(-1)).toContain(
      '"a step of heartbeat 2 broke: RangeError: cannot be read"',
    );
  });
});

describe('WorkLoop: a changed configuration, while backends rest', () => {
  const at = (port: number, apiKey: string) => ({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey });
  const models = { providers: { local: at(1, 'k1'), other: at(2, 'k2') } };
  const program = { type: 'command', command: 'cat', args: ['-'] } as const;
  const gateway = { type: 'http', ...at(3, 'k3') } as const;
  const agents = {
    main: { id: 'main', model: 'local/m' },
    second: { id: 'second', model: 'local/m' },
    program: { id: 'program', runner: program },
    gateway: { id: 'gateway', runner: gateway },
  };
  const settings = (
    given: Readonly<Record<string, AgentEntry>> = {},
    more: Partial<HooksSettingsInput> = {},
  ) => ({
    models,
    agents: { list: Object.values({ ...agents, ...given }) },
    ...more,
  });
  const [MODEL, PROGRAM, GATEWAY] = ['model local/m', 'command cat', 'gateway 127.0.0.1:3'];
  const resting = () => work.app.get(ExternalServices).backends();

  beforeEach(async () => {
    await work.close();
    work = await WorkUnderTest.start(settings());
    work.runner.reply = () => Promise.reject(new AgentError('busy', 'rate-limited', 300_000));
    for (const [n, agentId] of ['main', 'program', 'gateway'].entries()) {
      await work.perform(runLease({ agentId }, { workId: n }));
    }
    work.clock.advance(1000);
  });

  it.each([
    [
      'a token',
      settings({}, { tokens: [{ id: 'crm', token: 'x'.repeat(32), hooks: ['wake'] }] }),
      [],
    ],
    [
      'places',
      { ...settings(), agents: { ...settings().agents, defaults: { maxConcurrent: 9 } } },
      [],
    ],
    [
      'the key of another provider',
      settings({}, { models: { providers: { ...models.providers, other: at(2, 'new') } } }),
      [],
    ],
    [
      'the key of its provider',
      settings({}, { models: { providers: { ...models.providers, local: at(1, 'new') } } }),
      [MODEL],
    ],
    [
      'the instructions of its agents',
      settings({ main: { ...agents.main, instructions: 'x' } }),
      [],
    ],
    [
      'the arguments of a program',
      settings({ program: { id: 'program', runner: { ...program, args: ['-u'] } } }),
      [PROGRAM],
    ],
    [
      'the key of a gateway',
      settings({ gateway: { id: 'gateway', runner: { ...gateway, apiKey: 'new' } } }),
      [GATEWAY],
    ],
    ['another model', settings({ main: { id: 'main', model: 'local/n' } }), [MODEL]],
    ['a program instead of a model', settings({ main: { id: 'main', runner: program } }), [MODEL]],
    ['another agent', settings({ third: { id: 'third', model: 'local/m' } }), []],
  ])('%s: forgets only those whose own settings it changes', async (_what, changed, forgotten) => {
    const before = resting();
    expect(before.map(({ backend }) => backend)).toEqual([MODEL, PROGRAM, GATEWAY]);
    await work.settings.replace(changed);
    expect(resting()).toEqual(before.filter(({ backend }) => !forgotten.includes(backend)));
  });
});

describe('WorkLoop: tells what has ended', () => {
  class Ends extends RequestObserver {
    readonly heard: ObservedEnd[] = [];
    override observe(): void {}
    override ended(end: ObservedEnd): void {
      this.heard.push(end);
    }
  }
  let observer: Ends;
  beforeEach(async () => {
    await work.close();
    observer = new Ends();
    work = await WorkUnderTest.start({ observer, agents: { defaults: { retryFor: '1h' } } });
  });

  it('runs with hook, agent, outcome and the time of their last attempt', async () => {
    work.runner.reply = async () => {
      work.clock.advance(1500);
      return 'done';
    };
    await work.perform(runLease());
    work.runner.reply = () => Promise.reject(new AgentError('no such model', 'needs-operator'));
    const trust = { level: 'untrusted', verifiedBy: 'token', mapping: 'ci' } as const;
    await work.perform(runLease({ hook: 'github', trust }, { workId: 9 }));
    await settled();
    expect(observer.heard).toEqual([
      { kind: 'run', hook: 'agent', agent: 'main', outcome: 'succeeded', ms: 1500 },
      { kind: 'run', hook: 'ci', agent: 'main', outcome: 'failed', ms: 0 },
    ]);
  });

  it('deliveries with channel and outcome, those that end with their run included', async () => {
    await work.perform(deliveryLease());
    work.channel.answer = () => Promise.reject(new DeliveryError('Bad token', 'auth'));
    await work.perform(deliveryLease({ runId: null, eventId: null }, { workId: 8 }));
    work.runner.reply = () => '';
    await work.perform(runLease({ deliver: { channel: 'chan_1' } }, { workId: 9 }));
    await settled();
    expect(observer.heard.filter(({ kind }) => kind === 'delivery')).toEqual([
      { kind: 'delivery', hook: 'agent', channel: 'chan_1', outcome: 'delivered' },
      { kind: 'delivery', hook: null, channel: 'chan_1', outcome: 'dead' },
      { kind: 'delivery', hook: 'agent', channel: 'chan_1', outcome: 'skipped' },
    ]);
  });

  it('neither what is tried again nor what could not be written', async () => {
    work.runner.reply = () => Promise.reject(new AgentError('a broken stream', 'retryable'));
    expect(await work.perform(runLease())).toMatchObject({ outcome: { type: 'retry' } });
    work.ledger.work.isLeaseLost = true;
    work.runner.reply = () => 'done';
    work.ledger.work.give(runLease({}, { workId: 9 }));
    await settled();
    expect(observer.heard).toEqual([]);
  });
});
