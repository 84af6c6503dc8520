import { HooksSettings } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { HookPreview } from '../../src/hooks/operating/hook-preview.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

const MINUTE = 60_000;

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

/** The clock stands still, and with it each heartbeat that would gather others. */
const CHECK: Mapping = {
  id: 'check',
  messageTemplate: '{{ host }} is {{ state }}',
  wakeMode: 'next-heartbeat',
  deliver: false,
};
const TOKENS = ['nagios', 'icinga'].map((id) => ({
  id,
  token: `the-secret-of-the-sender-${id}`,
  hooks: ['check'],
}));

describe('rules of a mapping (behaviour.md §16)', () => {
  let hooks: Hooks;
  let clock: ManualClock;

  async function start(
    rules: Partial<Mapping>,
    more: Partial<HooksModuleOptions> = {},
  ): Promise<void> {
    clock = new ManualClock();
    hooks = await Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' } } },
      clock,
      tokens: TOKENS,
      defaultSessionKey: undefined,
      mappings: [{ ...CHECK, ...rules }],
      ...more,
    });
    hooks.runner.reply = () => 'done';
  }
  afterEach(() => hooks.close());

  const send = async (host: string, state = 'down', from?: number): Promise<Sent> => {
    const headers =
      from === undefined ? undefined : { authorization: `Bearer ${TOKENS[from]!.token}` };
    const { status, eventId, runId } = await hooks.ask('/check', { host, state }, headers);
    expect(status).toBe(200);
    return { eventId: String(eventId), runId: String(runId) };
  };
  const stands = (sent: Sent, status: string): Promise<EventDetails> =>
    eventually(`the run is ${status}`, async () => {
      const details = await hooks.details(sent.eventId);
      return details.runs[0]?.status === status && details;
    });
  const delivery = (sent: Sent, status: string, error?: RegExp): Promise<unknown> =>
    eventually(`the message is ${status}`, async () => {
      const [one] = (await hooks.details(sent.eventId)).deliveries;
      return one?.status === status && (error?.test(one.error ?? '') ?? true);
    });
  const asked = (): string[] =>
    hooks.runner.turns.map(({ prompt }) => /\n\n([^<]*)\n<<<END/.exec(prompt)?.[1] ?? prompt);

  describe('collect', () => {
    it('makes one run of what comes within its time, which lists it, and answers each at once', async () => {
      await start({ collect: { for: '10m', by: '{{ state }}' } });
      const first = await send('db1');
      const waits = await stands(first, 'waiting');
      expect(waits).toMatchObject({
        status: 'waiting',
        runs: [{ error: expect.stringMatching(/^gathers events until \d\d:\d\d UTC$/) }],
      });
      clock.advance(MINUTE);
      const others = [
        await send('db2'),
        await send('db1'),
        await send('db2'),
        await send('web', 'up'),
      ];
      expect(hooks.runner.turns).toEqual([]);
      clock.advance(9 * MINUTE);
      const { runs } = await stands(first, 'succeeded');
      expect(asked()).toEqual([
        expect.stringMatching(
          /^4 events, \S+ to \S+, a line each:\n- db1 is down \(×2\)\n- db2 is down \(×2\)$/,
        ),
      ]);
      for (const sent of others.slice(0, 3)) {
        expect(await hooks.details(sent.eventId)).toMatchObject({
          status: 'done',
          runs: [{ status: 'collected', joined: runs[0]!.id }],
        });
        expect(await hooks.run(sent.runId)).toEqual({
          status: 200,
          ok: true,
          runId: sent.runId,
          run: 'succeeded',
        });
      }
      clock.advance(MINUTE);
      await stands(others[3]!, 'succeeded');
      expect(asked()[1]).toBe('web is up');
    });

    it('gathers no longer than its time after the clock was set back', async () => {
      await start({ collect: { for: '10m' } });
      clock.jump(60 * MINUTE);
      await stands(await send('db1'), 'waiting');
      clock.jump(-60 * MINUTE);
      const first = await send('db2');
      clock.advance(10 * MINUTE);
      await stands(first, 'collected');
    });

    it('tells whoever waits for the end of one of them, and the agent who sent what', async () => {
      await start({ collect: { for: '1m', scope: 'mapping' } });
      const first = await send('a', 'down', 0);
      await stands(first, 'waiting');
      const { runId } = await send('b', 'down', 1);
      const told = hooks.run(runId, { token: TOKENS[1]!.token, query: '?wait=60' });
      clock.advance(MINUTE);
      await stands(first, 'succeeded');
      const ticking = setInterval(() => clock.advance(2000), 20);
      expect(await told).toMatchObject({ status: 200, runId, run: 'succeeded' });
      clearInterval(ticking);
      expect(hooks.runner.turns[0]?.prompt).toContain('verified by: token nagios, token icinga');
    });
  });

  describe('limit', () => {
    it('holds what is above it until there is room, in order', async () => {
      await start({ limit: { runs: 2, per: '1h' } });
      for (const host of ['a', 'b']) await stands(await send(host), 'succeeded');
      const held = await send('c');
      const { runs } = await stands(held, 'waiting');
      expect(runs[0]?.error).toMatch(/^more than 2 runs in 1h; tried at \d\d:\d\d UTC$/);
      clock.advance(60 * MINUTE);
      await stands(held, 'succeeded');
    });

    it.each(['hold', 'collect', 'skip'] as const)(
      'is that of each sender, and holds no other (%s)',
      async (then) => {
        await start({ limit: { runs: 1, per: '1h', then } });
        const above = then === 'skip' ? 'skipped' : 'waiting';
        await stands(await send('a', 'down', 0), 'succeeded');
        await stands(await send('b', 'down', 0), above);
        await stands(await send('c', 'down', 1), 'succeeded');
        const { runs } = await stands(await send('d', 'down', 1), above);
        expect(runs[0]?.error).toMatch(/^more than 1 run in 1h/);
      },
    );

    it('of the mapping is that of all its senders', async () => {
      await start({ limit: { runs: 1, per: '1h', scope: 'mapping', then: 'skip' } });
      await stands(await send('a', 'down', 0), 'succeeded');
      await stands(await send('b', 'down', 1), 'skipped');
    });

    it('of all mappings skips nothing because of what other senders sent', async () => {
      await start({}, { limit: { runs: 1, per: '1h', then: 'skip' } });
      await stands(await send('a', 'down', 0), 'succeeded');
      await stands(await send('b', 'down', 1), 'succeeded');
      await stands(await send('c', 'down', 0), 'skipped');
    });

    it('lets go on what it held once it is wider', async () => {
      await start({ limit: { runs: 1, per: '1h' } });
      await stands(await send('a'), 'succeeded');
      const held = await send('b');
      await stands(held, 'waiting');
      const settings = hooks.app.get(HooksSettings);
      const wider = { ...CHECK, limit: { runs: 2, per: '1h' } };
      await settings.replace({ enabled: true, tokens: TOKENS, mappings: [wider] });
      await stands(held, 'succeeded');
    });

    it('of all mappings together holds beside that of each', async () => {
      const other = { ...CHECK, id: 'other', messageTemplate: 'other' };
      const mappings = [{ ...CHECK, limit: { runs: 5, per: '1h' } }, other];
      await start({}, { mappings, limit: { runs: 2, per: '1h', then: 'skip' } });
      await stands(await send('a'), 'succeeded');
      const { eventId } = await hooks.ask('/other', {});
      await stands({ eventId: String(eventId), runId: '' }, 'succeeded');
      const { runs } = await stands(await send('b'), 'skipped');
      expect(runs[0]?.error).toBe('more than 2 runs of all mappings in 1h');
    });

    it('is that of all mappings that have none', async () => {
      await start({}, { defaults: { limit: { runs: 1, per: '1h', then: 'skip' } } });
      await stands(await send('a'), 'succeeded');
      await stands(await send('b'), 'skipped');
    });
  });

  describe('quiet hours', () => {
    const NIGHT = { start: '22:00', end: '07:00', timezone: 'UTC' };
    const HOURS = { from: '22:00', to: '07:00', timezone: 'UTC' };
    const toChat = { deliver: true, channel: 'chan_1' } as const;

    it('of an agent hold what it says', async () => {
      const list = [{ id: 'main', quietHours: HOURS }];
      await start(toChat, { agents: { defaults: { heartbeat: { every: '0m' } }, list } });
      const one = await send('db1');
      await delivery(one, 'pending', /^held until/);
      expect(hooks.chan1.messages).toEqual([]);
      clock.advance(7 * 60 * MINUTE);
      await delivery(one, 'delivered');
    });

    it('of a mapping hold its own, but for what they except', async () => {
      const except = [{ 'payload.state': 'on fire' }];
      await start({ ...toChat, quietHours: { ...HOURS, except } });
      hooks.runner.reply = ({ prompt }) => `Look at ${/host-\d/.exec(prompt)?.[0]}.`;
      const held = await send('host-1');
      await delivery(held, 'pending', /^held until/);
      await delivery(await send('host-2', 'on fire'), 'delivered');
      expect(hooks.chan1.messages.map(({ text }) => text)).toEqual(['Look at host-2.']);
      clock.advance(7 * 60 * MINUTE);
      await delivery(held, 'delivered');
    });

    it('that never end together hold nothing', async () => {
      await start({ ...toChat, quietHours: { from: '07:00', to: '22:00', timezone: 'UTC' } });
      hooks.chan1Binding.quietHours = NIGHT;
      await delivery(await send('db1'), 'delivered');
    });
  });

  it('are said before an event comes, beside what would become of it', async () => {
    const quietHours = {
      from: '22:00',
      to: '07:00',
      timezone: 'UTC',
      except: [{ 'payload.a': '1' }],
    };
    const own: Partial<Mapping> = {
      collect: { for: '10m', quiet: '1m', by: '{{ host }}' },
      limit: { runs: 5, per: '1h', scope: 'sender', then: 'skip' },
      quietHours,
    };
    const second = {
      id: 'other',
      messageTemplate: 'x',
      sessionKey: 's',
      whenBusy: 'skip',
    } as const;
    const mappings = [{ ...CHECK, ...own }, second];
    await start({}, { mappings, limit: { runs: 9, per: '24h' } });
    const preview = hooks.app.get(HookPreview);
    const total = 'at most 9 runs of all mappings begin in 24h; one above that waits';
    expect((await preview.of({ hook: 'check', payload: {} })).rules).toEqual([
      'it is one run with the events of the same sender and {{ host }} that come within 10m of the first; that begins earlier after 1m without another, with 50 events',
      'at most 5 runs of each sender begin in 1h; one above that has no run',
      total,
      'what is sent of it is held from 22:00 to 07:00 (UTC), unless it meets an exception',
    ]);
    expect((await preview.of({ hook: 'other', payload: {} })).rules).toEqual([
      'it has no run while its session has one of the same sender',
      total,
    ]);
  });

  describe('a busy session', () => {
    const busy = { sessionKey: 'check' } as const;
    const besideWait = async (rules: Partial<Mapping>): Promise<[first: Sent, second: Sent]> => {
      await start({ ...busy, approve: { run: true, until: '90d' }, ...rules });
      const first = await send('a', 'down', 0);
      await stands(first, 'waiting');
      return [first, await send('b', 'down', 1)];
    };

    it.each(['skip', 'replace'] as const)(
      'of one sender leaves out nothing of another, and asks about both (%s)',
      async (whenBusy) => {
        const [first, second] = await besideWait({ whenBusy });
        const own = await send('c', 'down', 1);
        const [left, kept] = whenBusy === 'skip' ? [own, second] : [second, own];
        const { runs } = await stands(left, 'skipped');
        expect(runs[0]?.error).toBe(
          whenBusy === 'skip'
            ? `its session had run ${kept.runId} already`
            : `replaced by run ${kept.runId}`,
        );
        const waits = await stands(first, 'waiting');
        expect(waits.runs[0]?.waits).toMatchObject([{ decision: null }]);
        await stands(kept, 'waiting');
      },
    );

    it.each(['skip', 'replace'] as const)('may be that of all senders (%s)', async (whenBusy) => {
      const [first, second] = await besideWait({ whenBusy, busyScope: 'mapping' });
      await stands(whenBusy === 'skip' ? second : first, 'skipped');
    });
  });

  it('a run that is replaced ends at once, though there is one place', async () => {
    const defaults = { heartbeat: { every: '0m' }, maxConcurrent: 1 };
    await start({ sessionKey: 'check', whenBusy: 'replace' }, { agents: { defaults } });
    const cutOff: string[] = [];
    hooks.runner.reply = ({ id }, signal) => {
      if (hooks.runner.turns.length > 3) return 'done';
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cutOff.push(id);
          reject(new Error('cut off'));
        });
      });
    };
    const replaced: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      replaced.push((await send('a', String(n))).runId);
      await eventually('it is under way', () => hooks.runner.turns.length === n + 1);
    }
    await stands(await send('a', 'last'), 'succeeded');
    expect(cutOff).toEqual(replaced);
  });
});

interface Sent {
  readonly eventId: string;
  readonly runId: string;
}
