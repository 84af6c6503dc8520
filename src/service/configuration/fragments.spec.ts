import { array, assert, constantFrom, property } from 'fast-check';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import {
  Written,
  asWritten,
  fragmentPath,
  literal,
  readFragments,
  writeFragment,
} from './fragments.ts';
import { inspectConfiguration } from './inspect.ts';
import { loadConfiguration } from './load.ts';
import { expandVariables } from './environment.ts';

const hooks = { enabled: true, token: 'a-hook-token-of-good-length', defaultSessionKey: 'hook:x' };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function fragment(name: string, content: unknown): void {
  mkdirSync(join(dir.path, 'gateway.d'), { recursive: true });
  dir.write(`gateway.d/${name}`, content);
}

async function problems(): Promise<Record<string, string>> {
  const found = await inspectConfiguration(dir.path, {});
  return Object.fromEntries(found.problems.map(({ key, message }) => [key, message]));
}

describe('readFragments', () => {
  it('reads the folder in code-point order, and leaves out what is hidden or a draft', () => {
    // In UTF-16 the last two would stand the other way round.
    for (const name of ['\u{1F41D}.json5', '\uFF5E.json5', 'b.json5', 'B.json5', 'a.json5']) {
      fragment(name, '{}');
    }
    for (const name of ['.a.json5', 'a.json5.tmp', 'a.tmp', 'a.json', 'README.md', '..data']) {
      fragment(name, 'not read');
    }
    expect(readFragments(dir.path).map(({ file }) => file)).toEqual([
      'gateway.d/B.json5',
      'gateway.d/a.json5',
      'gateway.d/b.json5',
      'gateway.d/\uFF5E.json5',
      'gateway.d/\u{1F41D}.json5',
    ]);
  });

  it('needs no folder', () => {
    expect(readFragments(dir.path)).toEqual([]);
  });

  it('names every file that it cannot read', async () => {
    mkdirSync(join(dir.path, 'gateway.d', 'folder.json5'), { recursive: true });
    symlinkSync('nowhere', join(dir.path, 'gateway.d', 'link.json5'));
    expect(await problems()).toEqual({
      'gateway.d/folder.json5': expect.stringContaining('EISDIR'),
      'gateway.d/link.json5': expect.stringContaining('ENOENT'),
    });
  });

  it('refuses a folder that is a file', async () => {
    dir.write('gateway.d', 'x');
    expect(await problems()).toEqual({
      'gateway.d': 'cannot be read (ENOTDIR); make it a directory that this user may read',
    });
  });
});

describe('writeFragment', () => {
  it('writes JSON5 for this user only, and says who wrote it', () => {
    const sections = { hooks: { presets: ['mail'], mail: { host: 'imap.example.org' } } };
    const path = writeFragment(dir.path, 'mail', sections, 'hooks mail setup');
    expect(path).toBe(fragmentPath(dir.path, 'mail'));
    expect(readFileSync(path, 'utf8')).toBe(
      [
        '// Written by "hooks mail setup", which replaces this whole file when it is called again.',
        '// Merged over gateway.json5; remove the file to undo it.',
        '{',
        '  hooks: {',
        '    presets: [',
        "      'mail',",
        '    ],',
        '    mail: {',
        "      host: 'imap.example.org',",
        '    },',
        '  },',
        '}',
        '',
      ].join('\n'),
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir.path, 'gateway.d')).mode & 0o777).toBe(0o700);
  });

  it('replaces by a rename: whoever has the old file open keeps it, and no draft stays', () => {
    const path = writeFragment(dir.path, 'mail', { hooks: {} }, 'hooks mail setup');
    const { ino } = statSync(path);
    writeFragment(dir.path, 'mail', { hooks: { presets: [] } }, 'hooks mail setup');
    expect(statSync(path).ino).not.toBe(ino);
    expect(readdirSync(join(dir.path, 'gateway.d'))).toEqual(['mail.json5']);
  });

  it('refuses a name that would leave the folder, or never be read', () => {
    for (const name of ['../gateway', 'a/b', String.raw`a\b`, '.hidden', '']) {
      expect(() => fragmentPath(dir.path, name)).toThrow(RangeError);
    }
  });
});

describe('literal', () => {
  it('keeps any text as it is, references in it included', () => {
    const part = constantFrom('$', '{', '}', '${HOME}', '$${HOME}', 'A', '1', ' ');
    assert(
      property(array(part), (parts) => {
        const text = parts.join('');
        const read = expandVariables(literal(text), { HOME: 'replaced', A: 'replaced' });
        expect(read).toEqual({ value: text, problems: [] });
      }),
    );
  });
});

describe('asWritten', () => {
  it('is read back as the data it was, but for what is in the language of files', () => {
    const data = { a: ['${HOME}', { b: '$${HOME}', c: 7, d: null }], e: new Written(['${HOME}']) };
    const { value } = expandVariables(asWritten(data), { HOME: 'replaced' });
    expect(value).toEqual({ a: ['${HOME}', { b: '$${HOME}', c: 7, d: null }], e: ['replaced'] });
  });
});

describe('fragments over gateway.json5', () => {
  it('merge objects deeply; a later file wins', async () => {
    dir.write('gateway.json5', {
      hooks: { ...hooks, authFailures: { limit: 5, strict: true } },
      agents: { defaults: { model: 'auto', timeoutSeconds: 5 } },
    });
    fragment('b.json5', { hooks: { authFailures: { limit: 7 } } });
    fragment('a.json5', { hooks: { authFailures: { limit: 6, lockSeconds: 9 } } });
    const { hooks: given } = await loadConfiguration(dir.path, {});
    expect(given.authFailures).toEqual({ limit: 7, lockSeconds: 9, strict: true });
    expect(given.agents).toEqual({ defaults: { model: 'auto', timeoutSeconds: 5 } });
  });

  it('unite presets, and append mappings and agents', async () => {
    const one = { id: 'one', match: { path: 'one' } };
    const two = { id: 'two', match: { path: 'two' } };
    dir.write('gateway.json5', {
      hooks: { ...hooks, presets: ['jenkins'], mappings: [one] },
      agents: { list: [{ id: 'main' }] },
    });
    fragment('a.json5', {
      hooks: { presets: ['jenkins', 'alertmanager'], mappings: [two] },
      agents: { list: [{ id: 'ops' }] },
    });
    const { hooks: given } = await loadConfiguration(dir.path, {});
    expect(given.presets).toEqual(['jenkins', 'alertmanager']);
    expect(given.mappings).toEqual([one, two]);
    expect(given.agents?.list).toEqual([{ id: 'main' }, { id: 'ops' }]);
  });

  it('say nothing with null, and neither does gateway.json5', async () => {
    const nulls = { enabled: null, path: null, mail: null, limit: null };
    dir.write('gateway.json5', {
      hooks: { ...hooks, ...nulls },
      store: null,
      ops: { listen: null },
    });
    fragment('a.json5', { hooks: { enabled: true, limit: { runs: 1, per: '1m' } } });
    fragment('b.json5', { hooks: { enabled: null, limit: null, token: null, mappings: null } });
    const { hooks: given, mail } = await loadConfiguration(dir.path, {});
    expect(given).toMatchObject({ enabled: true, token: hooks.token, limit: { runs: 1 } });
    expect(mail).toBeUndefined();
  });

  it('take variables, and paths count from the configuration directory', async () => {
    dir.write('gateway.json5', { hooks }).write('.env', 'PLACE=state');
    fragment('a.json5', {
      store: { dir: '${PLACE}' },
      agents: { list: [{ id: 'main', workspace: 'home' }] },
      hooks: { mappings: [{ id: 'm', transform: { module: 't.ts' } }] },
    });
    dir.writeTransform('t.ts', 'export default () => null;');
    const { store, hooks: given } = await loadConfiguration(dir.path, {});
    expect(store.dir).toBe(join(dir.path, 'state'));
    expect(given.agents?.list?.[0]?.workspace).toBe(join(dir.path, 'home'));
  });

  it('end the demo, though there is no gateway.json5', async () => {
    fragment('a.json5', { agents: { defaults: { timeoutSeconds: 5 } } });
    const { isDemo, hooks: given } = await loadConfiguration(dir.path, {});
    expect(isDemo).toBe(false);
    expect(given.enabled).toBeUndefined();
    expect(existsSync(join(dir.path, 'data/hook-token'))).toBe(false);
  });

  it('leave the demo alone while the folder is empty', async () => {
    fragment('draft.tmp', '{');
    expect((await loadConfiguration(dir.path, {})).isDemo).toBe(true);
  });

  it('cannot say what only the operator may', async () => {
    dir.write('gateway.json5', { hooks });
    fragment('a.json5', {
      hooks: {
        token: 'another-token-of-good-length',
        allowedAgentIds: ['*'],
        allowedSessionKeyPrefixes: [],
      },
      agents: { defaults: { models: {} } },
      gateway: { trustedProxies: ['0.0.0.0/0'], auth: { token: 'x' }, port: 1 },
      ops: { exposed: true },
    });
    const found = await inspectConfiguration(dir.path, {});
    expect(found.problems.map(({ key }) => key)).toEqual([
      'gateway.d/a.json5: hooks.token',
      'gateway.d/a.json5: hooks.allowedAgentIds',
      'gateway.d/a.json5: hooks.allowedSessionKeyPrefixes',
      'gateway.d/a.json5: agents.defaults.models',
      'gateway.d/a.json5: gateway.trustedProxies',
      'gateway.d/a.json5: gateway.auth',
      'gateway.d/a.json5: ops.exposed',
    ]);
    expect(found.problems[0]?.message).toBe(
      'belongs to the operator: no fragment can widen what is allowed; move it to gateway.json5',
    );
    expect(found.sections['hooks']).toEqual(hooks);
  });

  it('can add senders, but only by digests and with their hooks named', async () => {
    dir.write('gateway.json5', { hooks });
    const digest = `sha256:${'a'.repeat(64)}`;
    const sender = { id: 'ci', tokens: [digest], hooks: ['deploys'] };
    fragment('a.json5', { hooks: { tokens: [sender] } });
    expect(await problems()).toEqual({});
    const refused = 'may hold digests alone';
    fragment('a.json5', {
      hooks: {
        endpoints: { wake: true },
        tokens: [
          { ...sender, tokens: [digest, 'a-token-of-good-length-written-out'] },
          { ...sender, id: 'a', tokens: ['${DIGEST}'] },
          { ...sender, id: 'b', hooks: ['*'] },
        ],
      },
    });
    expect(await problems()).toEqual({
      'gateway.d/a.json5: hooks.endpoints': expect.stringContaining('belongs to the operator'),
      'gateway.d/a.json5: hooks.tokens[0]': expect.stringContaining(refused),
      'gateway.d/a.json5: hooks.tokens[1]': expect.stringContaining(refused),
      'gateway.d/a.json5: hooks.tokens[2]': expect.stringContaining(refused),
    });
  });

  it('cannot give an id that another file has given', async () => {
    const mapping = (id: string, path: string): object => ({ id, match: { path } });
    dir.write('gateway.json5', {
      hooks: { ...hooks, mappings: [mapping('ci', 'a')] },
      agents: { list: [{ id: 'Ops' }] },
    });
    fragment('a.json5', { hooks: { mappings: [mapping('x', 'b'), mapping('ci', 'c')] } });
    fragment('b.json5', {
      hooks: { mappings: [mapping('x', 'd')] },
      agents: { list: [{ id: ' ops' }] },
    });
    expect(await problems()).toEqual({
      'gateway.d/a.json5: hooks.mappings[1].id':
        '"ci" is also the id of gateway.json5: hooks.mappings[0]; give each its own, or write the keys of both there',
      'gateway.d/b.json5: hooks.mappings[0].id':
        '"x" is also the id of gateway.d/a.json5: hooks.mappings[0]; give each its own, or write the keys of both there',
      'gateway.d/b.json5: agents.list[0].id':
        '"ops" is also the id of gateway.json5: agents.list[0]; give each its own, or write the keys of both there',
    });
  });

  it('cannot hide a mapping behind another one, theirs or of another file', async () => {
    const mapping = (id: string, path: string): object => ({ id, match: { path } });
    dir.write('gateway.json5', { hooks: { ...hooks, mappings: [mapping('a', 'ci')] } });
    fragment('a.json5', { hooks: { mappings: [mapping('b', 'x'), mapping('c', 'ci')] } });
    expect(await problems()).toEqual({
      'gateway.d/a.json5: hooks.mappings[1] (mapping "c")':
        'can never match: gateway.json5: hooks.mappings[0] (mapping "a") comes first and takes all of its requests; put it before that one, or narrow the match of that one',
    });
    dir.write('gateway.json5', { hooks: { ...hooks, presets: ['jenkins'] } });
    fragment('a.json5', { hooks: { mappings: [mapping('b', 'jenkins')] } });
    expect(Object.entries(await problems())).toEqual([
      [
        'gateway.json5: preset jenkins',
        expect.stringContaining('gateway.d/a.json5: hooks.mappings[0] (mapping "b") comes first'),
      ],
    ]);
  });

  it('leave a warning about mappings of gateway.json5 what it is', async () => {
    const match = { path: 'ci' };
    const mappings = [
      { id: 'a', match },
      { id: 'b', match },
    ];
    const agents = { defaults: { model: 'auto' } };
    dir.write('gateway.json5', { hooks: { ...hooks, mappings }, agents });
    fragment('a.json5', {});
    const { problems: none, warnings } = await inspectConfiguration(dir.path, {});
    expect(none).toEqual([]);
    expect(warnings.map(({ key }) => key)).toEqual([
      'gateway.json5: hooks.mappings[1] (mapping "b")',
    ]);
  });

  it('cannot make an object of a value, or a list of none', async () => {
    dir.write('gateway.json5', { hooks, agents: 5 });
    fragment('a.json5', {
      hooks: { authFailures: 5, presets: 'mail', defaultSessionKey: {} },
      agents: { list: [] },
    });
    fragment('b.json5', { hooks: { authFailures: {}, presets: ['mail'] } });
    expect(await problems()).toMatchObject({
      'gateway.d/a.json5: hooks.defaultSessionKey':
        'is an object here and none in gateway.json5; write the same in both',
      'gateway.d/a.json5: agents':
        'is an object here and none in gateway.json5; write the same in both',
      'gateway.d/b.json5: hooks.authFailures':
        'is an object here and none in gateway.d/a.json5; write the same in both',
      'gateway.d/a.json5: hooks.presets': 'must be an array: […]',
      'gateway.json5: agents': 'must be an object',
    });
  });
});

describe('problems beside fragments', () => {
  it('name the file that they stand in, and count from its beginning', async () => {
    dir.write('gateway.json5', {
      hooks: { ...hooks, maxBodyBytes: 'big', mappings: [{ id: 'a' }] },
      gateway: { port: 'x' },
    });
    fragment('a.json5', {
      colours: {},
      hooks: {
        bodyTimeoutSeconds: 'long',
        mappings: [{ id: 'b' }, { id: 'c', colour: '${NOTHING}', timeoutSeconds: 0 }],
      },
      channels: { chan_1: { provider: 'pigeon' } },
    });
    fragment('b.json5', { agents: { list: [{ id: 'a b' }] } });
    expect(Object.keys(await problems()).toSorted()).toEqual([
      'gateway.d/a.json5: channels.chan_1.provider',
      'gateway.d/a.json5: colours',
      'gateway.d/a.json5: hooks.bodyTimeoutSeconds',
      'gateway.d/a.json5: hooks.mappings[1].colour',
      'gateway.d/a.json5: hooks.mappings[1].timeoutSeconds',
      'gateway.d/b.json5: agents.list[0].id',
      'gateway.json5: gateway.port',
      'gateway.json5: hooks.maxBodyBytes',
    ]);
  });

  it('name every file of a list that all of them wrote', async () => {
    dir.write('gateway.json5', { hooks: { ...hooks, presets: ['jenkins'] } });
    fragment('a.json5', { hooks: { presets: ['nothing'] } });
    expect(Object.keys(await problems())).toEqual([
      'gateway.json5 and gateway.d/a.json5: hooks.presets',
    ]);
  });

  it('name no file for what the environment said', async () => {
    dir.write('gateway.json5', { hooks, gateway: { port: 1 } });
    fragment('a.json5', {});
    const { problems: found } = await inspectConfiguration(dir.path, { GATEWAY_PORT: '99999' });
    expect(found.map(({ key }) => key)).toEqual(['gateway.port']);
  });

  it('name the fragment whose text is no JSON5, no object, or has a strange $schema', async () => {
    dir.write('gateway.json5', { hooks });
    fragment('a.json5', '{ hooks: ');
    fragment('b.json5', '[]');
    fragment('c.json5', { $schema: 5 });
    fragment('d.json5', { $schema: './gateway.schema.json' });
    expect(await problems()).toEqual({
      'gateway.d/a.json5': expect.stringContaining('is not valid JSON5 (line 1, column 10'),
      'gateway.d/b.json5': 'must be one object: { … }',
      'gateway.d/c.json5: $schema': 'must be the address of a schema',
    });
  });

  it('take no reserved names for anything but keys', async () => {
    dir.write('gateway.json5', { hooks });
    fragment(
      'a.json5',
      '{ "__proto__": { x: 1 }, hooks: { "__proto__": { token: "x" }, constructor: 1 } }',
    );
    expect(Object.keys(await problems())).toEqual([
      'gateway.d/a.json5: __proto__',
      'gateway.d/a.json5: hooks.__proto__',
      'gateway.d/a.json5: hooks.constructor',
    ]);
  });
});
