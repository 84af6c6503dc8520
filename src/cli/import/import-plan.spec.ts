import * as fc from 'fast-check';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { readConfigurationFiles } from '../../standalone/configuration-files.ts';
import { planImport } from './import-plan.ts';
import type { ImportPlan } from './import-plan.ts';
import { translate } from './translation.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function planned(hooks: Record<string, unknown>): Promise<ImportPlan> {
  const reference = { hooks, agents: undefined, variables: {} };
  const translation = translate(reference, { sections: undefined, env: {} });
  return planImport(dir.path, readConfigurationFiles(dir.path), translation, {});
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
  }, 60_000);

  it('leaves out one refused mapping, and no other', async () => {
    const good = { id: 'good', match: { path: 'good' }, messageTemplate: 'x' };
    const bad = { id: 'bad', match: { path: 'bad' }, sessionKey: '{{ id }}' };
    const { change, notes } = await planned({ mappings: [good, bad, { ...good, id: 'too' }] });
    expect(change.after.gateway).toContain("id: 'good'");
    expect(change.after.gateway).toContain("id: 'too'");
    expect(change.after.gateway).not.toContain("id: 'bad'");
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
    expect(problems.map(({ key }) => key)).toEqual(['hooks.token']);
  });
});
