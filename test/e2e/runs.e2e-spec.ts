import { HooksSettings, Maintenance } from '../../src/hooks/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/index.ts';
import type { Clock } from '../../src/hooks/ports/index.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/index.ts';
import { newId } from '../../src/platform/new-id.ts';
import { memoryLedger } from '../../src/testing.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';
import { byGithub } from '../support/signed.ts';

const CI = 'the-secret-of-the-build-server';
const SHOP = 'the-secret-of-the-shop-of-somebody';
const SIGNED = 'a-secret-that-the-senders-sign-with';

const tokens = [
  { id: 'ci', token: CI, hooks: ['agent', 'builds', 'asks', 'kept'] },
  { id: 'shop', token: SHOP, hooks: ['*'] },
];
const EXPOSED = { wake: true, agent: { exposeReply: true } };
const mappings = [
  { id: 'asks', messageTemplate: '{{ text }}', exposeReply: true },
  { id: 'builds', messageTemplate: '{{ text }}' },
  { id: 'kept', messageTemplate: '{{ text }}', sessionKey: 'hook:kept', sessionMode: 'persistent' },
  { id: 'github', messageTemplate: '{{ text }}', verify: { scheme: 'github', secrets: [SIGNED] } },
] as const;
const options = { tokens, mappings: [...mappings], endpoints: EXPOSED };

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('GET {hooks.path}/runs/<runId> (behaviour.md §14)', () => {
  let hooks: Hooks;
  const start = async (changed: HooksSettingsInput & { clock?: Clock } = {}): Promise<void> => {
    hooks = await Hooks.start({ ...options, ...changed });
  };
  afterEach(() => hooks.close());

  /** A run that has ended. @returns its id */
  async function ended(path = '/agent', body: object = {}, token = CI): Promise<string> {
    const answer = await hooks.ask(path, { message: 'go', text: 'go', ...body }, bearer(token));
    expect(answer.status).toBe(200);
    await hooks.ended(answer['eventId']);
    return String(answer['runId']);
  }

  function replace(changed: HooksSettingsInput): Promise<void> {
    const base = { enabled: true, token: TOKEN, defaultSessionKey: 'hook:e2e' };
    return hooks.app.get(HooksSettings).replace({ ...base, ...options, ...changed });
  }

  const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;

  it('takes the token in the header that hooks.tokenHeader names', async () => {
    await start({ tokenHeader: 'X-Own-Token' });
    const url = `${hooks.url}/hooks/runs/${await ended()}`;
    const [told, refused] = await Promise.all([
      fetch(url, { headers: { 'x-own-token': CI } }),
      fetch(url, { headers: { 'x-other-token': CI } }),
    ]);
    expect([told.status, refused.status]).toEqual([200, 401]);
  });

  it('tells the token that made the run how it ended', async () => {
    await start({ endpoints: {} });
    const runId = await ended();
    expect(await hooks.run(runId, { token: CI })).toEqual({
      status: 200,
      ok: true,
      runId,
      run: 'succeeded',
      startedAt: TIME,
      finishedAt: TIME,
      delivery: 'delivered',
    });
  });

  it('tells why not in words of ours: what a runner says may quote anybody', async () => {
    await start();
    hooks.runner.reply = () => Promise.reject(new Error('/opt/secret/path said: the whole reply'));
    const runId = await ended();
    const told = await hooks.run(runId, { token: CI });
    expect(told).toMatchObject({ run: 'failed', finishedAt: TIME });
    expect(told['error']).toContain('The run failed');
    expect(JSON.stringify(told)).not.toContain('/opt');
    expect(told).not.toHaveProperty('reply');
  });

  it('tells the shared token the status, whoever made the run', async () => {
    await start();
    for (const token of [CI, TOKEN]) {
      const runId = await ended('/agent', {}, token);
      expect(await hooks.run(runId)).toEqual({ status: 200, ok: true, runId, run: 'succeeded' });
    }
  });

  it('a sender that signs learns nothing by its signature, and the status by the shared token', async () => {
    await start();
    const body = JSON.stringify({ text: 'go' });
    const signed = { ...byGithub(SIGNED, body), authorization: '' };
    const { runId } = await hooks.ask('/github', body, signed);
    const asked = await fetch(`${hooks.url}/hooks/runs/${String(runId)}`, {
      headers: byGithub(SIGNED, ''),
    });
    expect([asked.status, await asked.json()]).toMatchObject([401, { code: 'unauthorized' }]);
    expect(await hooks.run(runId, { token: SHOP })).toMatchObject({ code: 'unknown_run' });
    expect(await hooks.run(runId)).toMatchObject({ status: 200, ok: true });
  });

  it('the runs of others are as unknown as those that never were: same answer, same time', async () => {
    const clock = new ManualClock();
    await start({ clock });
    const runId = await ended('/agent', { wakeMode: 'next-heartbeat' });
    const ask = async (id: string): Promise<{ head: object; text: string }> => {
      const { waiting } = clock;
      const asked = fetch(`${hooks.url}/hooks/runs/${id}`, { headers: bearer(SHOP) });
      // What was looked up for an answer is not in its time.
      await eventually('it waits for the beat', () => clock.waiting > waiting);
      clock.advance(50);
      const answer = await asked;
      const text = await answer.text();
      const { date: _now, ...head } = Object.fromEntries(answer.headers);
      return { head: { ...head, status: answer.status }, text };
    };
    const [others, ...unknown] = [
      await ask(runId),
      await ask(newId()),
      await ask(`${runId.slice(0, -1)}${runId.endsWith('0') ? '1' : '0'}`),
      await ask('x'),
      await ask(`${runId};v=1`),
    ];
    expect(others.head).toMatchObject({ status: 404, 'cache-control': 'no-store' });
    expect(JSON.parse(others.text)).toEqual({
      ok: false,
      error: expect.any(String),
      code: 'unknown_run',
    });
    for (const one of unknown) expect([one.head, one.text]).toEqual([others.head, others.text]);
  });

  it('asking has no effect, and what is refused counts as nothing lost', async () => {
    await start();
    const runId = await ended();
    const before = [await hooks.events(), [...hooks.journal]];
    await hooks.run(runId, { token: CI });
    await hooks.run(newId(), { token: CI });
    await hooks.run(runId, { token: CI, query: '?wait=61' });
    expect([await hooks.events(), [...hooks.journal]]).toEqual(before);
    const lines = hooks.log.lines.filter((line) => /runs\/[\da-f]{8}-/.test(line));
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.includes('"code"'))).toEqual([]);
  });

  it('a token for some hooks asks for what it made, also when it opens that hook no more', async () => {
    await start();
    const runId = await ended('/builds');
    await replace({ tokens: [{ id: 'ci', token: CI, hooks: ['other'] }] });
    expect(await hooks.run(runId, { token: CI })).toMatchObject({ status: 200, runId });
  });

  it('the id is the sender: its next secret asks on, and a secret of another id does not', async () => {
    await start();
    const runId = await ended();
    await replace({ tokens: [{ id: 'ci', token: 'a-secret-that-is-made-anew', hooks: ['*'] }] });
    expect(await hooks.run(runId, { token: CI })).toMatchObject({ status: 401 });
    const next = { token: 'a-secret-that-is-made-anew' };
    expect(await hooks.run(runId, next)).toMatchObject({ status: 200, delivery: 'delivered' });
    await replace({ tokens: [{ id: 'ci-2', ...next, hooks: ['*'] }] });
    expect(await hooks.run(runId, next)).toMatchObject({ status: 404, code: 'unknown_run' });
  });

  it('says when it cannot be looked up, without a word on whether there is one', async () => {
    const run = () => Promise.reject(new LedgerUnavailable('the disk is gone'));
    hooks = await Hooks.start({
      ledger: {
        open: async (clock) => {
          const ledger = await memoryLedger().open(clock);
          return { ...ledger, events: Object.assign(Object.create(ledger.events), { run }) };
        },
      },
    });
    expect(await hooks.run(newId())).toMatchObject({ status: 503, code: 'run_unavailable' });
  });

  describe('the reply', () => {
    it.each([['/agent'], ['/asks']])('is told where the operator exposes it: %s', async (path) => {
      await start();
      const runId = await ended(path);
      expect(await hooks.run(runId, { token: CI })).toMatchObject({ reply: 'the reply' });
      expect(await hooks.run(runId)).not.toHaveProperty('reply');
    });

    it.each<[string, string, HooksSettingsInput, object]>([
      ['a mapping that does not say so', '/builds', {}, {}],
      ['a persistent session', '/kept', {}, {}],
      ['agent without exposeReply', '/agent', { endpoints: { agent: true } }, {}],
      ['exposeReply: false', '/agent', { endpoints: { agent: { exposeReply: false } } }, {}],
      ['a session of the request', '/agent', {}, { sessionKey: 'hook:shared' }],
      ['a request that asks for it', '/agent', { endpoints: {} }, { exposeReply: true }],
    ])('is not told of %s', async (_title, path, changed, body) => {
      await start({ allowRequestSessionKey: true, ...changed });
      const runId = await ended(path, body);
      const told = await hooks.run(runId, { token: CI });
      expect(told).toMatchObject({ status: 200, run: 'succeeded' });
      expect(told).not.toHaveProperty('reply');
    });

    it('is told while the operator allows it: switched off it is off at once, also for earlier runs', async () => {
      await start();
      const [asked, mapped] = [await ended('/agent'), await ended('/asks')];
      await replace({ endpoints: {}, mappings: [{ id: 'asks', messageTemplate: 'x' }] });
      for (const runId of [asked, mapped]) {
        expect(await hooks.run(runId, { token: CI })).not.toHaveProperty('reply');
      }
      await replace({});
      for (const runId of [asked, mapped]) {
        expect(await hooks.run(runId, { token: CI })).toHaveProperty('reply');
      }
    });

    it('is not told of a run that was accepted before it was allowed', async () => {
      await start({ endpoints: {}, mappings: [{ id: 'asks', messageTemplate: 'x' }] });
      const [asked, mapped] = [await ended('/agent'), await ended('/asks')];
      await replace({});
      for (const runId of [asked, mapped]) {
        expect(await hooks.run(runId, { token: CI })).not.toHaveProperty('reply');
      }
    });

    it('is gone with the payload', async () => {
      await start();
      const runId = await ended();
      const before = Date.now() + 1;
      const retention = { payloadsBefore: before, eventsBefore: 0, now: before };
      while (await hooks.app.get(Maintenance).prune(retention));
      const told = await hooks.run(runId, { token: CI });
      expect(told).toMatchObject({ status: 200, run: 'succeeded' });
      expect(told).not.toHaveProperty('reply');
    });
  });
});

describe('exposeReply', () => {
  it.each<[string, HooksSettingsInput, string]>([
    ['a text', { endpoints: { agent: 'yes' as never } }, 'hooks.endpoints.agent'],
    ['nothing', { endpoints: { agent: {} as never } }, 'hooks.endpoints.agent'],
    [
      'another key beside it',
      { endpoints: { agent: { exposeReply: true, other: 1 } as never } },
      'hooks.endpoints.agent',
    ],
    [
      'a persistent session beside it',
      { mappings: [{ id: 'a', exposeReply: true, sessionMode: 'persistent' }] },
      'hooks.mappings[0].exposeReply',
    ],
    [
      'a session key beside it',
      { mappings: [{ id: 'a', exposeReply: true, sessionKey: 'hook:a' }] },
      'hooks.mappings[0].exposeReply',
    ],
    [
      'a wake',
      { mappings: [{ id: 'a', exposeReply: true, action: 'wake' }] },
      'hooks.mappings[0].exposeReply',
    ],
  ])('is refused at start with %s', async (_title, changed, key) => {
    await expect(Hooks.start(changed)).rejects.toThrow(key.replace('hooks.', ''));
  });
});
