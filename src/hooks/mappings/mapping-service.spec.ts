import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { Logger } from '@nestjs/common';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { Rejection } from '../ports/rejection.ts';

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

function one(mapping: Mapping, given: HooksSettingsInput = {}) {
  return ingest({ mappings: [{ id: 'm', ...mapping }], ...given });
}

async function refusal(applied: Promise<unknown>): Promise<Rejection> {
  const error = await applied.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Rejection) return error;
  throw new Error('was not refused', { cause: error });
}

async function actionOf(
  mapping: Mapping,
  payload: unknown,
  given: HooksSettingsInput = {},
  over = {},
) {
  const { actions } = await one(mapping, given).apply(hookRequest('m', payload, over));
  expect(actions).toHaveLength(1);
  return actions[0];
}

describe('MappingService.match (behaviour §7 matching, §1.7)', () => {
  const { match } = ingest({
    mappings: [
      { id: 'only-id' },
      { id: 'path', match: { path: '/ci/build/' } },
      { id: 'source', match: { path: 'in', source: 'alerts' } },
      { id: 'in', match: { path: 'in' } },
      { id: 'any-source', match: { source: 'news' } },
      { id: 'second', match: { path: 'in' } },
    ],
  });

  it.each([
    ['the id without a match', 'only-id', {}, 'only-id'],
    ['a path of several parts', 'ci/build', {}, 'path'],
    ['outer slashes', '//ci/build//', {}, 'path'],
    ['path and source', 'in', { source: 'alerts' }, 'source'],
    ['the path when the source differs', 'in', { source: 'other' }, 'in'],
    ['a source on any path', 'whatever', { source: 'news' }, 'any-source'],
    ['nothing: another case', 'CI/build', {}, null],
    ['nothing: an encoded path', 'ci%2Fbuild', {}, null],
    ['nothing: a part of the path', 'ci', {}, null],
    ['nothing: a source that is no text', 'x', { source: ['news'] }, null],
    ['nothing: a payload that is no object', 'x', 'news', null],
    ['nothing: an inherited source', 'x', Object.create({ source: 'news' }), null],
  ])('takes %s', (_, name, payload, id) => {
    expect(match(hookRequest(name, payload))).toBe(id);
  });

  it('takes every custom name with an empty match', () => {
    expect(ingest({ mappings: [{ id: 'all', match: {} }] }).match(hookRequest('x/y'))).toBe('all');
  });

  it('strips slashes of a stranger name in linear time', () => {
    const matching = (size: number) => match(hookRequest(`a${'/'.repeat(size)}b`));
    expect(growth(matching, 100_000)).toBeLessThan(QUADRATIC);
  });
});

describe('MappingService.apply: agent actions (spec "POST /hooks/<name>", behaviour §7)', () => {
  it('fills in every default', async () => {
    expect(
      await actionOf({ messageTemplate: 'hi' }, {}, { defaultSessionKey: 'hook:d' }),
    ).toMatchObject({
      kind: 'agent',
      message: 'hi',
      name: 'Hook',
      source: 'm',
      agentId: 'main',
      sessionKey: 'hook:d',
      sessionMode: 'isolated',
      wakeMode: 'now',
      timeoutSeconds: 600,
      deliver: { channel: 'last' },
      trust: { level: 'untrusted', verifiedBy: 'token', mapping: 'm' },
    });
  });

  it('passes the other options on', async () => {
    const options = {
      wakeMode: 'next-heartbeat',
      sessionMode: 'persistent',
      timeoutSeconds: 5,
      instructions: '{{ x }}',
    } as const;
    expect(await actionOf(options, { x: 1 })).toMatchObject(options);
  });

  it('deliver false keeps the reply in the event', async () => {
    expect(await actionOf({ deliver: false }, {})).toMatchObject({ deliver: null });
  });

  it('renders message, name, session key, recipient, model, thinking and dedupe key', async () => {
    const mapping = {
      messageTemplate: '{{ text }}!',
      name: 'CI {{ job }}',
      sessionKey: 'hook:ci:{{ job }}',
      to: '{{ user }}',
      model: '{{ model }}',
      thinking: '{{ level }}',
      dedupeKey: 'ci-{{ job }}',
    };
    const payload = { text: 'done', job: 7, user: '42', model: 'any', level: 'high' };
    expect(await actionOf(mapping, payload)).toMatchObject({
      message: 'done!',
      name: 'CI 7',
      sessionKey: 'hook:ci:7',
      deliver: { to: '42', toFrom: 'content' },
      model: 'any',
      thinking: 'high',
      dedupeKey: 'ci-7',
    });
  });

  it('shows the whole payload without a template', async () => {
    expect(await actionOf({}, { a: [1] })).toMatchObject({ message: '{"a":[1]}' });
  });

  it('takes the source from the payload when it is text', async () => {
    expect(await actionOf({}, { source: 'alerts' })).toMatchObject({ source: 'alerts' });
  });

  it('treats rendered blanks as absent for recipient, model and thinking', async () => {
    const action = await actionOf({ to: '{{ a }}', model: ' {{ b }} ', thinking: '{{ c }}' }, {});
    expect(action).toMatchObject({
      deliver: { channel: 'last' },
      model: undefined,
      thinking: undefined,
    });
  });

  it('a fixed recipient is one that the operator named', async () => {
    expect(await actionOf({ to: '+491' }, { to: '+666' })).toMatchObject({
      deliver: { to: '+491', toFrom: 'mapping' },
    });
  });

  it('a name from content is one line of at most 200 characters', async () => {
    const payload = { job: `a\r\nHook Evil: b\u2028c${'x'.repeat(300)}` };
    const action = await actionOf({ name: '{{ job }}' }, payload);
    const name = action?.kind === 'agent' ? action.name : '';
    expect(name).toHaveLength(200);
    expect(name).toMatch(/^a Hook Evil: b cx+$/u);
  });

  it('only the mapping can vouch for the content', async () => {
    expect(await actionOf({ allowUnsafeExternalContent: true }, {})).toMatchObject({
      trust: { level: 'trusted' },
    });
    expect(await actionOf({}, { allowUnsafeExternalContent: true })).toMatchObject({
      trust: { level: 'untrusted' },
    });
  });
});

describe('MappingService.apply: the same policies as a direct request (behaviour §7)', () => {
  it.each([
    ['a blank message', { messageTemplate: '{{ a }}' }, { a: ' ' }, 'invalid_payload'],
    ['an unknown thinking level', { thinking: '{{ a }}' }, { a: 'High' }, 'invalid_payload'],
    ['an agent outside the list', { agentId: 'ops' }, {}, 'agent_not_allowed'],
    ['a model outside the list', { model: '{{ a }}' }, { a: 'local/b' }, 'model_not_allowed'],
    [
      'a session that becomes main',
      { sessionKey: 'ma{{ a }}' },
      { a: 'in' },
      'session_key_not_allowed',
    ],
    [
      'a session that becomes an agent',
      { sessionKey: 'a{{ a }}' },
      { a: 'gent:ops:main' },
      'session_key_not_allowed',
    ],
  ])('refuses %s', async (_, mapping, payload, code) => {
    const given = {
      allowedAgentIds: ['main'],
      agents: { defaults: { models: ['local/a'] }, list: [{ id: 'main' }, { id: 'ops' }] },
    };
    const hooks = one(mapping, given);
    expect(await refusal(hooks.apply(hookRequest('m', payload)))).toMatchObject({
      code,
      status: 400,
    });
  });

  it('the request switch does not apply to a mapping key, the prefixes do', async () => {
    const hooks = one(
      { sessionKey: 'hook:{{ a }}' },
      { allowRequestSessionKey: false, allowedSessionKeyPrefixes: ['hook:ci'] },
    );
    expect((await hooks.apply(hookRequest('m', { a: 'ci1' }))).actions).toMatchObject([
      { sessionKey: 'hook:ci1' },
    ]);
    expect((await refusal(hooks.apply(hookRequest('m', { a: 'x' })))).message).toContain('hook:ci');
  });

  it('a key with a gap in it is none', async () => {
    const mapping = {
      sessionKey: 'hook:slack:{{ channel }}:{{ ts }}',
      dedupeKey: '{{ a }} {{ b }}',
    };
    const given = { defaultSessionKey: 'hook:default' };
    expect(await actionOf(mapping, { channel: 'C0', a: 1 }, given)).toMatchObject({
      sessionKey: 'hook:default',
      dedupeKey: undefined,
    });
    expect(await actionOf(mapping, { channel: 'C0', ts: 5, a: 1, b: 0 }, given)).toMatchObject({
      sessionKey: 'hook:slack:C0:5',
      dedupeKey: '1 0',
    });
  });

  it('an unknown agentId falls back to the default agent, with one warning', async () => {
    const hooks = one({ agentId: 'nobody', forEach: 'items' });
    const { actions, warnings } = await hooks.apply(hookRequest('m', { items: [1, 2] }));
    expect(actions).toMatchObject([
      { agentId: 'main', unknownAgentId: 'nobody' },
      { agentId: 'main' },
    ]);
    expect(warnings).toEqual(['unknown agentId, the default agent main takes it']);
  });
});

describe('MappingService.apply: wake actions (behaviour §4, §7)', () => {
  it('renders and trims the text', async () => {
    const action = await actionOf(
      { action: 'wake', textTemplate: ' {{ a }}\n', wakeMode: 'next-heartbeat' },
      { a: 'x' },
    );
    expect(action).toMatchObject({
      kind: 'wake',
      text: 'x',
      mode: 'next-heartbeat',
      agentId: 'main',
    });
  });

  it('goes to the main session of its agent, and the list applies', async () => {
    const agents = { list: [{ id: 'main' }, { id: 'ops' }] };
    const mapping = { action: 'wake', agentId: 'ops', textTemplate: 'x' } as const;
    expect(await actionOf(mapping, {}, { agents })).toMatchObject({ agentId: 'ops', mode: 'now' });
    const hooks = one(mapping, { agents, allowedAgentIds: [] });
    expect((await refusal(hooks.apply(hookRequest('m')))).code).toBe('agent_not_allowed');
  });

  it('a text that renders to blanks is refused', async () => {
    const hooks = one({ action: 'wake', textTemplate: ' {{ a }} ' });
    expect(await refusal(hooks.apply(hookRequest('m', { a: '\n' })))).toMatchObject({
      code: 'invalid_payload',
      status: 400,
    });
  });
});

describe('MappingService.apply: forEach (behaviour §7)', () => {
  const hooks = one({
    forEach: 'items',
    messageTemplate: '{{ index }} {{ item.t }} {{ payload.v }}',
    dedupeKey: '{{ item.t }}',
  });
  const items = (count: number) => Array.from({ length: count }, (_, t) => ({ t }));

  it('makes one action per item, in order, with item, index and the payload', async () => {
    const { actions } = await hooks.apply(hookRequest('m', { v: 1, items: items(2) }));
    expect(actions).toMatchObject([
      { message: '0 0 1', dedupeKey: '0' },
      { message: '1 1 1', dedupeKey: '1' },
    ]);
  });

  it('takes 200 items and refuses 201', async () => {
    expect((await hooks.apply(hookRequest('m', { items: items(200) }))).actions).toHaveLength(200);
    expect((await refusal(hooks.apply(hookRequest('m', { items: items(201) })))).message).toBe(
      'items must have at most 200 items.',
    );
  });

  it.each([[{}], [{ items: {} }], [{ items: 'ab' }], [{ items: null }], [[]], [null], ['text']])(
    'refuses %j, which holds no array',
    async (payload) => {
      expect(await refusal(hooks.apply(hookRequest('m', payload)))).toMatchObject({
        status: 400,
        message: 'items must be an array.',
      });
    },
  );

  it('refuses the whole request when one item is not allowed', async () => {
    const picky = one({ forEach: 'items', messageTemplate: '{{ item }}' });
    expect((await refusal(picky.apply(hookRequest('m', { items: ['a', ' '] })))).code).toBe(
      'invalid_payload',
    );
  });

  it('shows each item without a template, null included', async () => {
    const { actions } = await one({ forEach: 'payload.items' }).apply(
      hookRequest('m', { items: [{ a: 1 }, null] }),
    );
    expect(actions).toMatchObject([{ message: '{"a":1}' }, { message: 'null' }]);
  });
});

describe('MappingService.apply: dedupe keys (behaviour §10)', () => {
  async function keyOf(template: string, payload: unknown) {
    return (await actionOf({ dedupeKey: template }, payload))?.dedupeKey;
  }

  it('are trimmed, and absent when blank', async () => {
    expect(await keyOf(' {{ a }} ', { a: ' 7 ' })).toBe('7');
    expect(await keyOf('{{ a }}', {})).toBeUndefined();
  });

  it('keep 256 characters and become a digest beyond', async () => {
    expect(await keyOf('{{ a }}', { a: 'x'.repeat(256) })).toBe('x'.repeat(256));
    const long = await keyOf('{{ a }}', { a: 'x'.repeat(257) });
    expect(long).toMatch(/^[0-9a-f]{64}$/u);
    expect(await keyOf('{{ a }}', { a: `${'x'.repeat(256)}y` })).not.toBe(long);
  });
});
