import {
  LedgerUnavailable,
  LedgerAdmin,
  Refusals,
  RequestObserver,
} from '../../src/hooks/index.ts';
import type {
  HooksModuleOptions,
  LedgerProvider,
  ObservedRequest,
  RefusedRequest,
} from '../../src/hooks/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

/** Refused requests (behaviour.md §3 and §13): told, counted, kept, and where data is lost, announced. */
let hooks: Hooks;
let clock: ManualClock;
let observed: ObservedRequest[];

class Observer extends RequestObserver {
  observe(request: ObservedRequest): void {
    observed.push(request);
  }
}

async function start(more: Partial<HooksModuleOptions> = {}) {
  clock = new ManualClock();
  observed = [];
  hooks = await Hooks.start({
    clock,
    agents: { defaults: { heartbeat: { every: '0m' } } },
    maxBodyBytes: 200,
    presets: ['alertmanager'],
    mappings: [{ id: 'deploys', match: { path: 'ci/deploy' }, messageTemplate: 'deployed' }],
    observer: new Observer(),
    ...more,
  });
}

afterEach(() => hooks.close());

const BIG = { alerts: 'x'.repeat(300) };
const WRONG = { authorization: 'Bearer a-stranger-s-guess' };

const listed = async (): Promise<readonly RefusedRequest[]> =>
  (await hooks.app.get(Refusals).list({ limit: 200 })).refusals;

async function kept(count: number): Promise<readonly RefusedRequest[]> {
  await eventually('somebody waits for the next write', () => clock.waiting > 0);
  clock.advance(1000);
  return eventually(`${count} refusals are kept`, async () => {
    const refusals = await listed();
    return refusals.length === count && refusals;
  });
}

const warnings = (): Record<string, unknown>[] =>
  hooks.log.lines
    .map((line) => (JSON.parse(line) as Record<string, unknown>[])[0]!)
    .filter((line) => typeof line === 'object' && 'code' in line);

describe('a refused request', () => {
  it('never bring a token of ours that a sender wrote where his words are quoted', async () => {
    await start();
    const answer = await hooks.ask('/agent', { message: 1, [TOKEN]: 1 });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_payload' });
    const [refused] = await kept(1);
    expect(refused?.reason).toContain('unknown field [left out] ignored');
    expect(JSON.stringify(refused)).not.toContain(TOKEN);
  });

  it('of a verified sender is kept with hook, client, code, reason and size, and nothing of its payload', async () => {
    await start();
    expect(await hooks.ask('/alertmanager', BIG)).toMatchObject({ status: 413 });
    const [refused] = await kept(1);
    expect(refused).toEqual({
      at: '2026-01-01T00:00:00.000Z',
      kind: 'lost',
      hook: 'alertmanager',
      name: null,
      client: '127.0.0.1',
      status: 413,
      code: 'payload_too_large',
      reason: 'Send at most 200 bytes.',
      verifiedBy: 'token',
      bytes: JSON.stringify(BIG).length,
      count: 1,
    });
    expect(await hooks.stored()).toBe(0);
  });

  it.each([
    ['415', '/alertmanager', {}, { 'content-type': 'text/plain' }, 'unsupported_media_type'],
    ['400 of a body', '/ci/deploy', '{', {}, 'invalid_json'],
    ['400 of a field', '/agent', { message: 7 }, {}, 'invalid_payload'],
    ['404', '/githbu', {}, {}, 'unknown_hook'],
  ])('is kept after %s', async (_what, path, body, headers, code) => {
    await start();
    await hooks.ask(path, body, headers);
    expect(await kept(1)).toMatchObject([{ kind: 'lost', code, verifiedBy: 'token' }]);
    expect(observed).toMatchObject([{ code }]);
  });

  it('is told from a repeat, which is kept with the event that it repeats, and counted as no refusal', async () => {
    await start();
    const headers = { 'idempotency-key': 'order-7' };
    const first = await hooks.ask('/wake', { text: 'once' }, headers);
    expect(await hooks.ask('/wake', { text: 'once' }, headers)).toMatchObject({ status: 200 });
    const [repeat] = await kept(1);
    expect(repeat).toMatchObject({ kind: 'repeated', hook: 'wake', code: 'repeat', status: 200 });
    expect(repeat?.reason).toContain(first.eventId);
    const refusals = hooks.app.get(Refusals);
    expect(await refusals.countByHook(0)).toEqual([]);
    expect([await refusals.lost(0), await refusals.failed(0)]).toEqual([[], []]);
    expect(observed.some(({ code }) => code !== undefined)).toBe(false);
    expect(warnings()).toEqual([]);
  });

  it('of our own trouble is kept apart from what is lost', async () => {
    await start();
    await hooks.app.get(LedgerAdmin).setPaused(true);
    expect(await hooks.ask('/wake', { text: 'hello' })).toMatchObject({ status: 503 });
    expect(await kept(1)).toMatchObject([{ kind: 'failed', hook: 'wake', code: 'paused' }]);
    expect(await hooks.app.get(Refusals).lost(0)).toEqual([]);
  });

  it('of strangers is one sum per client, hook, code and minute', async () => {
    await start();
    for (const path of ['/wake', '/wake', '/wake', '/ci/deploy', '/a-name-of-theirs']) {
      expect(await hooks.ask(path, {}, WRONG)).toMatchObject({ status: 401 });
    }
    const sums = await kept(3);
    expect(sums.map(({ kind, hook, name, count }) => [kind, hook, name, count])).toEqual([
      ['unverified', null, null, 1],
      ['unverified', 'deploys', null, 1],
      ['unverified', 'wake', null, 3],
    ]);
    expect(JSON.stringify(sums) + hooks.log.lines.join()).not.toContain('a-name-of-theirs');
  });

  it('is told with the reason that its sender is not told', async () => {
    const ci = 'the-token-of-ci-for-deploys-alone';
    await start({ tokens: [{ id: 'ci', token: ci, hooks: ['ci/deploy'] }] });
    const answer = await hooks.ask('/alertmanager', {}, { authorization: `Bearer ${ci}` });
    expect(answer).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(JSON.stringify(answer)).not.toContain('may not');
    const reason = 'token ci may not speak to this hook';
    expect(warnings()).toMatchObject([{ code: 'unauthorized', reason }]);
    expect(await kept(1)).toMatchObject([{ kind: 'unverified', reason, verifiedBy: 'token ci' }]);
    expect(JSON.stringify(await kept(1))).not.toContain(ci);
  });

  it('is logged without a sentence that quotes its sender', async () => {
    const agentId = 'an-agent-of-theirs';
    const agents = { list: [{ id: 'main' }, { id: agentId }] };
    await start({ allowedAgentIds: ['main'], agents });
    expect(await hooks.ask('/agent', { message: 'x', agentId })).toMatchObject({ status: 400 });
    expect(warnings()).toMatchObject([{ code: 'agent_not_allowed' }]);
    expect(hooks.log.lines.join()).not.toContain(agentId);
    expect((await kept(1))[0]?.reason).toContain(agentId);
  });

  it('is counted with the hook that it was for, and never with a name of its sender', async () => {
    await start();
    await hooks.ask('/alertmanager', BIG);
    await hooks.ask('/wake', {}, WRONG);
    await hooks.ask('/githbu', {});
    await hooks.ask('/wake', { text: 'hello', mode: 'next-heartbeat' });
    expect(observed.map(({ hook, status, code }) => [hook, status, code])).toEqual([
      ['alertmanager', 413, 'payload_too_large'],
      ['wake', 401, 'unauthorized'],
      [null, 404, 'unknown_hook'],
      ['wake', 200, undefined],
    ]);
  });

  it('is named by its path where several mappings share it', async () => {
    const mappings = ['a', 'b'].map((source) => ({
      id: `from-${source}`,
      match: { path: 'in', source },
      messageTemplate: 'x',
    }));
    await start({ mappings });
    await hooks.ask('/in', BIG);
    expect(await kept(1)).toMatchObject([{ hook: 'in' }]);
  });

  it('is named by a mapping that takes every name, but by none that the payload decides about', async () => {
    const own = { id: 'own', match: { path: 'own' }, messageTemplate: 'x' };
    const every = { id: 'every', match: {}, messageTemplate: 'x' };
    await start({ mappings: [own, every] });
    await hooks.ask('/own/', {}, WRONG);
    await hooks.ask('/a-name-of-theirs', {}, WRONG);
    expect(observed.map(({ hook }) => hook)).toEqual(['own', 'every']);
    await hooks.close();
    await start({ mappings: [own, { ...every, match: { source: 'ci' } }] });
    await hooks.ask('/a-name-of-theirs', {}, WRONG);
    expect(observed.map(({ hook }) => hook)).toEqual([null]);
  });
});

describe('keeping refusals', () => {
  function watched() {
    const state = { writes: 0, codes: [] as string[], isDown: false, isBroken: false };
    const ledger: LedgerProvider = {
      open: async (given) => {
        const opened = await memoryLedger().open(given);
        const { refusals } = opened;
        const record = refusals.record.bind(refusals);
        refusals.record = async (rows, changes) => {
          state.writes += 1;
          if (state.isDown) throw new LedgerUnavailable('the disk is full');
          if (state.isBroken) throw new TypeError('such a row cannot be stored');
          state.codes.push(...rows.map(({ code }) => code));
          await record(rows, changes);
        };
        return opened;
      },
    };
    return Object.assign(state, { ledger });
  }

  it('takes one write a second, and none while nobody is refused', async () => {
    const state = watched();
    await start({ ledger: state.ledger });
    await hooks.ask('/wake', { text: 'hello', mode: 'next-heartbeat' });
    for (let n = 0; n < 20; n += 1) await hooks.ask('/alertmanager', BIG);
    expect(state.writes).toBe(0);
    await kept(20);
    expect(state.writes).toBe(1);
    for (let second = 0; second < 5; second += 1) {
      await eventually('it waits', () => clock.waiting > 0);
      clock.advance(1000);
    }
    expect(state.writes).toBe(1);
  });

  it('goes on once the store can be written again', async () => {
    const state = watched();
    await start({ ledger: state.ledger });
    state.isDown = true;
    await hooks.ask('/alertmanager', BIG);
    await eventually('it is tried', () => {
      clock.advance(1000);
      return state.writes > 0;
    });
    expect(await listed()).toEqual([]);
    state.isDown = false;
    await kept(1);
    const complaints = hooks.log.lines.filter((line) => line.includes('cannot be kept'));
    expect(complaints).toHaveLength(1);
  });

  it('drops what can never be stored, and goes on with the next', async () => {
    const state = watched();
    await start({ ledger: state.ledger });
    state.isBroken = true;
    await hooks.ask('/alertmanager', BIG);
    await eventually('it is tried', () => {
      clock.advance(1000);
      return state.writes > 0;
    });
    expect(await listed()).toEqual([]);
    state.isBroken = false;
    await hooks.ask('/githbu', {});
    expect(await kept(1)).toMatchObject([{ code: 'unknown_hook' }]);
  });

  it('loses nothing at a stop', async () => {
    const state = watched();
    await start({ ledger: state.ledger });
    await hooks.ask('/alertmanager', BIG);
    await hooks.app.close();
    expect(state.codes).toEqual(['payload_too_large']);
  });
});

describe('what verified senders lose', () => {
  const texts = () => hooks.chan1.messages.map(({ text }) => text);

  async function told(count: number): Promise<void> {
    await eventually(`the operator has ${count} messages`, () => {
      clock.advance(1000);
      return texts().length === count;
    });
  }

  it('is told to the operator: one short message with the count, and what to do', async () => {
    await start();
    for (let n = 0; n < 12; n += 1) await hooks.ask('/alertmanager', BIG);
    await told(1);
    expect(texts()).toEqual([
      [
        '12 failures that nobody was notified of:',
        '',
        '- 12 × request to alertmanager refused as too large (413); raise maxBodyBytes, or let the sender send less at a time (Alertmanager: max_alerts)',
      ].join('\n'),
    ]);
    expect(hooks.chan1.messages[0]).toMatchObject({ to: '+1' });
  });

  it('is told again after an hour at the earliest, with what came meanwhile', async () => {
    await start();
    await hooks.ask('/alertmanager', BIG);
    await told(1);
    for (let n = 0; n < 3; n += 1) await hooks.ask('/alertmanager', BIG);
    await kept(4);
    clock.advance(120_000);
    await hooks.ask('/ci/deploy', BIG);
    await told(2);
    expect(texts()[1]).toContain('- request to deploys refused as too large');
    expect(texts()[1]).not.toContain('request to alertmanager');
    // However the time of day is set meanwhile.
    clock.jump(-86_400_000);
    clock.advance(3_600_000);
    await hooks.ask('/alertmanager', BIG);
    await told(3);
    expect(texts()[2]).toContain('- 4 × request to alertmanager');
  });

  it('is told of a hook whose senders sign, though nobody can be verified before the body was read', async () => {
    const verify = { scheme: 'github', secrets: ['a-secret-of-twenty-four-characters'] };
    await start({
      mappings: [
        { id: 'pushes', match: { path: 'gh' }, messageTemplate: 'x', verify },
        { id: 'deploys', match: { path: 'ci/deploy' }, messageTemplate: 'x' },
      ],
    });
    const signed = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    for (let n = 0; n < 3; n += 1) {
      expect(await hooks.ask('/gh', BIG, signed)).toMatchObject({ status: 413 });
    }
    await told(1);
    expect(texts()[0]).toContain(
      '- 3 × unverified request to pushes refused as too large (413); raise maxBodyBytes',
    );
    expect(await hooks.stored()).toBe(0);
    for (let n = 0; n < 3; n += 1) await hooks.ask('/gh', { n }, signed);
    await hooks.ask('/ci/deploy', '[', { authorization: `Bearer ${TOKEN}` });
    await told(2);
    expect(texts()[1]).not.toContain('pushes');
  });

  it('is not told of strangers, of our own trouble, and of callers who read their answer', async () => {
    await start();
    await hooks.ask('/alertmanager', BIG, WRONG);
    await hooks.ask('/agent', { message: 7 });
    await hooks.ask('/githbu', {});
    await hooks.app.get(LedgerAdmin).setPaused(true);
    await hooks.ask('/wake', { text: 'hello' });
    await hooks.app.get(LedgerAdmin).setPaused(false);
    await kept(4);
    expect(await hooks.waiting('notice')).toBe(0);
    await hooks.ask('/ci/deploy', '[');
    await told(1);
    expect(texts()[0]).toContain('1 failure that nobody');
    expect(texts()[0]).toContain('deploys refused as invalid JSON (400)');
  });

  it('is not told with notify: false, and kept all the same', async () => {
    await start({ agents: { defaults: { heartbeat: { every: '0m' }, notify: false } } });
    await hooks.ask('/alertmanager', BIG);
    await kept(1);
    expect(await hooks.waiting('notice')).toBe(0);
    expect(await hooks.app.get(Refusals).lost(clock.now() - 3_600_000)).toMatchObject([
      { hook: 'alertmanager', code: 'payload_too_large', count: 1 },
    ]);
  });
});
