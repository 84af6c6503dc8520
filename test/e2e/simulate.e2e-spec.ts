import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const MINUTE = 60_000;
const TIME = ['--since', '2025-12-31T00:00:00Z', '--until', '2026-01-03T00:00:00Z'];

const CHECK = {
  id: 'check',
  messageTemplate: '{{ host }} is {{ state }}',
  wakeMode: 'next-heartbeat',
  deliver: true,
} as const;
const NOTE = {
  id: 'note',
  action: 'wake',
  textTemplate: '{{ text }}',
  wakeMode: 'next-heartbeat',
} as const;
const LOG = { id: 'log', action: 'ignore' } as const;

const configuration = (mappings: readonly object[], more: object = {}) => ({
  hooks: { enabled: true, token: TOKEN, mappings, ...more },
  agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
  channels: { chan_2: { provider: 'telegram', token: '123:telegram-token-of-the-test', to: '5' } },
  store: { dir: './data' },
});

/** Events of two minutes, and what became of them. */
describe('hooks simulate', () => {
  let old: ConfigDirectory;
  let next: ConfigDirectory;
  let hooks: Hooks;
  let clock: ManualClock;
  beforeAll(async () => {
    old = new ConfigDirectory().write('gateway.json5', configuration([CHECK, NOTE, LOG]));
    clock = new ManualClock();
    hooks = await Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' } } },
      clock,
      defaultSessionKey: undefined,
      mappings: [CHECK, NOTE, LOG],
      ledger: sqliteLedger({ dir: join(old.path, 'data') }),
    });
    hooks.runner.reply = ({ prompt }) =>
      (/(\w+) is down/.exec(prompt)?.[1] ?? 'all') + ' is looked at';
    hooks.runner.extras = { usage: { inputTokens: 100, outputTokens: 10 } };
    for (const host of ['db1', 'db2', 'web']) {
      const { eventId } = await hooks.ask('/check', { host, state: 'down' });
      await hooks.ended(eventId);
      clock.advance(MINUTE);
    }
    await hooks.ask('/note', { text: 'lunch' });
    await hooks.ask('/wake', { text: 'wake up', mode: 'now' });
    await hooks.ask('/log', { level: 'info' });
  });
  beforeEach(() => (next = new ConfigDirectory()));
  afterEach(() => next[Symbol.dispose]());
  afterAll(async () => {
    await hooks.close();
    old[Symbol.dispose]();
  });

  const simulate = async (content: object, ...args: string[]) => {
    next.write('gateway.json5', content);
    const call = ['simulate', ...TIME, '--config', next.path, ...args];
    return hooksCall(call, { cwd: old.path });
  };
  const changes = async (content: object, ...args: string[]) => {
    const { code, stdout, stderr } = await simulate(content, '--json', ...args);
    expect(stderr).toBe('');
    return { code, ...JSON.parse(stdout) };
  };

  it('says that nothing changes by the same configuration, and what was', async () => {
    const found = await changes(configuration([CHECK, NOTE, LOG]));
    expect(found).toMatchObject({
      code: 0,
      events: 6,
      changed: 0,
      examples: [],
      recorded: { runs: 3, messages: 3, tokens: 330, unknown: 0 },
      before: { runs: 3, messages: 3, tokens: 330, wakes: 2, heartbeats: 1, skipped: 1 },
    });
    expect(found.after).toEqual(found.before);
  });

  /** What the check of the first host becomes. */
  const changedCheck = async (check: object) => {
    const { code, changed, examples, after } = await changes(
      configuration([{ ...CHECK, ...check }, NOTE, LOG]),
    );
    expect(code).toBe(1);
    return { changed, after, what: examples[0]?.changes };
  };

  it('says which prompts change, and that nobody knows what their runs would cost', async () => {
    const { changed, after, what } = await changedCheck({ messageTemplate: '{{ host }} is off' });
    expect(changed).toBe(3);
    expect(after).toMatchObject({ runs: 3, messages: 3, tokens: 0, unknown: 3 });
    expect(what).toMatchObject([
      {
        what: 'run 1, prompt',
        before: expect.stringContaining('db1 is down'),
        after: expect.stringContaining('db1 is off'),
      },
      { what: 'message 1', before: 'chan_2, 5: db1 is looked at', after: 'chan_2, 5: unknown' },
    ]);
  });

  it('takes no answer of another model for one', async () => {
    const { after, what } = await changedCheck({ model: 'other/model' });
    expect(after).toMatchObject({ runs: 3, unknown: 3 });
    expect(what).toContainEqual({ what: 'run 1, model', before: null, after: 'other/model' });
  });

  it('gathers on a clock of its own', async () => {
    const { changed, after, what } = await changedCheck({ collect: { for: '10m' } });
    expect(changed).toBe(3);
    expect(after).toMatchObject({ runs: 1, messages: 1, unknown: 1 });
    expect(what).toContainEqual({
      what: 'run 1, begins',
      before: '2026-01-01T00:00:00.000Z',
      after: '2026-01-01T00:10:00.000Z',
    });
  });

  it('leaves out what a limit leaves out, and what is held comes later', async () => {
    const skipped = await changedCheck({ limit: { runs: 2, per: '1h', then: 'skip' } });
    expect(skipped).toMatchObject({ changed: 1, after: { runs: 2, messages: 2, tokens: 220 } });
    expect(skipped.what[0]).toMatchObject({
      after: expect.stringMatching(/skipped: more than 2 runs/),
    });
    const held = await changedCheck({ limit: { runs: 2, per: '1h' } });
    expect(held).toMatchObject({ changed: 1, after: { runs: 3, tokens: 330 } });
    expect(held.what).toMatchObject([
      { what: 'run 1, begins', after: '2026-01-01T01:00:00.000Z' },
      { what: 'message 1, sent', after: '2026-01-01T01:00:00.000Z' },
    ]);
  });

  it('holds messages in quiet hours', async () => {
    const quietHours = { from: '22:00', to: '07:00', timezone: 'UTC' };
    const { what, after } = await changedCheck({ quietHours });
    // As one, which tells of all.
    expect(after).toMatchObject({ messages: 1 });
    const after7 = { what: 'message 1, sent', after: '2026-01-01T07:00:00.000Z' };
    expect(what).toMatchObject([{ what: 'message 1' }, after7]);
  });

  it('knows repeats, what is skipped, what is refused and what moves', async () => {
    const repeated = await changedCheck({ dedupeKey: '{{ state }}' });
    expect(repeated).toMatchObject({ changed: 2, after: { repeats: 2, runs: 1 } });
    const refused = await changes(configuration([NOTE, LOG]));
    expect(refused).toMatchObject({ code: 1, changed: 3, after: { refused: 3, runs: 0 } });
    expect(refused.hooks).toMatchObject([
      { hook: 'check', before: { runs: 3 }, after: { runs: 0 } },
    ]);
    expect(
      await changes(configuration([{ id: 'check', action: 'ignore' }, NOTE, LOG])),
    ).toMatchObject({ changed: 3, after: { skipped: 4 } });
    const wakes = await changes(configuration([CHECK, { ...NOTE, wakeMode: 'now' }, LOG]));
    // That of the note and of the wake that came in the same moment is one.
    expect(wakes).toMatchObject({
      changed: 1,
      before: { heartbeats: 1 },
      after: { heartbeats: 1 },
    });
    expect(await changes(configuration([CHECK, NOTE, LOG], { enabled: false }))).toMatchObject({
      changed: 6,
      after: { refused: 6 },
    });
  });
});
