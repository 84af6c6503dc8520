import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Intake, LedgerAdmin, Maintenance } from '../../src/hooks/index.ts';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { LIMITS, event } from '../contracts/ledger/events.ts';
import { hooksCall } from '../support/cli-call.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const BLOCK = new URL('../support/no-sockets.ts', import.meta.url).href;
/** Whatever would connect, listen or look a name up kills the process. */
const NO_SOCKETS = { NODE_OPTIONS: `--no-warnings --import=${BLOCK}` };

const CHECK = {
  id: 'check',
  messageTemplate: '{{ host }} is {{ state }}\nat {{ now }}',
  wakeMode: 'next-heartbeat',
} as const;
const NOTE = {
  id: 'note',
  action: 'wake',
  textTemplate: '{{ text }}',
  wakeMode: 'next-heartbeat',
} as const;
const TOLD = {
  id: 'told',
  action: 'deliver',
  messageTemplate: '{{ text }}',
  channel: 'chan_2',
} as const;
const LOG = { id: 'log', action: 'ignore' } as const;
const MAPPINGS = [CHECK, NOTE, TOLD, LOG];

const configuration = (mappings: readonly object[], hooks: object = {}) => ({
  hooks: { enabled: true, token: TOKEN, mappings, ...hooks },
  agents: {
    list: [{ id: 'main', default: true }, { id: 'second' }],
    defaults: { model: 'own/large', heartbeat: { every: '1m' } },
  },
  models: {
    providers: {
      own: { type: 'openai-compatible', baseUrl: 'https://models.example.com/v1', apiKey: 'a-key' },
    },
  },
  channels: {
    chan_2: { provider: 'telegram', token: '123:telegram-token-of-the-test', to: '5' },
    chan_3: { provider: 'discord', token: 'discord-token-of-the-test', to: '12345678901234567' },
  },
  store: { dir: './data' },
});

const checked = (fields: object) => configuration([{ ...CHECK, ...fields }, NOTE, TOLD, LOG]);

describe('hooks preview --recent', () => {
  let old: ConfigDirectory;
  let next: ConfigDirectory;
  let hooks: Hooks;
  const ids: Record<string, unknown> = {};
  beforeAll(async () => {
    old = new ConfigDirectory().write('gateway.json5', configuration(MAPPINGS));
    const clock = new ManualClock();
    hooks = await Hooks.start({
      clock,
      agents: { defaults: { heartbeat: { every: '0m' } } },
      defaultSessionKey: undefined,
      mappings: MAPPINGS,
      ledger: sqliteLedger({ dir: join(old.path, 'data') }),
    });
    const accept = async (path: string, body: object) => {
      const { eventId } = await hooks.ask(`/${path}`, body);
      ids[path] = eventId;
      // A wake is over with a heartbeat.
      if (path !== 'note') await hooks.ended(eventId);
      clock.advance(60_000);
    };
    await accept('log', { forgotten: true });
    const now = clock.now();
    const { app } = hooks;
    await app.get(Maintenance).prune({ eventsBefore: 0, payloadsBefore: now, now });
    await accept('told', { text: 'erased' });
    await app.get(LedgerAdmin).forget(String(ids['told']));
    const request = { ...event().request, verifiedBy: 'callback', path: 'runs/of-the-past' };
    await app.get(Intake, { strict: false }).accept(event({ request }), LIMITS);
    await accept('check', { host: 'db1', state: 'down' });
    await accept('note', { text: 'lunch' });
    await accept('told', { text: 'hello' });
    await accept('log', { level: 'info' });
  });
  beforeEach(() => (next = new ConfigDirectory()));
  afterEach(() => next[Symbol.dispose]());
  afterAll(async () => {
    await hooks.close();
    old[Symbol.dispose]();
  });

  const tried = async (content: object) => {
    next.write('gateway.json5', content);
    const args = ['preview', '--recent', '10', '--config', next.path, '--json'];
    const { code, stdout, stderr } = await hooksCall(args, { cwd: old.path });
    expect(stderr).toBe('');
    const { events }: { events: readonly { hook: string; verdict: string }[] } = JSON.parse(stdout);
    const others = events.filter(
      ({ verdict }) => !['same', 'no longer stored', 'a callback'].includes(verdict),
    );
    expect(code).toBe(others.length === 0 ? 0 : 1);
    return others;
  };

  it('says of each event that nothing changes, and which it could not compare', async () => {
    const args = ['preview', '--recent', '10', '--config', '.'];
    const { code, stdout, stderr } = await hooksCall(args, { cwd: old.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\S+Z (\S+) \S+: /, '$1: '))).toEqual([
      'log: same',
      'told: same',
      'note: same',
      'check: same',
      'wake: a callback',
      'told: no longer stored',
      'log: no longer stored',
      '7 events: 4 same, 2 no longer stored, 1 a callback',
    ]);
    expect(lines[3]).toContain(String(ids['check']));
    const newest = await hooksCall(['preview', '--recent', '1', '--config', '.'], {
      cwd: old.path,
    });
    expect(newest.stdout).toMatch(/ log \S+: same\n1 event: 1 same\n$/);
  });

  it.each<[object, string, object]>([
    [
      { messageTemplate: '{{ host }} is {{ state }}\nsince {{ now }}' },
      'other prompt',
      {
        what: 'prompt',
        before: expect.stringMatching(/^at 20\d\d-/),
        after: expect.stringMatching(/^since 20\d\d-/),
      },
    ],
    [{ instructions: 'Be short.' }, 'other prompt', { what: 'prompt' }],
    [
      { agentId: 'second' },
      'other agent or session',
      { what: 'agentId', before: 'main', after: 'second' },
    ],
    [{ channel: 'chan_3', deliver: true }, 'other agent or session', { what: 'deliver' }],
    [
      { action: 'ignore', messageTemplate: undefined, wakeMode: undefined },
      'skipped',
      { what: 'outcome', before: 'agent' },
    ],
    [
      { when: { 'payload.state': 'up' } },
      'skipped',
      { what: 'outcome', after: expect.stringContaining('payload.state') },
    ],
    [
      { transform: { module: 'broken.mjs' } },
      'failed',
      { what: 'outcome', after: expect.stringContaining('it broke') },
    ],
  ])('%j: %s', async (fields, verdict, difference) => {
    next.writeTransform('broken.mjs', `export default () => { throw new Error('it broke'); };`);
    expect(await tried(checked(fields))).toEqual([
      expect.objectContaining({
        event: ids['check'],
        hook: 'check',
        verdict,
        differences: expect.arrayContaining([expect.objectContaining(difference)]),
      }),
    ]);
  });

  it('tells of messages, wakes, mappings that are gone, and hooks that are off', async () => {
    const told = { ...TOLD, messageTemplate: 'Told: {{ text }}' };
    expect(await tried(configuration([CHECK, NOTE, told, LOG]))).toMatchObject([
      {
        hook: 'told',
        verdict: 'other prompt',
        differences: [{ what: 'message', before: 'hello', after: 'Told: hello' }],
      },
    ]);
    const note = { ...NOTE, textTemplate: '{{ text }}!' };
    expect(await tried(configuration([CHECK, note, TOLD, LOG]))).toMatchObject([
      { hook: 'note', verdict: 'other prompt' },
    ]);
    expect(await tried(configuration([NOTE, TOLD, LOG]))).toMatchObject([
      { hook: 'check', verdict: 'failed', differences: [{ what: 'mapping' }, { what: 'outcome' }] },
    ]);
    const off = await tried(configuration(MAPPINGS, { enabled: false }));
    expect(off.map(({ verdict }) => verdict)).toEqual(Array(4).fill('failed'));
  });

  it('renames no change: another order, a mapping of another path, a rule', async () => {
    const limit = { runs: 100, per: '1h' };
    const other = { id: 'other', action: 'ignore' };
    const check = Object.fromEntries(Object.entries(CHECK).toReversed());
    const same = configuration([other, LOG, TOLD, NOTE, { ...check, limit }], {
      maxBodyBytes: 1e6,
    });
    expect(await tried(same)).toEqual([]);
  });

  it('opens no socket, and leaves ledger, channels, runner and configuration as they were', async () => {
    next.writeTransform('made.mjs', `export default () => ({ message: 'made' });`);
    next.write('gateway.json5', checked({ transform: { module: 'made.mjs' } }));
    const state = async () => ({
      events: await hooks.events(),
      journal: [...hooks.journal],
      files: [old.path, join(old.path, 'data'), next.path].map((dir) =>
        readdirSync(dir).toSorted(),
      ),
    });
    const before = await state();
    const args = ['preview', '--recent', '10', '--config', next.path];
    const place = { cwd: old.path, env: NO_SOCKETS };
    const { code, stdout, stderr } = await hooksCommand(args, place);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      / check \S+: other prompt\n {2}prompt\n {2}- db1 is down\n {2}\+ made\n/,
    );
    expect(stdout).toMatch(/^7 events: 3 same, 1 other prompt, 2 no longer stored, 1 a callback$/m);
    expect(await state()).toEqual(before);
  });

  it.each([
    [`await fetch('http://127.0.0.1:9999')`, 'SOCKET TCP.connect'],
    [`await (await import('node:dns/promises')).lookup('example.com')`, 'SOCKET dns.lookup'],
    [
      `new (await import('node:worker_threads')).Worker('fetch("http://127.0.0.1:9999")', { eval: true })`,
      'SOCKET TCP.connect',
    ],
  ])('(none can be opened there: %s)', async (code, said) => {
    const { promise: stderr, resolve } = Promise.withResolvers<string>();
    const args = ['--input-type=module', '-e', code];
    execFile(process.execPath, args, { env: NO_SOCKETS }, (_error, _out, text) => resolve(text));
    expect(await stderr).toBe(`${said}\n`);
  });

  it.each<[string, string[], string]>([
    ['no configuration', ['--recent', '5'], '--config'],
    ['no count', ['--config', '.'], '--recent'],
    ['no event', ['--recent', '0', '--config', '.'], 'a whole number from 1 to 1000'],
    ['a request of its own', ['github', '--recent', '5', '--config', '.'], 'alone'],
    ['a service', ['--recent', '5', '--config', '.', '--url', 'http://127.0.0.1:1'], 'alone'],
    ['a directory that is not there', ['--recent', '5', '--config', './none'], './none'],
  ])('ends with 2: %s', async (_name, args, said) => {
    const { code, stderr } = await hooksCall(['preview', ...args], { cwd: old.path });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
  });

  it('ends with 2 where a configuration has problems, or there is no ledger', async () => {
    next.write('gateway.json5', { hooks: { mapings: [] } });
    const args = ['preview', '--recent', '5', '--config'];
    expect(await hooksCall([...args, next.path], { cwd: old.path })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mapings'),
    });
    next.write('gateway.json5', configuration(MAPPINGS));
    expect(await hooksCall([...args, old.path], { cwd: next.path })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be used: there is none'),
    });
  });
});
