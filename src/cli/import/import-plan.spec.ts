import * as fc from 'fast-check';
import JSON5 from 'json5';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { planImport, readTarget } from './import-plan.ts';
import type { ImportPlan } from './import-plan.ts';
import { migrateHooks } from './openclaw.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function planned(hooks: Record<string, unknown>): Promise<ImportPlan> {
  const target = await readTarget(dir.path, {});
  const { channels } = target.others.written;
  return planImport(target, migrateHooks(hooks, channels), {});
}

const garbage = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom('', ' ', '{{', '{{ a b }}'),
);
function orGarbage(...values: unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: garbage },
  );
}

const mapping = fc.record(
  {
    id: orGarbage('a', 'b', 'mail'),
    match: orGarbage({ path: 'x' }, { path: '/y z/' }, { source: 's' }, {}),
    action: orGarbage('agent', 'wake'),
    wakeMode: orGarbage('now', 'next-heartbeat'),
    name: orGarbage('N {{ a }}'),
    agentId: orGarbage('main', 'ops', '{{ a }}'),
    sessionKey: orGarbage('hook:x:{{id}}', '{{id}}', 'agent:other:x', 'main'),
    messageTemplate: orGarbage('m', '{{ item.a }}'),
    textTemplate: orGarbage('t'),
    deliver: orGarbage(true, false),
    channel: orGarbage('last', 'slack', 'irc'),
    to: orGarbage('C1', '#x'),
    model: orGarbage('p/m'),
    thinking: orGarbage('low', 'lots'),
    timeoutSeconds: orGarbage(1, -1, 1e9),
    transform: orGarbage({ module: '../x.js' }, { module: 'x.js' }),
    forEach: orGarbage('rows', 'a b'),
    sessionMode: orGarbage('isolated', 'persistent'),
    allowUnsafeExternalContent: orGarbage(true),
  },
  { requiredKeys: [] },
);

const hooks = fc.record(
  {
    enabled: fc.boolean(),
    path: orGarbage('/in', '/', '/ops'),
    presets: orGarbage(['gmail'], ['gmail', 'x']),
    mappings: fc.array(mapping, { maxLength: 4 }),
    defaultSessionKey: orGarbage('hook:d', 'agent:x:y'),
    allowedSessionKeyPrefixes: orGarbage(['hook:'], ['']),
    allowedAgentIds: orGarbage(['main'], []),
    allowRequestSessionKey: orGarbage(true),
    maxBodyBytes: orGarbage(1000, 0, 1e12),
    transformsDir: orGarbage('x', '/tmp'),
    gmail: orGarbage({ account: 'a@gmail.com' }),
    token: fc.constant('a-token-of-the-tests-that-is-long'),
  },
  { requiredKeys: ['token'] },
);

describe('planImport', () => {
  it('ends in a configuration without problems, whatever the reference holds', async () => {
    await fc.assert(
      fc.asyncProperty(hooks, async (written) => {
        const { problems } = await planned(written);
        expect(problems).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('names what has no text of its own', async () => {
    const odd = { toString: false };
    const match = { path: 'odd' };
    const { problems, notes } = await planned({
      presets: [odd],
      mappings: [{ match, messageTemplate: 'x', channel: odd, to: odd }],
    });
    expect(problems).toEqual([]);
    expect(notes.map(({ reason }) => reason).join()).toContain(
      'no channel of ours serves {"toString":false}',
    );
  });

  it('leaves out one refused mapping, and no other', async () => {
    const good = { id: 'good', match: { path: 'good' }, messageTemplate: 'x' };
    const bad = { id: 'bad', match: { path: 'bad' }, sessionKey: '{{ id }}' };
    const { files, notes } = await planned({
      mappings: [good, bad, { ...good, id: 'too', match: { path: 'too' } }],
    });
    expect(files.shown.fragment).toContain("id: 'good'");
    expect(files.shown.fragment).toContain("id: 'too'");
    expect(files.shown.fragment).not.toContain("id: 'bad'");
    expect(notes.map(({ key }) => key)).toEqual(['hooks.mappings "bad"']);
  });

  it('names a refused mapping without an id by its path', async () => {
    const bad = { match: { path: 'bad' }, sessionKey: '{{ id }}' };
    const { notes } = await planned({ mappings: [bad] });
    expect(notes.map(({ key }) => key)).toEqual(['hooks.mappings "bad"']);
  });

  it('says where the modules of another directory go', async () => {
    const { notes } = await planned({ transformsDir: '~/.openclaw/hooks/transforms' });
    expect(notes).toMatchObject([
      { key: 'hooks.transformsDir', todo: expect.stringContaining('copy') },
    ]);
  });

  it('tells an unset variable as a problem, since everything with it is right', async () => {
    const { problems } = await planned({ enabled: true, token: '${THEIRS}' });
    expect(problems.map(({ key }) => key)).toEqual(['gateway.json5: hooks.token']);
  });
});

describe('planImport beside a gateway.json5', () => {
  const TOKEN = 'a-token-of-the-tests-that-is-long';

  it('leaves out what is said there, and names what is said otherwise', async () => {
    dir.write('gateway.json5', { hooks: { enabled: true, token: '${T}', path: '/in' } });
    dir.write('.env', `T=${TOKEN}`);
    const { files, notes } = await planned({
      enabled: true,
      token: TOKEN,
      path: '/hooks',
      maxBodyBytes: 1000,
    });
    expect(JSON5.parse(files.shown.fragment)).toEqual({ hooks: { maxBodyBytes: 1000 } });
    expect(files.shown.gateway).toBeNull();
    expect(notes).toEqual([
      {
        key: 'hooks.path',
        reason: 'gateway.json5 says something else, which is left as it is',
        todo: 'change hooks.path there, if you want the other value',
      },
    ]);
  });

  it('says what only a person can add to it', async () => {
    dir.write('gateway.json5', { hooks: { enabled: false } });
    const { files, notes } = await planned({ token: TOKEN, allowedAgentIds: ['main'] });
    expect(JSON5.parse(files.shown.fragment)).toEqual({});
    expect(notes).toEqual(
      ['token', 'allowedAgentIds'].map((key) => ({
        key: `hooks.${key}`,
        reason: expect.stringContaining('is left out, since it would be refused'),
        todo: expect.stringContaining('add it by hand'),
      })),
    );
    expect(JSON.stringify(notes)).not.toContain(TOKEN);
  });

  it('leaves out a mapping that would silence one of its own', async () => {
    const own = { id: 'own', match: { path: 'a' }, messageTemplate: 'x' };
    dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN, mappings: [own] } });
    const { files, notes } = await planned({ mappings: [{ ...own, id: 'theirs' }] });
    expect(JSON5.parse(files.shown.fragment)).toEqual({});
    expect(notes.map(({ key }) => key)).toEqual(['hooks.mappings "theirs"']);
  });
});
