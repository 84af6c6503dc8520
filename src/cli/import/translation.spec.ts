import type { Json } from '../../standalone/editing/json5-style.ts';
import { translate } from './translation.ts';
import type { Present, Translation } from './translation.ts';

const NOTHING: Present = { sections: undefined, env: {} };

function translated(hooks: Record<string, unknown>, present: Partial<Present> = {}): Translation {
  return translate({ hooks, agents: undefined, variables: {} }, { ...NOTHING, ...present });
}

/** What the translation puts under `hooks.<key>`. */
function under({ edits }: Translation, key: string): Json[] {
  return edits.filter(({ path }) => path[1] === key).map(({ value }) => value);
}

function mapped(mapping: Record<string, unknown>, presets: string[] = []): unknown {
  return under(translated({ presets, mappings: [mapping] }), 'mappings')[0];
}

function noted({ notes }: Translation): string[] {
  return notes.map(({ key }) => key);
}

describe('translate: keys that are the same', () => {
  it('carries them over as they are, and only those that are set', () => {
    const { edits, notes } = translated({
      enabled: true,
      path: '/hooks',
      defaultSessionKey: 'hook:ingress',
      allowRequestSessionKey: false,
      allowedSessionKeyPrefixes: ['hook:', ' '],
      allowedAgentIds: [],
      maxBodyBytes: 1000,
    });
    expect(Object.fromEntries(edits.map(({ path, value }) => [path[1], value]))).toEqual({
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
    const result = translated({ internal: {}, sessionRetention: '1h', presets: ['x'], new: 1 });
    expect(result.edits).toEqual([]);
    expect(noted(result)).toEqual([
      'hooks.presets',
      'hooks.internal',
      'hooks.sessionRetention',
      'hooks.new',
    ]);
  });
});

describe('translate: secrets', () => {
  it('puts a token that is written out into .env', () => {
    const result = translated({ token: 'secret-$${X}' });
    expect(under(result, 'token')).toEqual(['${HOOK_TOKEN}']);
    expect(result.variables).toEqual({ HOOK_TOKEN: 'secret-${X}' });
  });

  it('overwrites no variable that has another value', () => {
    const result = translated({ token: 'secret' }, { env: { HOOK_TOKEN: 'other' } });
    expect(under(result, 'token')).toEqual(['${HOOK_TOKEN_2}']);
    expect(result.variables).toEqual({ HOOK_TOKEN_2: 'secret' });
  });

  it('keeps references and takes their values along where they are not set here', () => {
    const variables = { A: 'of theirs', B: 'of theirs' };
    const hooks = { token: '${A}', mappings: [{ id: 'x', match: { path: 'x' }, to: '${B}' }] };
    const here = { sections: undefined, env: { B: 'of ours' } };
    const result = translate({ hooks, agents: undefined, variables }, here);
    expect(under(result, 'token')).toEqual(['${A}']);
    expect(result.variables).toEqual({ A: 'of theirs' });
  });

  it('knows references as objects', () => {
    const token = { source: 'env', provider: 'default', id: 'A' };
    expect(under(translated({ token }), 'token')).toEqual(['${A}']);
    expect(noted(translated({ token: { ...token, source: 'exec' } }))).toEqual(['hooks.token']);
  });

  it('tells no secret in a note', () => {
    const result = translated({ token: 'T0K', gmail: { account: 'a@b.c', pushToken: 'PU5H' } });
    expect(JSON.stringify(result.notes)).not.toMatch(/T0K|PU5H/);
  });
});

describe('translate: mappings', () => {
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
    expect(under(translated(hooks), 'mappings')).toEqual([mapping]);
    expect(
      under(translated({ ...hooks, allowedSessionKeyPrefixes: ['hook:'] }), 'mappings'),
    ).toEqual([]);
  });

  it('finds the channel that a platform is bound to here', () => {
    const sections = { channels: { chan_7: { provider: 'telegram', token: 'x' } } };
    const mappings = [{ match: { path: 't' }, channel: 'telegram' }];
    const result = translated({ mappings }, { sections });
    expect(under(result, 'mappings')).toEqual([{ match: { path: 't' }, channel: 'chan_7' }]);
    expect(result.notes).toEqual([]);
  });

  it('leaves what is here already as it is', () => {
    const there = { id: 'x', match: { path: 'x' } };
    const sections = { hooks: { presets: ['mail'], mappings: [there, { id: 'y', match: {} }] } };
    const hooks = { presets: ['gmail'], mappings: [there, { id: 'y', match: { path: 'y' } }] };
    const result = translated(hooks, { sections });
    expect(result.edits).toEqual([]);
    expect(noted(result)).toContain('hooks.mappings[1]');
  });
});

describe('translate: mail and agents', () => {
  const gmail = { account: 'me@gmail.com', label: 'Hooks', topic: 't', maxBytes: 100_000 };

  it('says which command makes hooks.mail while nobody knows how to log in', () => {
    const result = translated({ gmail });
    expect(under(result, 'mail')).toEqual([]);
    expect(result.notes.map(({ todo }) => todo)).toContain(
      'run: hooks mail setup --account me@gmail.com --mailbox Hooks --max-bytes 100000',
    );
  });

  it('makes hooks.mail and enables its preset when the password is known', () => {
    const result = translated({ gmail }, { env: { MAIL_PASSWORD: 'app password' } });
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
    const { edits } = translate({ hooks, agents, variables: {} }, NOTHING);
    const ids = edits.filter(({ path }) => path[0] === 'agents').map(({ value }) => value);
    expect(ids).toEqual([{ id: 'boss' }, { id: 'ops' }]);
  });
});
