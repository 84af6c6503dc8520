import { migrateHooks } from './migrate-hooks.ts';
import type { Migration, Present } from './migrate-hooks.ts';

const NOTHING: Present = { sections: undefined, env: {} };

function migrated(hooks: Record<string, unknown>, present: Partial<Present> = {}): Migration {
  return migrateHooks({ hooks, agents: undefined, variables: {} }, { ...NOTHING, ...present });
}

/** What the migration puts under `hooks.<key>`. */
function under({ parts }: Migration, key: string): unknown[] {
  return parts.filter(({ path }) => path[1] === key).map(({ value }) => value);
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
      allowedSessionKeyPrefixes: ['hook:', ' '],
      allowedAgentIds: [],
      maxBodyBytes: 1000,
    });
    expect(Object.fromEntries(parts.map(({ path, value }) => [path[1], value]))).toEqual({
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
    const result = migrated({ internal: {}, sessionRetention: '1h', presets: ['x'], new: 1 });
    expect(result.parts).toEqual([]);
    expect(noted(result)).toEqual([
      'hooks.presets',
      'hooks.internal',
      'hooks.sessionRetention',
      'hooks.new',
    ]);
  });
});

describe('migrateHooks: secrets', () => {
  it('keeps a token that is written out as it is, escaped as here', () => {
    const result = migrated({ token: 'secret-$${X}-${y}' });
    expect(under(result, 'token')).toEqual(['secret-$${X}-$${y}']);
    expect(result.variables).toEqual({});
  });

  it('keeps references and takes their values along where they are not set here', () => {
    const variables = { A: 'of theirs', B: 'of theirs' };
    const hooks = { token: '${A}', mappings: [{ id: 'x', match: { path: 'x' }, to: '${B}' }] };
    const here = { sections: undefined, env: { B: 'of ours' } };
    const result = migrateHooks({ hooks, agents: undefined, variables }, here);
    expect(under(result, 'token')).toEqual(['${A}']);
    expect(result.variables).toEqual({ A: 'of theirs' });
  });

  it('knows references as objects', () => {
    const token = { source: 'env', provider: 'default', id: 'A' };
    expect(under(migrated({ token }), 'token')).toEqual(['${A}']);
    expect(noted(migrated({ token: { ...token, source: 'exec' } }))).toEqual(['hooks.token']);
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
    [
      'names in small letters, which are no variables there',
      { match: { path: 'v' }, messageTemplate: '${home} ${HOME} $${HOME}' },
      { match: { path: 'v' }, messageTemplate: '$${home} ${HOME} $${HOME}' },
    ],
    [
      'a level and a time that are not known here',
      { match: { path: 't' }, thinking: 'a lot', timeoutSeconds: 100_000 },
      { match: { path: 't' }, timeoutSeconds: 86_400 },
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
    expect(mapped({ id: 'mail', match: { path: 'm' } }, ['gmail'])).toMatchObject({
      id: 'mail-hook',
    });
  });

  it('keeps their session keys where only those have an allowed prefix', () => {
    const hooks = { presets: ['gmail'], allowedSessionKeyPrefixes: ['hook:gmail:'] };
    const mapping = { id: 'mail', sessionKey: 'hook:gmail:{{ item.id }}' };
    expect(under(migrated(hooks), 'mappings')).toEqual([mapping]);
    expect(under(migrated({ ...hooks, allowedSessionKeyPrefixes: ['hook:'] }), 'mappings')).toEqual(
      [],
    );
  });

  it('finds the channel that a platform is bound to here', () => {
    const sections = { channels: { chan_7: { provider: 'telegram', token: 'x' } } };
    const mappings = [{ match: { path: 't' }, channel: 'telegram' }];
    const result = migrated({ mappings }, { sections });
    expect(under(result, 'mappings')).toEqual([{ match: { path: 't' }, channel: 'chan_7' }]);
    expect(result.notes).toEqual([]);
  });

  it('leaves what is here already as it is', () => {
    const there = { id: 'x', match: { path: 'x' } };
    const sections = { hooks: { presets: ['mail'], mappings: [there, { id: 'y', match: {} }] } };
    const hooks = { presets: ['gmail'], mappings: [there, { id: 'y', match: { path: 'y' } }] };
    const result = migrated(hooks, { sections });
    expect(result.parts).toEqual([]);
    expect(noted(result)).toContain('hooks.mappings[1]');
  });
});

describe('migrateHooks: mail and agents', () => {
  const gmail = { account: 'me@gmail.com', label: 'Hooks', topic: 't', maxBytes: 100_000 };

  it('says which command makes hooks.mail while nobody knows how to log in', () => {
    const result = migrated({ gmail });
    expect(under(result, 'mail')).toEqual([]);
    expect(result.notes.map(({ todo }) => todo)).toContain(
      'run: hooks mail setup --account me@gmail.com --mailbox Hooks --max-bytes 100000',
    );
  });

  it('makes hooks.mail and enables its preset when the password is known', () => {
    const result = migrated({ gmail }, { env: { MAIL_PASSWORD: 'app password' } });
    expect(under(result, 'presets')).toEqual(['mail']);
    expect(under(result, 'mail')).toEqual([
      {
        account: 'me@gmail.com',
        host: 'imap.gmail.com',
        auth: { password: '${MAIL_PASSWORD}' },
        mailboxes: ['Hooks'],
        maxBytes: 100_000,
      },
    ]);
  });

  it('carries over the ids of agents that are named, the default one first', () => {
    const hooks = { allowedAgentIds: ['*', 'Ops'], mappings: [{ id: 'a', agentId: 'main' }] };
    const agents = { list: [{ id: 'ops' }, { id: 'Boss', default: true }] };
    const { parts } = migrateHooks({ hooks, agents, variables: {} }, NOTHING);
    const ids = parts.filter(({ path }) => path[0] === 'agents').map(({ value }) => value);
    expect(ids).toEqual([{ id: 'boss' }, { id: 'ops' }]);
  });
});
