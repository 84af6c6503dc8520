import { migrateHooks } from './openclaw.ts';
import type { Migration } from './openclaw.ts';

function migrated(hooks: Record<string, unknown>, channels?: unknown): Migration {
  return migrateHooks(hooks, channels);
}

/** What the migration puts under `hooks.<key>`. */
function under({ parts }: Migration, key: string): unknown[] {
  return parts.filter((part) => part.key === key).map(({ value }) => value);
}

function mapped(mapping: Record<string, unknown>, presets: string[] = []): unknown {
  return under(migrated({ presets, mappings: [mapping] }), 'mappings')[0];
}

function noted({ notes }: Migration): string[] {
  return notes.map(({ key }) => key);
}

describe('migrateHooks: keys that are the same', () => {
  it('carries them over as they are, and only those that are set', () => {
    const { parts, notes } = migrated({
      enabled: true,
      path: '/hooks',
      defaultSessionKey: 'hook:ingress',
      allowRequestSessionKey: false,
      allowedSessionKeyPrefixes: ['hook:'],
      allowedAgentIds: [],
      maxBodyBytes: 1000,
    });
    expect(Object.fromEntries(parts.map(({ key, value }) => [key, value]))).toEqual({
      enabled: true,
      path: '/hooks',
      defaultSessionKey: 'hook:ingress',
      allowRequestSessionKey: false,
      allowedSessionKeyPrefixes: ['hook:'],
      allowedAgentIds: [],
      maxBodyBytes: 1000,
    });
    expect(notes).toEqual([]);
  });

  it('names everything else', () => {
    const gmail = { account: 'me@gmail.com' };
    const rest = { internal: {}, sessionRetention: '1h', new: 1 };
    const result = migrated({ gmail, presets: ['x'], ...rest });
    expect(result.parts).toEqual([]);
    expect(noted(result)).toEqual([
      'hooks.presets',
      'hooks.gmail',
      'hooks.internal',
      'hooks.sessionRetention',
      'hooks.new',
    ]);
  });
});

describe('migrateHooks: secrets', () => {
  it('knows references as objects', () => {
    const token = { source: 'env', provider: 'default', id: 'A' };
    expect(under(migrated({ token }), 'token')).toEqual(['${A}']);
    expect(under(migrated({ token: { ...token, source: 'exec' } }), 'token')).toEqual([
      '${HOOK_TOKEN}',
    ]);
  });

  it('tells no secret in a note', () => {
    const result = migrated({ token: 'T0K', gmail: { account: 'a@b.c', pushToken: 'PU5H' } });
    expect(JSON.stringify(result.notes)).not.toMatch(/T0K|PU5H/);
  });
});

describe('migrateHooks: mappings', () => {
  it.each([
    ['outer slashes', { match: { path: '/a/b/' } }, { match: { path: 'a/b' } }],
    ['an id without a match, which takes every name there', { id: 'x' }, { id: 'x', match: {} }],
    [
      'fields that a wake does not have',
      { match: { path: 'w' }, action: 'wake', textTemplate: 't', name: 'n', timeoutSeconds: 1 },
      { match: { path: 'w' }, action: 'wake', textTemplate: 't' },
    ],
    [
      'a platform and its recipient',
      { match: { path: 's' }, channel: 'Slack', to: 'channel:C01' },
      { match: { path: 's' }, channel: 'chan_4', to: 'C01' },
    ],
    [
      'a platform that nobody serves: its reply must not go elsewhere',
      { match: { path: 'i' }, deliver: true, channel: 'irc', to: '#x' },
      { match: { path: 'i' }, deliver: false },
    ],
    [
      'names that are roots here and fields of the payload there',
      { match: { path: 'p' }, messageTemplate: '{{item.a}} {{ index }} {{path}} {{items}}' },
      {
        match: { path: 'p' },
        messageTemplate: '{{ payload.item.a }} {{ payload.index }} {{path}} {{items}}',
      },
    ],
    [
      'what forEach fans out',
      { match: { path: 'f' }, forEach: 'rows', name: '{{rows[0].a.b}} {{payload.rows[0]}}' },
      { match: { path: 'f' }, forEach: 'rows', name: '{{ item.a.b }} {{ item }}' },
    ],
  ])('carries over %s', (_, mapping, expected) => {
    expect(mapped(mapping)).toEqual(expected);
  });

  it('turns a mapping for the preset of Gmail into one of preset mail', () => {
    const mapping = {
      match: { path: 'gmail' },
      name: 'Gmail',
      sessionKey: 'hook:g:{{messages[0].id}}',
    };
    expect(mapped(mapping, ['gmail'])).toEqual({
      id: 'mail',
      name: 'Gmail',
      sessionKey: 'hook:g:{{ item.id }}',
    });
    expect(mapped(mapping)).toMatchObject({ match: { path: 'gmail' } });
  });

  it('finds the channel that a platform is bound to here', () => {
    const channels = { chan_7: { provider: 'telegram', token: 'x' } };
    const mappings = [{ match: { path: 't' }, channel: 'telegram' }];
    const result = migrated({ mappings }, channels);
    expect(under(result, 'mappings')).toEqual([{ match: { path: 't' }, channel: 'chan_7' }]);
    expect(result.notes).toEqual([]);
  });
});
