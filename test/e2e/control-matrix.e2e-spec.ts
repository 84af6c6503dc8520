import { readFile } from 'node:fs/promises';
import { checkOptions } from '../../src/hooks/index.ts';
import { Conversations } from '../../src/hooks/ports/index.ts';
import { asWritten } from '../support/as-written.ts';
import {
  ATTEMPTS,
  CONTROL_FIELDS,
  FORBIDDEN,
  PERMISSIVE,
  WAYS,
  WISHES,
  controlOf,
  templateOf,
} from '../support/control-attempts.ts';
import type { Attempt, ControlField, Way } from '../support/control-attempts.ts';
import { Hooks } from '../support/hooks.ts';

/**
 * `policy`: what the lists allow is taken, everything else refused. `taken`: any value. `derived`: only behind literal
 * words of the mapping. `once`: for this reply, never remembered. `verbatim`: the placeholder stays text.
 * `refused at start`: such a mapping is a configuration error. `ignored`: nothing changes.
 */
type Cell = 'policy' | 'taken' | 'derived' | 'once' | 'verbatim' | 'refused at start' | 'ignored';

/** The columns are {@link WAYS}, in order. */
const ROWS: Readonly<Record<ControlField, readonly [Cell, Cell, Cell, Cell, Cell, Cell]>> = {
  agentId: ['policy', 'ignored', 'refused at start', 'ignored', 'ignored', 'ignored'],
  sessionKey: ['policy', 'ignored', 'derived', 'ignored', 'ignored', 'ignored'],
  sessionMode: ['ignored', 'ignored', 'refused at start', 'ignored', 'ignored', 'ignored'],
  model: ['policy', 'ignored', 'policy', 'ignored', 'ignored', 'ignored'],
  thinking: ['policy', 'ignored', 'policy', 'ignored', 'ignored', 'ignored'],
  channel: ['policy', 'ignored', 'refused at start', 'ignored', 'ignored', 'ignored'],
  to: ['taken', 'ignored', 'once', 'ignored', 'ignored', 'ignored'],
  deliver: ['policy', 'ignored', 'refused at start', 'ignored', 'ignored', 'ignored'],
  wakeMode: ['policy', 'ignored', 'refused at start', 'ignored', 'ignored', 'ignored'],
  allowUnsafeExternalContent: [
    'ignored',
    'ignored',
    'refused at start',
    'ignored',
    'ignored',
    'ignored',
  ],
  instructions: ['ignored', 'ignored', 'verbatim', 'ignored', 'ignored', 'ignored'],
};

let hooks: Hooks;

beforeEach(async () => {
  hooks = await Hooks.start(PERMISSIVE);
});

afterEach(() => hooks.close());

/** What happened on an attempt, field by field. */
async function happenedOn({ path, body, headers }: Attempt) {
  const answer = await hooks.ask(path, body, headers);
  expect(answer.status).toBe(200);
  return controlOf(await hooks.ended(answer['eventId']));
}

async function lastRoute() {
  const { last } = await hooks.app.get(Conversations).routes('agent:main:main');
  return last;
}

async function isRefused(attempts: readonly Attempt[]): Promise<void> {
  for (const { path, body } of attempts) {
    expect(await hooks.ask(path, body)).toMatchObject({ status: 400, ok: false });
  }
  expect(await hooks.stored()).toBe(0);
  expect(hooks.journal).toEqual([]);
}

/** Each cell's word, proved by its effect. */
const PROOFS: Readonly<Record<Cell, (field: ControlField, way: Way) => Promise<void>>> = {
  policy: async (field, way) => {
    await isRefused(ATTEMPTS[way](field, FORBIDDEN[field]!));
    for (const attempt of ATTEMPTS[way](field, WISHES[field])) {
      expect((await happenedOn(attempt))[field]).toBe(WISHES[field]);
    }
  },
  taken: async (field, way) => {
    for (const attempt of ATTEMPTS[way](field, WISHES[field])) {
      expect((await happenedOn(attempt))[field]).toBe(WISHES[field]);
    }
    expect(await lastRoute()).toEqual({ channel: 'chan_1', to: WISHES[field] });
  },
  derived: async (field, way) => {
    for (const value of ['main', 'agent:ops:main', 'a b\n']) {
      const [attempt] = ATTEMPTS[way](field, value);
      const expected = `hook:of:${encodeURIComponent(value).replaceAll('%3A', ':')}`;
      expect((await happenedOn(attempt!))[field]).toBe(expected);
    }
  },
  once: async (field, way) => {
    const [attempt] = ATTEMPTS[way](field, WISHES[field]);
    expect((await happenedOn(attempt!))[field]).toBe(WISHES[field]);
    expect(await lastRoute()).toBeNull();
  },
  verbatim: async (field, way) => {
    const [attempt] = ATTEMPTS[way](field, WISHES[field]);
    expect((await happenedOn(attempt!))[field]).toBe(templateOf(field));
  },
  'refused at start': async (field) => {
    const mappings = [{ id: 'm', [field]: templateOf(field) }];
    const { problems } = await checkOptions(asWritten({ mappings }));
    expect(problems.map(({ key }) => key)).toEqual([`hooks.mappings[0].${field}`]);
  },
  ignored: async (field, way) => {
    for (const attempt of ATTEMPTS[way](field, WISHES[field])) {
      const path = attempt.path.split('?')[0]!;
      const usual = { path, body: { message: attempt.body['message'] } };
      const [happened, expected] = await Promise.all([happenedOn(attempt), happenedOn(usual)]);
      expect(happened).toEqual(expected);
      expect(happened[field]).not.toBe(WISHES[field]);
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
    const [, section = ''] = page.split('## Control never comes from content');
    const rows = Array.from(section.matchAll(/^\| `(\w+)` +\|(.+)\|$/gmu), ([, field, rest]) => [
      field,
      rest!.split('|').map((cell) => cell.trim()),
    ]);
    expect(Object.fromEntries(rows)).toEqual(ROWS);
  });
});

describe('a field of an agent request that nobody reads (behaviour §2)', () => {
  it.each(['sessionMode', 'allowUnsafeExternalContent', 'instructions'] as const)(
    '%s is named in the answer',
    async (field) => {
      const [attempt] = ATTEMPTS['agent field'](field, WISHES[field]);
      const answer = await hooks.ask('/agent', attempt!.body);
      expect(answer['warnings']).toEqual([`unknown field ${field} ignored`]);
      await hooks.ended(answer['eventId']);
    },
  );

  it('a session is refused unless the operator allows it', async () => {
    await hooks.close();
    hooks = await Hooks.start();
    await isRefused(ATTEMPTS['agent field']('sessionKey', 'hook:wished'));
  });
});
