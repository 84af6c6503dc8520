import { readFile } from 'node:fs/promises';
import { GATEWAY_NAMES, checkOptions } from '../../src/hooks/index.ts';
import { Sessions, EventStore } from '../../src/hooks/ports/index.ts';
import { asWritten } from '../support/as-written.ts';
import { FastClock } from '../support/clocks.ts';
import {
  ATTEMPTS,
  CARELESS_TRANSFORM,
  CONTROL_FIELDS,
  FORBIDDEN,
  NOT_CONTROL,
  PERMISSIVE,
  WAYS,
  REQUESTED,
  readControl,
  buildTemplate,
} from '../support/control-attempts.ts';
import type { Attempt, ControlField, Way } from '../support/control-attempts.ts';
import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks } from '../support/hooks.ts';
import { TransformFiles } from '../support/transforms.ts';

/**
 * `policy`: what the lists allow is taken, everything else refused. `derived`: only behind literal
 * words of the mapping. `once`: for this reply, never remembered. `verbatim`: the placeholder stays text.
 * `checked`: the values of the field, everything else fails. `fails`: whatever it says, the transform counts as broken.
 * `refused at start`: such a mapping is a configuration error. `ignored`: nothing changes.
 */
type Cell =
  'policy' | 'derived' | 'once' | 'verbatim' | 'checked' | 'fails' | 'refused at start' | 'ignored';

type Row = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell];

/** A row without a word for headers, query and source name: they are content, whatever they are called. */
const row = (agent: Cell, mapped: Cell, template: Cell, transform: Cell): Row => [
  agent,
  mapped,
  template,
  'ignored',
  'ignored',
  'ignored',
  transform,
];

/** The columns are {@link WAYS}, in order. */
const ROWS: Readonly<Record<ControlField, Row>> = {
  agentId: row('policy', 'ignored', 'refused at start', 'policy'),
  sessionKey: row('policy', 'ignored', 'derived', 'derived'),
  sessionMode: row('ignored', 'ignored', 'refused at start', 'fails'),
  model: row('policy', 'ignored', 'policy', 'policy'),
  thinking: row('policy', 'ignored', 'policy', 'checked'),
  channel: row('policy', 'ignored', 'refused at start', 'checked'),
  to: row('once', 'ignored', 'once', 'once'),
  deliver: row('policy', 'ignored', 'refused at start', 'checked'),
  wakeMode: row('policy', 'ignored', 'refused at start', 'checked'),
  allowUnsafeExternalContent: row('ignored', 'ignored', 'refused at start', 'fails'),
  instructions: row('ignored', 'ignored', 'verbatim', 'fails'),
  task: row('ignored', 'ignored', 'verbatim', 'fails'),
};

let hooks: Hooks;
let files: TransformFiles;

beforeAll(async () => {
  files = new TransformFiles().write('transforms/careless.js', CARELESS_TRANSFORM);
  // What comes by itself after some time would look like an effect of whatever is tried just then.
  const defaults = {
    ...PERMISSIVE.agents?.defaults,
    notify: false as const,
    heartbeat: { every: '0m' },
  };
  hooks = await Hooks.start({
    ...PERMISSIVE,
    agents: { ...PERMISSIVE.agents, defaults },
    configDir: files.path,
    clock: new FastClock(),
  });
});

afterAll(async () => {
  await hooks.close();
  files[Symbol.dispose]();
});

async function happenedOn({ path, body, headers }: Attempt) {
  const answer = await hooks.ask(path, body, headers);
  expect(answer.status).toBe(200);
  return readControl(await hooks.ended(answer['eventId']));
}

async function lastRoute() {
  const { last } = await hooks.app.get(Sessions).routes('agent:main:main');
  return last;
}

async function traces({ app, journal }: Hooks): Promise<unknown[]> {
  const { events } = await app.get(EventStore).list({ limit: 1 });
  return [events[0]?.id, ...journal];
}

async function isRefused(attempts: readonly Attempt[], by = hooks): Promise<void> {
  const before = await traces(by);
  for (const { path, body } of attempts) {
    expect(await by.ask(path, body)).toMatchObject({ status: 400, ok: false });
  }
  expect(await traces(by)).toEqual(before);
}

async function fails(attempts: readonly Attempt[]): Promise<void> {
  const before = [...hooks.journal];
  for (const { path, body } of attempts) {
    const answer = await hooks.ask(path, body);
    expect(answer).toMatchObject({ status: 500, code: 'transform_failed' });
    const { runs, actions, status } = await hooks.ended(answer['eventId']);
    expect([status, runs, actions]).toEqual(['failed', [], []]);
  }
  expect(hooks.journal).toEqual(before);
}

async function isTaken(attempts: readonly Attempt[], field: ControlField, value: unknown) {
  for (const attempt of attempts) expect((await happenedOn(attempt))[field]).toBe(value);
}

const PROOFS: Readonly<Record<Cell, (field: ControlField, way: Way) => Promise<void>>> = {
  policy: async (field, way) => {
    await isRefused(ATTEMPTS[way](field, FORBIDDEN[field]!));
    await isTaken(ATTEMPTS[way](field, REQUESTED[field]), field, REQUESTED[field]);
  },
  checked: async (field, way) => {
    await fails(ATTEMPTS[way](field, FORBIDDEN[field]!));
    await isTaken(ATTEMPTS[way](field, REQUESTED[field]), field, REQUESTED[field]);
  },
  fails: (field, way) => fails(ATTEMPTS[way](field, REQUESTED[field])),
  derived: async (field, way) => {
    const begin = way === 'template' ? '' : 'hook:of:';
    for (const value of ['main', 'agent:ops:main', 'a b\nc']) {
      const expected = `hook:of:${encodeURIComponent(value).replaceAll('%3A', ':')}`;
      await isTaken(ATTEMPTS[way](field, `${begin}${value}`), field, expected);
    }
    const beside = way === 'template' ? [] : ['main', 'agent:main:hook:of:x', 'hook:asked'];
    const tooLong = `${begin}${'x'.repeat(249)}`;
    await isRefused([...beside, tooLong].flatMap((value) => ATTEMPTS[way](field, value)));
  },
  once: async (field, way) => {
    const before = await lastRoute();
    await isTaken(ATTEMPTS[way](field, REQUESTED[field]), field, REQUESTED[field]);
    expect(await lastRoute()).toEqual(before);
    expect(before?.to).not.toBe(REQUESTED[field]);
  },
  verbatim: (field, way) =>
    isTaken(ATTEMPTS[way](field, REQUESTED[field]), field, buildTemplate(field)),
  'refused at start': async (field) => {
    const mappings = [{ id: 'm', [field]: buildTemplate(field) }];
    const { problems } = await checkOptions(asWritten({ mappings }), GATEWAY_NAMES);
    expect(problems.map(({ key }) => key)).toEqual([`hooks.mappings[0].${field}`]);
  },
  ignored: async (field, way) => {
    for (const attempt of ATTEMPTS[way](field, REQUESTED[field])) {
      const path = attempt.path.split('?')[0]!;
      const usual = { path, body: { message: attempt.body['message'] } };
      const [happened, expected] = await Promise.all([happenedOn(attempt), happenedOn(usual)]);
      expect(happened).toEqual(expected);
      expect(happened[field]).not.toBe(REQUESTED[field]);
    }
  },
};

const cells = CONTROL_FIELDS.flatMap((field) =>
  WAYS.map((way, column) => ({ field, way, cell: ROWS[field][column]! })),
);

describe('control never comes from content (issue 3.4)', () => {
  it.each(cells)('$field by $way: $cell', ({ field, way, cell }) => PROOFS[cell](field, way));

  it('is what docs/security.md says', async () => {
    const page = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8');
    const [, behind = ''] = page.split('## Control never comes from content');
    const [section = ''] = behind.split('\n## ');
    const rows = Array.from(section.matchAll(/^\| `(\w+)` +\|(.+)\|$/gmu), ([, field, rest]) => [
      field,
      rest!.split('|').map((cell) => cell.trim()),
    ]);
    expect(Object.fromEntries(rows)).toEqual(ROWS);
    const [, names = ''] = /^A transform also sets (.+?): /mu.exec(section) ?? [];
    const listed = Array.from(names.matchAll(/`(\w+)`/gu), ([, name]) => name);
    expect(new Set(listed)).toEqual(new Set(Object.keys(NOT_CONTROL)));
  });
});

describe('what a transform says beside control', () => {
  async function getDetails(result: object) {
    const answer = await hooks.ask('/transform-model', { result });
    expect(answer.status).toBe(200);
    return hooks.ended(answer['eventId']);
  }
  const attempt = (result: object): Attempt => ({ path: '/transform-model', body: { result } });

  it('are the words and the time of a run; they stay inside the fence', async () => {
    const given = { kind: 'agent', name: 'n', timeoutSeconds: 9 };
    const details = await getDetails({ ...given, message: 'other words' });
    expect(details.actions).toMatchObject([given]);
    expect(readForeignContent(details.runs[0]?.prompt ?? null)).toBe('other words');
    expect(readControl(details)).toMatchObject({
      allowUnsafeExternalContent: false,
      instructions: '',
    });
    expect(details.runs[0]?.contract).toMatchObject({ trust: 'untrusted', allowedTools: [] });
  });

  it('is a line instead of a run, as foreign as the run would have been', async () => {
    const given = { kind: 'wake', mode: 'next-heartbeat', agentId: 'ops' };
    const { actions, runs } = await getDetails({ ...given, text: 'a line' });
    expect(actions).toMatchObject([{ ...given, trust: { level: 'untrusted' } }]);
    expect(runs).toEqual([]);
    const session = await hooks.app.get(EventStore).session('agent:ops:main', { limit: 200 });
    expect(session?.pendingSystemEvents.at(-1)).toMatchObject({ text: 'a line' });
  });

  it('is a line for an agent that the policy allows, and for nobody else', () =>
    isRefused([attempt({ kind: 'wake', text: 'x', agentId: FORBIDDEN.agentId })]));

  const others = CONTROL_FIELDS.filter((field) => field !== 'agentId');
  it.each(others)('is a line without %s', (field) =>
    fails([attempt({ kind: 'wake', text: 'x', [field]: REQUESTED[field] })]),
  );
});

describe('a field of an agent request that nobody reads (behaviour §2)', () => {
  it.each(['sessionMode', 'allowUnsafeExternalContent', 'instructions', 'task'] as const)(
    '%s is named in the answer',
    async (field) => {
      const [attempt] = ATTEMPTS['agent field'](field, REQUESTED[field]);
      const answer = await hooks.ask('/agent', attempt!.body);
      expect(answer['warnings']).toEqual([`unknown field ${field} ignored`]);
      await hooks.ended(answer['eventId']);
    },
  );

  it('a session is refused unless the operator allows it', async () => {
    const strict = await Hooks.start();
    await isRefused(ATTEMPTS['agent field']('sessionKey', 'hook:asked'), strict);
    expect(await strict.stored()).toBe(0);
    await strict.close();
  });
});
