import { AgentError, ExternalServices, HooksSettings, LedgerAdmin } from '../../src/hooks/index.ts';
import type { AgentTurn, WorkCounts } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const MINUTE = 60_000;
const SETTINGS = {
  allowRequestSessionKey: true,
  agents: { defaults: { heartbeat: { every: '0m' }, model: 'local/m' } },
} as const;

let hooks: Hooks;
let clock: ManualClock;
let down: Map<string, () => AgentError>;

const unreachable = () =>
  new AgentError('the connection to provider "local" failed (ECONNREFUSED)', 'unreachable');

const providerOf = ({ model = '' }: AgentTurn) => model.split('/')[0] ?? '';
const asked = (provider: string) =>
  hooks.runner.turns.filter((turn) => providerOf(turn) === provider).length;

async function start(defaults: object = SETTINGS.agents.defaults): Promise<void> {
  clock = new ManualClock();
  down = new Map();
  hooks = await Hooks.start({ ...SETTINGS, agents: { defaults }, clock });
  hooks.runner.reply = (turn) => {
    const failure = down.get(providerOf(turn));
    if (failure !== undefined) throw failure();
    return 'the reply';
  };
}

beforeEach(() => start());
afterEach(() => hooks.close());

async function send(count: number, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const sessionKey = `hook:outage:${Math.random()}`;
    const body = { message: `event ${n}`, wakeMode: 'next-heartbeat', sessionKey, ...more };
    ids.push(String((await hooks.ask('/agent', body))['eventId']));
  }
  return ids;
}

async function quiet(): Promise<void> {
  let turns = -1;
  await eventually('nothing is under way', async () => {
    const before = turns;
    turns = hooks.runner.turns.length;
    const counts = await hooks.app.get(LedgerAdmin).counts();
    const isUnderWay = ({ kind, state, oldestDueAt }: WorkCounts) =>
      state === 'running' || (kind === 'delivery' && oldestDueAt !== undefined);
    return before === turns && !counts.some(isUnderWay);
  });
}

async function pass(ms: number, stepMs = 15_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    await quiet();
  }
}

async function statuses(ids: readonly string[]): Promise<string[]> {
  const all = await Promise.all(ids.map((id) => hooks.details(id)));
  return [...new Set(all.map(({ status }) => status))];
}

describe('a model gateway that is down (issue 11.4)', () => {
  it('for 30 minutes loses no run, is asked by one at a time, and is back for all at once', async () => {
    down.set('local', unreachable);
    const ids = await send(40);
    await quiet();
    const atFirst = asked('local');
    expect(atFirst).toBeLessThanOrEqual(4);
    await pass(30 * MINUTE);
    // Growing pauses, each ended by one run: those of 40 runs by themselves would be some hundreds.
    expect(asked('local') - atFirst).toBeLessThan(40);
    const waiting = await hooks.details(ids.at(-1));
    expect(waiting).toMatchObject({ status: expect.stringMatching('accepted|running') });
    expect(waiting.runs[0]?.error).toContain('local');
    down.clear();
    await pass(2 * MINUTE);
    const details = await Promise.all(ids.map((id) => hooks.ended(id)));
    expect(details.map(({ status }) => status)).toEqual(Array(40).fill('done'));
    expect(hooks.chan1.messages).toHaveLength(40);
    // Nobody's attempts were used up by waiting.
    const attempts = details.map(({ runs }) => runs[0]?.attempts ?? 0);
    expect(attempts.reduce((sum, count) => sum + count)).toBe(asked('local'));
  });

  it('holds no place that another provider could use', async () => {
    down.set('local', unreachable);
    await send(20);
    await quiet();
    const others = await send(3, { model: 'other/m' });
    await quiet();
    expect(asked('other')).toBe(3);
    expect(await statuses(others)).toEqual(['done']);
  });

  it('and asks to be left alone is left alone, for as long as it says', async () => {
    down.set('local', () => new AgentError('slow down', 'rate-limited', 10 * MINUTE));
    const ids = await send(6);
    await quiet();
    const before = asked('local');
    down.clear();
    await pass(9 * MINUTE);
    expect(asked('local')).toBe(before);
    await pass(MINUTE);
    await quiet();
    expect(await statuses(ids)).toEqual(['done']);
  });

  it('for one request alone holds up nobody else', async () => {
    const answer = hooks.runner.reply;
    hooks.runner.reply = (turn, signal) => {
      if (turn.prompt.includes('event 0')) throw unreachable();
      return answer(turn, signal);
    };
    const [poison, ...others] = await send(8);
    await pass(MINUTE, 5000);
    expect(await statuses(others)).toEqual(['done']);
    expect(await hooks.details(poison)).toMatchObject({ status: 'running' });
  });

  it('shows a wake when it is back', async () => {
    down.set('local', unreachable);
    const { eventId } = await hooks.ask('/wake', { text: 'the disk is full' });
    await pass(30 * MINUTE);
    expect(await hooks.details(eventId)).toMatchObject({ heartbeat: 'requested' });
    down.clear();
    await pass(2 * MINUTE);
    expect(await hooks.ended(eventId)).toMatchObject({ status: 'done', heartbeat: 'done' });
  });
});

describe('a refusal that only a person can mend (issue 11.4)', () => {
  it('ends each run at once, and says what to do', async () => {
    const advice = 'the quota of provider "local" is used up: raise it there (insufficient_quota)';
    down.set('local', () => new AgentError(advice, 'needs-operator'));
    const ids = await send(6);
    await quiet();
    expect(asked('local')).toBe(6);
    for (const id of ids) {
      expect(await hooks.ended(id)).toMatchObject({
        status: 'failed',
        summary: `Hook (error): ${advice}`,
        runs: [{ status: 'failed', error: advice, attempts: 1 }],
      });
    }
  });
});

it('lets an operator who has mended something have what waits tried at once', async () => {
  let isDown = true;
  hooks.runner.reply = () => {
    if (isDown) throw new AgentError('come back in an hour', 'rate-limited', 60 * MINUTE);
    return 'the reply';
  };
  const waiting = await send(3);
  await quiet();
  const services = hooks.app.get(ExternalServices);
  isDown = false;
  expect(services.tryBackends()).toBe(true);
  await Promise.all(waiting.map((id) => hooks.ended(id)));
  expect(await statuses(waiting)).toEqual(['done']);
  expect(services.tryBackends()).toBe(false);
});

describe('a run that named no model', () => {
  it('takes the one that its agent has when it begins, so that mending the configuration helps it', async () => {
    const defaults = { ...SETTINGS.agents.defaults, model: 'auto' };
    await hooks.close();
    await start(defaults);
    hooks.runner.reply = ({ model }) => {
      if (model === 'auto') throw new AgentError('no local Ollama answers', 'unreachable');
      return 'the reply';
    };
    const waiting = await send(3);
    const [named] = await send(1, { model: 'auto/named' });
    await quiet();
    expect(await statuses(waiting)).not.toContain('done');
    await hooks.app.get(HooksSettings).replace({
      enabled: true,
      token: TOKEN,
      ...SETTINGS,
      agents: { defaults: { ...defaults, model: 'local/m' } },
    });
    await Promise.all(waiting.map((id) => hooks.ended(id)));
    expect(await statuses(waiting)).toEqual(['done']);
    expect(hooks.runner.turns.filter(({ model }) => model === 'local/m')).toHaveLength(3);
    expect((await hooks.ended(named)).runs[0]?.model).toBe('auto/named');
  });
});

describe('one sick model', () => {
  const HOUR = 60 * MINUTE;
  const modelsAsked = () => hooks.runner.turns.map(({ model }) => model);

  it('holds no other model of its provider, and each probe of it is another waiting turn', async () => {
    hooks.runner.reply = ({ model }) => {
      if (model === 'local/big') throw new AgentError('slow down', 'rate-limited');
      return 'the reply';
    };
    const ofBig = await send(6, { model: 'local/big' });
    await quiet();
    for (let n = 0; n < 12; n += 1) {
      await pass(HOUR / 12, MINUTE);
      const before = modelsAsked().length;
      const ofSmall = await send(1, { model: 'local/small' });
      await quiet();
      expect(await statuses(ofSmall)).toEqual(['done']);
      expect(modelsAsked().slice(before)).toContain('local/small');
    }
    const details = await Promise.all(ofBig.map((id) => hooks.details(id)));
    const attempts = details.map(({ runs }) => runs[0]?.attempts ?? 0);
    expect(Math.max(...attempts) - Math.min(...attempts)).toBeLessThanOrEqual(1);
    expect(Math.min(...attempts)).toBeGreaterThan(1);
  });

  it('holds no other prompt when it fails for one of them alone', async () => {
    hooks.runner.reply = ({ prompt }) => {
      if (prompt.includes('poison')) {
        throw new AgentError('overloaded', 'unreachable', undefined, 'model');
      }
      return 'the reply';
    };
    const [poison] = await send(1, { message: 'poison' });
    await quiet();
    await pass(30 * MINUTE);
    const healthy = await send(40);
    await quiet();
    await pass(MINUTE, 1000);
    expect(await statuses(healthy)).toEqual(['done']);
    expect((await hooks.details(poison)).runs[0]).toMatchObject({
      status: 'queued',
      error: expect.stringContaining('overloaded'),
    });
    hooks.runner.reply = () => 'the reply';
    await pass(HOUR);
    expect((await hooks.details(poison)).status).toBe('done');
  });

  it('holds nobody behind a probe that says nothing', async () => {
    down.set('local', unreachable);
    const ids = await send(3);
    await quiet();
    let hung = 0;
    const released = Promise.withResolvers<void>();
    hooks.runner.reply = async () => {
      hung += 1;
      if (hung === 1) await released.promise;
      return 'the reply';
    };
    clock.advance(5000);
    await eventually('one of them finds out', () => hung === 1);
    clock.advance(11_000);
    await eventually('the others went on', async () => {
      const all = await Promise.all(ids.map((id) => hooks.details(id)));
      return all.filter(({ status }) => status === 'done').length === 2;
    });
    released.resolve();
    await Promise.all(ids.map((id) => hooks.ended(id)));
  });
});
