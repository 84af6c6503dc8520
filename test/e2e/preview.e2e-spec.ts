import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorRequests, sqliteLedger } from '../../src/index.ts';
import type { Preview, PreviewRequest } from '../../src/options.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

const CONFIG_DIR = join(import.meta.dirname, '../fixtures/preview');
const MAPPINGS = [
  { id: 'ci', match: { path: 'ci', source: 'drone' }, messageTemplate: 'Drone: {{ text }}' },
  {
    id: 'ci-all',
    match: { path: 'ci' },
    name: 'CI',
    messageTemplate: 'Build {{ number }} of {{ headers.x-branch }} ({{ query.by }})',
    instructions: 'Say who broke it.',
    sessionKey: 'hook:ci:{{ number }}',
    dedupeKey: '{{ number }}',
  },
  { id: 'ci-late', match: { path: 'ci' }, action: 'wake' as const },
  { id: 'each', forEach: 'items', messageTemplate: 'Item {{ item }}' },
  {
    id: 'calls',
    messageTemplate: '{{ payload.name }} {{ payload.payload.at }} {{ event }}',
    to: '{{ query.chat }}',
  },
  { id: 'loud', transform: { module: 'loud.ts' } },
  { id: 'broken', transform: { module: 'broken.ts' } },
];

let hooks: Hooks;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'hooks-preview-'));
  hooks = await Hooks.start({
    ledger: sqliteLedger({ dir }),
    configDir: CONFIG_DIR,
    mappings: MAPPINGS,
    agents: { defaults: { heartbeat: { every: '0m' } } },
  });
});
afterAll(async () => {
  await hooks.close();
  rmSync(dir, { recursive: true });
});

function preview(request: PreviewRequest): Promise<Preview> {
  return hooks.app.get(OperatorRequests).preview(request);
}

function withoutIds(prompt: string): string {
  return prompt.replaceAll(/id="[0-9a-f]{32}"/g, 'id').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
}

describe('preview', () => {
  it('warns of a path that a root of templates hides in this payload', async () => {
    const body = { event: 'made', payload: { name: 'Ann', at: 'noon' }, query: { chat: '7' } };
    const { warnings, actions } = await preview({ hook: 'calls', payload: body });
    expect(actions).toMatchObject([{ message: ' noon made' }]);
    expect(warnings).toEqual([
      'mapping "calls": {{ payload.name }} finds nothing, because payload is a root of templates; for the payload\'s own field payload write {{ payload.payload.name }}',
      'mapping "calls": {{ query.chat }} finds nothing, because query is a root of templates; for the payload\'s own field query write {{ payload.query.chat }}',
    ]);
    const { warnings: none } = await preview({ hook: 'calls', payload: { name: 'Ann', event: 1 } });
    expect(none).toEqual([]);
  });

  it('says which mapping takes the request, and why each other does not', async () => {
    const { mapping, considered } = await preview({ hook: 'ci', payload: { number: 7 } });
    expect(mapping).toBe('ci-all');
    expect(considered.slice(0, 4)).toEqual([
      {
        mapping: 'ci',
        takes: false,
        samePath: true,
        because: 'its source is "drone", the payload has none',
      },
      { mapping: 'ci-all', takes: true, samePath: true, because: 'it is the first that fits' },
      {
        mapping: 'ci-late',
        takes: false,
        samePath: true,
        because: 'it would fit, but "ci-all" comes first',
      },
      {
        mapping: 'each',
        takes: false,
        samePath: false,
        because: 'its path is "each", the request\'s "ci"',
      },
    ]);
  });

  it('shows the action and the very prompt that the agent is given when it is sent', async () => {
    const headers = { 'X-Branch': 'main', Authorization: 'Bearer secret' };
    const request = { hook: 'ci', payload: { number: 7 }, headers, query: { by: 'ada' } };
    const { actions, ms } = await preview(request);
    expect(actions).toMatchObject([
      { kind: 'agent', name: 'CI', sessionKey: 'hook:ci:7', dedupeKey: '7', agentId: 'main' },
    ]);
    expect(ms).toBeGreaterThan(0);
    const { eventId } = await hooks.ask('/ci?by=ada', request.payload, { 'x-branch': 'main' });
    await hooks.ended(eventId);
    const run = hooks.runner.turns.find(({ kind }) => kind === 'run');
    expect(run?.prompt).toContain('Build 7 of main (ada)');
    expect(withoutIds(actions[0]?.prompt ?? '')).toBe(withoutIds(run?.prompt ?? ''));
  });

  it('shows of a wake the very prompt of the heartbeat that it asks for', async () => {
    // Tells what other tests have left for it.
    await hooks.ended((await hooks.ask('/wake', { text: 'before' }))['eventId']);
    const payload = { text: 'disk really full' };
    const { actions } = await preview({ hook: 'wake', payload });
    await hooks.ended((await hooks.ask('/wake', payload))['eventId']);
    const heartbeat = hooks.runner.turns.findLast(({ kind }) => kind === 'heartbeat');
    expect(withoutIds(actions[0]?.prompt ?? '')).toBe(withoutIds(heartbeat?.prompt ?? ''));
    expect(heartbeat?.prompt).toMatch(/^This is a check; nobody asked you anything\./u);
  });

  it('shows every action of a list', async () => {
    const { actions } = await preview({ hook: 'each', payload: { items: ['a', 'b'] } });
    expect(actions.map(({ prompt }) => /Item \w/.exec(prompt)?.[0])).toEqual(['Item a', 'Item b']);
  });

  it('shows what a transform made and wrote', async () => {
    const { actions, console } = await preview({ hook: 'loud', payload: { a: 1 } });
    expect(actions).toMatchObject([{ prompt: expect.stringContaining('loud: 1') }]);
    expect(console).toEqual([expect.stringContaining('seen 1')]);
  });

  it('shows why a transform broke, and what the sender would be told of it', async () => {
    const { actions, refusal, failure } = await preview({ hook: 'broken', payload: {} });
    expect(actions).toEqual([]);
    expect(refusal).toMatchObject({ status: 500, code: 'transform_failed' });
    expect(failure).toContain('nothing works');
  });

  it.each([
    ['nowhere', {}, 404, 'unknown_hook'],
    ['agent', { message: ' ' }, 400, 'invalid_payload'],
    ['agent', { message: 'x', sessionKey: 's' }, 400, 'session_key_not_allowed'],
    ['each', { items: 7 }, 400, 'invalid_payload'],
  ])('shows the refusal of %s %j', async (hook, payload, status, code) => {
    const { actions, refusal } = await preview({ hook, payload });
    expect({ actions, refusal }).toMatchObject({ actions: [], refusal: { status, code } });
  });
});

describe('preview of an event', () => {
  it('says when there is no such event', async () => {
    expect(await hooks.app.get(OperatorRequests).previewEvent('no-such-event')).toBe('unknown');
  });
});

describe('preview has no effect whatsoever', () => {
  it('leaves every row of the ledger, the agents and the channels as they are', async () => {
    const { eventId } = await hooks.ask('/wake', { text: 'x', mode: 'next-heartbeat' });
    await eventually('the search index has followed, and its last row alone stays', isFollowed);
    const before = { ledger: digest(dir), journal: [...hooks.journal] };
    for (const [hook, payload] of [
      ['wake', { text: 'now' }],
      ['agent', { message: 'hello', idempotencyKey: 'k' }],
      ['ci', { number: 8 }],
      ['each', { items: ['a', 'b'] }],
      ['loud', { a: 1 }],
      ['broken', {}],
      ['nowhere', {}],
    ] as const) {
      await preview({ hook, payload });
    }
    await hooks.app.get(OperatorRequests).previewEvent(String(eventId));
    expect({ ledger: digest(dir), journal: hooks.journal }).toEqual(before);
  });
});

function isFollowed(): boolean {
  using db = new DatabaseSync(join(dir, 'ledger.db'), { readOnly: true });
  return db.prepare('SELECT count(*) AS rows FROM changed_texts').get()?.['rows'] === 1;
}

/** Of every row of the ledger: its files also change when the log is moved into the database, whoever wrote it. */
function digest(directory: string): Record<string, string> {
  using db = new DatabaseSync(join(directory, 'ledger.db'), { readOnly: true });
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`);
  // Figures of what was before are written a moment later.
  const names = tables.all().map(({ name }) => String(name));
  const rowsOf = (name: string): string => {
    // Whether it can be written is found out by writing, now and then.
    const others = name === 'meta' ? `WHERE key <> 'probed'` : '';
    const rows = db.prepare(`SELECT * FROM ${name} ${others}`);
    rows.setReadBigInts(true);
    return JSON.stringify(rows.all(), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  };
  return Object.fromEntries(
    names
      .filter((name) => name !== 'activity')
      .map((name) => [name, createHash('sha256').update(rowsOf(name)).digest('hex')]),
  );
}
