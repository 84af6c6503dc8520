import { ingest } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import type { RequestedRun } from './hook-action.ts';

const trust = { level: 'untrusted', verifiedBy: 'token' } as const;

function resolved(asked: Partial<RequestedRun> = {}, given: HooksSettingsInput = {}) {
  const { resolver, current } = ingest(given);
  return resolver.run({ message: 'hi', source: 'agent', trust, ...asked }, current);
}

describe('ActionResolver.run (spec "Request payload: agent", behaviour §5)', () => {
  it('defaults: name Hook, channel last, deliver, wake now, isolated', async () => {
    expect((await resolved()).action).toMatchObject({
      name: 'Hook',
      wakeMode: 'now',
      sessionMode: 'isolated',
      deliver: { channel: 'last' },
    });
  });

  it.each([
    ['line\nbreak\r\nhere', 'line break here'],
    ['a\u0000b\u0085c\u2028d', 'a b c d'],
    [' \n ', 'Hook'],
    ['x'.repeat(201), 'x'.repeat(200)],
    [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
  ])('the name %j becomes %j', async (name, line) => {
    expect((await resolved({ name })).action.name).toBe(line);
  });

  it.each(['to', 'agentId', 'model'])(
    'a %s of more than 1,000 characters is refused',
    async (field) => {
      expect(await resolved({ [field]: 'x'.repeat(1000) }, { models: {} })).toBeDefined();
      await expect(resolved({ [field]: 'x'.repeat(1001) })).rejects.toMatchObject({
        code: 'invalid_payload',
        message: expect.stringContaining(`${field} must have at most 1000 characters`),
      });
    },
  );

  it('who names a channel is told on, for it is not the operator who chose it', async () => {
    expect((await resolved({ channel: 'chan_2' })).action.deliver).toEqual({
      channel: 'chan_2',
      toFrom: 'request',
    });
    expect((await resolved({ channel: 'last' })).action.deliver).toEqual({ channel: 'last' });
  });

  it('timeout, thinking and model come from the request, else from the agent', async () => {
    const agents = {
      list: [{ id: 'main', timeoutSeconds: 7, thinking: 'low' as const, model: 'fast' }],
    };
    const given = { agents, models: { aliases: { fast: 'local/a' } } };
    expect((await resolved({}, given)).action).toMatchObject({
      timeoutSeconds: 7,
      thinking: 'low',
      model: 'local/a',
    });
    const asked = { timeoutSeconds: 1, thinking: 'max', model: 'other/b' };
    expect((await resolved(asked, given)).action).toMatchObject(asked);
  });

  it('the model of an agent is the operator choice and needs no allowlist', async () => {
    const agents = { defaults: { model: 'local/own', models: ['local/a'] } };
    expect((await resolved({}, { agents })).action.model).toBe('local/own');
    await expect(resolved({ model: 'local/own' }, { agents })).rejects.toMatchObject({
      code: 'model_not_allowed',
    });
  });

  it('the session belongs to the agent that runs, not to the one that was named', async () => {
    const given = { allowRequestSessionKey: true, agents: { list: [{ id: 'main' }] } };
    const asked = {
      agentId: 'ghost',
      sessionKey: { key: 'agent:ghost:x', from: 'request' as const },
    };
    await expect(resolved(asked, given)).rejects.toMatchObject({ code: 'session_key_not_allowed' });
  });

  it.each([
    [{}, undefined],
    [{ to: '42' }, 'request'],
    [{ to: '42', toFrom: 'mapping' }, 'mapping'],
    [{ toFrom: 'mapping' }, undefined],
  ] as const)('%j: who named the recipient is %j', async (asked, toFrom) => {
    expect((await resolved(asked)).action.deliver?.toFrom).toBe(toFrom);
  });

  it.each([
    [{ channel: 'chan_3' }, ['chan_3 has no provider, so the reply cannot be delivered']],
    [{ channel: 'chan_3', deliver: false }, []],
    [{ channel: 'last' }, []],
    [{}, []],
  ] as const)('%j: the sender is told %j', async (asked, warnings) => {
    expect((await resolved(asked)).warnings).toEqual(warnings);
  });

  it.each([
    [{}, {}, true],
    [{}, { defaultSessionKey: 'hook:all' }, true],
    [{ sessionMode: 'persistent' }, { defaultSessionKey: 'hook:all' }, false],
    [{ sessionKey: { key: 'hook:all', from: 'mapping' } }, {}, false],
  ] as const)('%j with %j waits for no other run: %s', async (asked, given, isAlone) => {
    expect((await resolved(asked, given)).action.isAlone).toBe(isAlone);
  });
});

describe('ActionResolver.wake (behaviour §4)', () => {
  it('goes to the main session of the default agent, now, trimmed', () => {
    const { resolver, current } = ingest({
      agents: { list: [{ id: 'a' }, { id: 'b', default: true }] },
    });
    expect(resolver.wake({ text: ' x ', trust }, current)).toMatchObject({
      action: { kind: 'wake', text: 'x', mode: 'now', agentId: 'b' },
      warnings: [],
    });
  });
});
