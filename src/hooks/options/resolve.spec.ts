import * as fc from 'fast-check';
import { GATEWAY_NAMES } from './option-names.ts';
import { resolveOptions } from './resolve.ts';
import { asWritten } from '../../../test/support/as-written.ts';

function resolve(written: unknown) {
  return resolveOptions(asWritten(written), GATEWAY_NAMES);
}

function problems(written: unknown): string[] {
  return resolve(written).problems.map(({ key, message }) => `${key} ${message}`);
}

describe('resolveOptions: defaults (spec "Configuration object hooks", behaviour §11)', () => {
  it('is off, at /hooks, without request session keys, and finds nothing wrong with no options', () => {
    const { resolved, problems } = resolveOptions({});
    expect(problems).toEqual([]);
    expect(resolved.hooks).toMatchObject({
      enabled: false,
      path: '/hooks',
      allowRequestSessionKey: false,
      bodyTimeoutSeconds: 30,
      idempotencyHours: 72,
      summary: 'always',
      authFailures: { limit: 20, windowSeconds: 60, lockSeconds: 60, strict: false },
    });
    expect(resolved.hooks.allowedAgentIds).toBeUndefined();
    expect(resolved.agents.defaults).toMatchObject({
      timeoutSeconds: 600,
      maxConcurrent: 4,
      maxSystemEvents: 100_000,
      heartbeat: { every: '30m', ackMaxChars: 0 },
    });
    expect(resolved.retention).toEqual({ payloadDays: 7, eventDays: 30 });
  });

  it('keeps a default where a key is given as undefined', () => {
    const { resolved, problems } = resolveOptions({ path: undefined, mappings: undefined });
    expect(problems).toEqual([]);
    expect(resolved.hooks).toMatchObject({ path: '/hooks', mappings: [] });
  });

  it('gives every resolution its own defaults', () => {
    const first = resolveOptions({}).resolved;
    first.models.aliases.set('fast', 'x');
    first.hooks.mappings.push({ id: 'x' });
    const second = resolveOptions({}).resolved;
    expect([second.models.aliases.size, second.hooks.mappings.length]).toEqual([0, 0]);
  });

  it('reads providers and aliases by name, whatever the name is', () => {
    const providers = {
      local: { baseUrl: 'http://127.0.0.1:11434/v1' },
      size: { baseUrl: 'http://b' },
    };
    const { resolved, problems } = resolveOptions({
      models: { providers, aliases: { get: 'local/a' } },
    });
    expect(problems).toEqual([]);
    expect([...resolved.models.providers.keys()]).toEqual(['local', 'size']);
    expect(resolved.models.providers.get('local')?.type).toBe('openai-compatible');
    expect(resolved.models.aliases.get('get')).toBe('local/a');
  });
});

describe('resolveOptions: all problems at once, each with its key and what to do (behaviour §11)', () => {
  it('names the key of every mistake in every section', () => {
    const found = resolve({
      maxBodyBytes: 0,
      mappings: [{ id: 'a', match: { path: 3 } }],
      agents: { list: [{ id: 'main' }, { id: 'not an id' }] },
      models: { providers: { local: { baseUrl: 'nowhere' } } },
      retention: { eventDays: 0 },
    }).problems.map(({ key }) => key);
    expect(found.toSorted()).toEqual([
      'agents.list[1].id',
      'hooks.mappings[0].match.path',
      'hooks.maxBodyBytes',
      'models.providers.local.baseUrl',
      'store.eventDays',
    ]);
  });

  it.each([
    [
      'a provider that is not configured',
      { defaults: { model: 'remote/x' } },
      'agents.defaults.model',
    ],
    ['no provider', { list: [{ id: 'a', model: 'gpt' }] }, 'agents.list[0].model'],
    ['an id used twice', { list: [{ id: 'a' }, { id: ' A' }] }, 'agents.list[1].id'],
    [
      'two defaults',
      {
        list: [
          { id: 'a', default: true },
          { id: 'b', default: true },
        ],
      },
      'agents.list[1].default',
    ],
  ])('refuses agents with %s', (_, agents, key) => {
    const models = { providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } } };
    expect(resolveOptions({ agents, models }).problems.map((problem) => problem.key)).toContain(
      key,
    );
  });

  it('takes models by provider, by alias and auto', () => {
    const models = {
      providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } },
      aliases: { fast: 'local/x' },
    };
    for (const model of ['local/a/b', 'fast', 'auto']) {
      expect(resolveOptions({ agents: { defaults: { model } }, models }).problems).toEqual([]);
    }
  });

  it.each([
    ['a number below its range', { maxBodyBytes: 0 }, 'hooks.maxBodyBytes must not be less than 1'],
    ['text for a whole number', { maxBodyBytes: 'x' }, 'hooks.maxBodyBytes must be a whole number'],
    ['text for a number', { idempotencyHours: 'x' }, 'hooks.idempotencyHours must be a number'],
    ['text for a switch', { enabled: 'yes', token: 'abc' }, 'hooks.enabled must be true or false'],
    ['text for a list', { presets: 'mail' }, 'hooks.presets must be an array: […]'],
    [
      'text for a mapping',
      { mappings: ['a'] },
      'hooks.mappings[0] must be an object (given: a text)',
    ],
    ['a list for a section', { agents: [] }, 'agents must be an object'],
    ['a list for providers', { models: { providers: [] } }, 'models.providers must be an object'],
    [
      'a list for a provider',
      { models: { providers: { l: [] } } },
      'models.providers.l must be an object',
    ],
    [
      'a number for an alias',
      { models: { aliases: { a: 3 } } },
      'models.aliases.a must be a string',
    ],
    [
      'a number in a list',
      { allowedAgentIds: ['a', 3] },
      'hooks.allowedAgentIds[1] must be a string',
    ],
    [
      'an address that others stand behind',
      { consoleUrl: 'https://hooks.example.com/console/' },
      'hooks.consoleUrl must be a URL without a trailing slash, such as https://hooks.example.com/console',
    ],
    [
      'a value outside a list',
      { summary: 'never' },
      'hooks.summary must be one of always, unless-delivered',
    ],
    [
      'a bad length of time',
      { agents: { defaults: { heartbeat: { every: '30 min' } } } },
      'agents.defaults.heartbeat.every must be a number of at most five digits followed by s, m, h or d, for example 30m',
    ],
    [
      'notices without a channel',
      { agents: { defaults: { notify: { to: 'me' } } } },
      'agents.defaults.notify must be false, or an object {channel: "chan_1" … "chan_8", to: "a recipient"}',
    ],
    [
      'a timeout of over a day',
      { agents: { defaults: { timeoutSeconds: 86_401 } } },
      'agents.defaults.timeoutSeconds must not be greater than 86400',
    ],
    ['a number for the own token', { gatewayAuthToken: 3 }, 'gateway.auth.token must be a string'],
  ])('reads as a sentence for %s', (_, written, sentence) => {
    expect(problems(written)).toEqual([sentence]);
  });

  it.each([
    ['hooks.foo', { foo: 1 }],
    ['hooks.mail', { mail: {} }],
    ['hooks.folder', { folder: 'x' }],
    ['hooks.authFailures.max', { authFailures: { max: 1 } }],
    ['agents.defaults.heartbeat.foo', { agents: { defaults: { heartbeat: { foo: 1 } } } }],
    ['agents.list[0].foo', { agents: { list: [{ id: 'a', foo: 1 }] } }],
    ['models.providers.l.foo', { models: { providers: { l: { baseUrl: 'http://a', foo: 1 } } } }],
    ['store.foo', { retention: { foo: 1 } }],
  ])('refuses the unknown key %s', (key, written) => {
    expect(problems(written)).toEqual([
      `${key} is not a known key; remove it or correct its spelling`,
    ]);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'refuses the name %s that every object has',
    (name) => {
      const mapping: unknown = JSON.parse(`{"id":"a","${name}":{"constructor":1}}`);
      expect(problems({ mappings: [mapping] })).toEqual([
        `hooks.mappings[0].${name} has a reserved name; remove it or use another name (mapping "a", given: an object)`,
      ]);
    },
  );

  it.each([
    ['a switch', { enabled: null, path: null }, {}],
    ['a token that is needed', { enabled: true, token: null }, { enabled: true }],
    ['a list', { presets: null, allowedAgentIds: null }, {}],
    ['a section', { agents: { defaults: null }, models: null }, {}],
    [
      'an option of an entry',
      { mappings: [{ id: 'a', match: null, to: null }] },
      { mappings: [{ id: 'a' }] },
    ],
    ['one of a mistaken entry', { mappings: [{ id: null, match: null }] }, { mappings: [{}] }],
    [
      'an option of a line',
      { mappings: [{ id: 'a', messageTemplate: [{ each: 'l', line: '{{ item }}', most: null }] }] },
      { mappings: [{ id: 'a', messageTemplate: [{ each: 'l', line: '{{ item }}' }] }] },
    ],
  ])('takes null for absent: %s', (_, written, absent) => {
    expect(resolveOptions(written as never)).toEqual(resolveOptions(absent));
  });

  it.each([
    [
      'hooks.mappings[0].when.payload.a',
      { mappings: [{ id: 'a', when: { 'payload.a': null, 'payload.b': 1 } }] },
    ],
    ['hooks.allowedAgentIds', { allowedAgentIds: [null] }],
    ['hooks.mappings[0].verify', { mappings: [{ id: 'a', verify: null }] }],
    ['agents.defaults.models.a/b', { agents: { defaults: { models: { 'a/b': null } } } }],
    ['hooks.tokn', { tokn: null }],
  ])('refuses null at %s, which is no option', (key, written) => {
    expect(problems(written).join()).toContain(key);
  });

  it.each([[null], ['text'], [[]], [undefined]])(
    'refuses %j as options without breaking',
    (written) => {
      expect(problems(written)).toEqual(['hooks must be an object']);
    },
  );

  it('gives an answer for any JSON in any section', () => {
    const written = fc.record(
      {
        agents: fc.jsonValue(),
        models: fc.jsonValue(),
        retention: fc.jsonValue(),
        mappings: fc.array(fc.jsonValue(), { maxLength: 3 }),
        allowedSessionKeyPrefixes: fc.jsonValue(),
        token: fc.jsonValue(),
        trustedProxies: fc.jsonValue(),
        constructor: fc.jsonValue(),
        foo: fc.object({ key: fc.constantFrom('constructor', 'then', '__proto__', 'a') }),
      },
      { requiredKeys: [] },
    );
    expect(() =>
      fc.assert(fc.property(written, (json) => Array.isArray(resolve(json).problems))),
    ).not.toThrow();
  });
});

describe('resolveOptions: agents.defaults.models (spec "Related key", behaviour §11)', () => {
  it.each([
    ['a list of ids', ['local/a', 'local/b']],
    ['ids with and without an alias', { 'local/a': {}, 'local/b': { alias: 'b' } }],
    ['an empty list', []],
    ['an empty object', {}],
  ])('takes %s', (_, models) => {
    expect(problems({ agents: { defaults: { models } } })).toEqual([]);
  });

  it.each([
    ['text'],
    [3],
    [['']],
    [[3]],
    [{ 'local/a': 'b' }],
    [{ a: [] }],
    [{ a: { alias: '' } }],
    [{ a: { alais: 'b' } }],
  ])('refuses %j and says what to write', (models) => {
    const [problem, ...others] = problems({ agents: { defaults: { models } } });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^agents\.defaults\.models must be a list of model ids/);
  });
});
