import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const TIME = ['--since', '2025-12-31T00:00:00Z', '--until', '2026-01-03T00:00:00Z'];
const MINUTE = 60_000;
const EVENTS = 40;
const CASES = 40;

interface Sent {
  readonly path: string;
  readonly host: string;
  readonly level: string;
}

type Mapping = Readonly<Record<string, unknown>> & { readonly id: string };
interface Configured {
  readonly mappings: readonly Mapping[];
  readonly hooks: object;
  readonly defaults: object;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PRESENT: Configured = {
  mappings: ['red', 'green', 'blue'].map((id) => ({
    id,
    messageTemplate: '{{ host }} says {{ level }}',
    wakeMode: 'next-heartbeat',
  })),
  hooks: {},
  defaults: {},
};

const edit = (now: Configured, id: string, fields: object): Configured => ({
  ...now,
  mappings: now.mappings.map((one) => (one.id === id ? { ...one, ...fields } : one)),
});

/** Changes, and of which events of their mapping the outcome becomes another. */
const CHANGES: Readonly<
  Record<
    string,
    readonly [fields: object, isChanged: (sent: Sent, at: number, all: readonly Sent[]) => boolean]
  >
> = {
  'another template': [{ messageTemplate: '{{ host }} says so: {{ level }}' }, () => true],
  'another template for some': [
    { messageTemplate: '{{ host }} says {{ level | max 4 }}' },
    ({ level }) => level === 'error',
  ],
  'a condition': [{ when: { 'payload.level': 'error' } }, ({ level }) => level !== 'error'],
  instructions: [{ instructions: 'Be short.' }, () => true],
  'an agent': [{ agentId: 'second' }, () => true],
  'a session': [{ sessionKey: 'hook:{{ payload.host }}' }, () => true],
  'a model': [{ model: 'other/model' }, () => true],
  'no message': [{ deliver: false }, () => true],
  'another recipient': [{ channel: 'chan_2', to: '77' }, () => true],
  trust: [{ allowUnsafeExternalContent: true }, () => true],
  'a key': [
    { dedupeKey: '{{ payload.host }}' },
    ({ host }, at, all) => all.findIndex((one) => one.host === host) < at,
  ],
  'a limit': [{ limit: { runs: 2, per: '24h', then: 'skip' } }, (_sent, at) => at >= 2],
};

/** Changes that change nothing. */
const NO_OPS: Readonly<Record<string, (now: Configured, id: string) => Configured>> = {
  'keys in another order': (now, id) => ({
    ...now,
    mappings: now.mappings.map((one) =>
      one.id === id ? { id, ...Object.fromEntries(Object.entries(one).toReversed()) } : one,
    ),
  }),
  'a mapping of another path': (now) => ({
    ...now,
    mappings: [{ id: 'other', match: { path: 'other' }, action: 'ignore' }, ...now.mappings],
  }),
  'a wide limit': (now, id) => edit(now, id, { limit: { runs: EVENTS, per: '1h' } }),
  'a queue': (now, id) => edit(now, id, { maxQueued: 1000 }),
  'a busy session that never is': (now, id) => edit(now, id, { whenBusy: 'queue' }),
  'a larger body': (now) => ({ ...now, hooks: { ...now.hooks, maxBodyBytes: 1_000_000 } }),
  'more at once': (now) => ({ ...now, defaults: { ...now.defaults, maxConcurrent: 32 } }),
  'quiet hours of the night': (now, id) =>
    edit(now, id, { quietHours: { from: '20:00', to: '22:00', timezone: 'UTC' } }),
};

describe('hooks simulate finds', () => {
  const random = randomOf(20261128);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const sent: readonly Sent[] = Array.from({ length: EVENTS }, () => ({
    path: pick(['red', 'green', 'blue']),
    host: pick(['db1', 'db2', 'web']),
    level: pick(['info', 'error']),
  }));
  const cases = Array.from({ length: CASES }, (_, at) => ({
    at,
    id: pick(PRESENT.mappings).id,
    change: random() < 0.3 ? null : pick(Object.keys(CHANGES)),
    noOp: pick(Object.keys(NO_OPS)),
  }));
  let old: ConfigDirectory;
  let next: ConfigDirectory;
  beforeAll(async () => {
    old = new ConfigDirectory().write('gateway.json5', written(PRESENT));
    next = new ConfigDirectory();
    const clock = new ManualClock();
    const hooks = await Hooks.start({
      clock,
      agents: { defaults: { heartbeat: { every: '0m' } } },
      defaultSessionKey: undefined,
      mappings: PRESENT.mappings,
      ledger: sqliteLedger({ dir: join(old.path, 'data') }),
    });
    for (const { path, host, level } of sent) {
      const { eventId } = await hooks.ask(`/${path}`, { host, level });
      await hooks.ended(eventId);
      clock.advance(MINUTE);
    }
    await hooks.close();
  });
  afterAll(() => {
    old[Symbol.dispose]();
    next[Symbol.dispose]();
  });

  it.each(cases)('$at: $change in $id, beside $noOp', async ({ id, change, noOp }) => {
    const same = NO_OPS[noOp]!(PRESENT, id);
    const [fields, isChanged] = CHANGES[change ?? ''] ?? [{}, () => false];
    next.write('gateway.json5', written(edit(same, id, fields)));
    const args = ['simulate', ...TIME, '--config', next.path, '--json'];
    const { code, stdout, stderr } = await hooksCall(args, { cwd: old.path });
    expect(stderr).toBe('');
    const own = sent.filter(({ path }) => path === id);
    const expected = own.filter((one, at) => isChanged(one, at, own)).length;
    expect(JSON.parse(stdout)).toMatchObject({ events: EVENTS, changed: expected });
    expect(code).toBe(expected === 0 ? 0 : 1);
  });
});

function written({ mappings, hooks, defaults }: Configured): object {
  return {
    hooks: { enabled: true, token: TOKEN, mappings, ...hooks },
    agents: {
      list: [{ id: 'main', default: true }, { id: 'second' }],
      defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' }, ...defaults },
    },
    channels: {
      chan_2: { provider: 'telegram', token: '123:telegram-token-of-the-test', to: '5' },
    },
    store: { dir: './data' },
  };
}
