import { modelRunner, type ModelProvider } from '../../src/adapters/agents/index.ts';
import type { ThinkingLevel } from '../../src/hooks/ports/agent-directory.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { anthropic, google, openai, openaiCompatible } from '../support/protocols/index.ts';
import type { ModelProtocol } from '../support/protocols/index.ts';
import { thoughtfulCall } from '../support/protocols/openai.ts';
import { at, listAt } from '../support/protocols/protocol.ts';
import { ProtocolServer, REPLY } from '../support/protocol-server.ts';
import { ask, failedAsk } from '../support/provider-turn.ts';
import { ToolRoom } from '../support/tool-turn.ts';

describe('modelRunner: thinking levels', () => {
  it.each<[ModelProtocol, ThinkingLevel | undefined, unknown]>([
    [openaiCompatible, 'low', 'low'],
    [openaiCompatible, 'off', 'none'],
    [openaiCompatible, 'minimal', 'low'],
    [openaiCompatible, 'max', 'high'],
    [openaiCompatible, 'adaptive', undefined],
    [openai, 'low', 'low'],
    [openai, 'max', 'xhigh'],
    [openai, undefined, undefined],
    [anthropic, 'low', 'low'],
    [anthropic, 'max', 'max'],
    [google, 'low', 6554],
    [google, 'max', 32_768],
    [google, 'adaptive', undefined],
  ])('$type turns %s into its own', async (protocol, thinking, sent) => {
    const server = await ProtocolServer.start(protocol);
    await ask(server, { thinking });
    expect(protocol.thinkingOf((await server.request(1)).body)).toBe(sent);
    await server.close();
  });

  it('a level that the model does not know ends in a warning, and nothing is printed', async () => {
    const printed: Error[] = [];
    const note = (warning: Error) => printed.push(warning);
    process.on('warning', note);
    const server = await ProtocolServer.start(openai);
    const { warnings } = await ask(server, { thinking: 'max' });
    process.off('warning', note);
    await server.close();
    expect(warnings).toEqual([expect.stringContaining('reasoning')]);
    expect(printed).toEqual([]);
  });
});

/** What OpenAI says it takes, model by model: src/adapters/agents/providers/openai.ts names the sources. */
describe("modelRunner: OpenAI's models that know fewer levels", () => {
  const lowest = 'it was asked for "low".';

  it.each<[string, ThinkingLevel, unknown, string | null]>([
    ['o3', 'high', 'high', null],
    ['o3', 'off', 'low', lowest],
    ['o4-mini', 'minimal', 'low', lowest],
    ['o4-mini-2025-04-16', 'max', 'high', 'it was asked for "high".'],
    ['o3-pro', 'xhigh', 'high', 'it was asked for "high".'],
    ['gpt-5-pro', 'low', 'high', 'it was asked for "high".'],
    ['gpt-5.5-pro', 'off', 'medium', 'it was asked for "medium".'],
    ['gpt-5.5-pro', 'max', 'xhigh', 'it was asked for "xhigh".'],
    ['gpt-5-codex', 'minimal', 'low', lowest],
    ['gpt-5.1-codex', 'off', 'low', lowest],
    ['gpt-5.1-codex-max', 'xhigh', 'xhigh', null],
    ['gpt-5.3-codex', 'max', 'xhigh', 'it was asked for "xhigh".'],
    ['gpt-5.1-chat-latest', 'high', undefined, 'it was asked without one.'],
    ['gpt-4o', 'high', undefined, 'it was asked without one.'],
    ['gpt-4.1-mini', 'low', undefined, 'it was asked without one.'],
    ['gpt-4o', 'off', undefined, null],
    ['my-own-deployment', 'high', undefined, 'it was asked without one.'],
  ])('%s with %s is asked for %s', async (modelId, thinking, effort, warning) => {
    const server = await ProtocolServer.start(openai);
    const { warnings } = await ask(server, { model: `local/${modelId}`, thinking });
    expect(openai.thinkingOf((await server.request(1)).body)).toBe(effort);
    const expected = `The model does not know the thinking level "${thinking}": ${warning}`;
    expect(warnings).toEqual(warning === null ? [] : [expected]);
    await server.close();
  });
});

describe('modelRunner: what OpenAI keeps and is asked for', () => {
  it('is not to store the request, and no summary is asked for', async () => {
    const server = await ProtocolServer.start(openai);
    await ask(server, { thinking: 'high' });
    expect((await server.request(1)).body).toMatchObject({
      store: false,
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
    });
    expect(at((await server.request(1)).body, 'reasoning', 'summary')).toBeUndefined();
    await server.close();
  });

  it("gets a model's thoughts back with the result of a tool, and no reference to what it stored", async () => {
    await using room = await ToolRoom.open(openai);
    room.model.answer(thoughtfulCall('desk_echo', { text: 'hi' }));
    expect((await room.turn()).warnings).toEqual([expect.stringContaining('a.dotted')]);
    const { body } = await room.model.request(2);
    expect(JSON.stringify(body)).not.toContain('item_reference');
    expect(listAt(body, 'input').slice(-3)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'gAAAAA-sealed', summary: [] },
      { type: 'function_call', call_id: 'call-1', name: 'desk_echo' },
      { type: 'function_call_output', call_id: 'call-1' },
    ]);
  });
});

describe('modelRunner: what only Google does', () => {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo' };

  it('a wrong key is refused with 400', async () => {
    const server = await ProtocolServer.start(google);
    const details = [{ ...info, reason: 'API_KEY_INVALID' }];
    const error = { code: 400, message: 'no', status: 'INVALID_ARGUMENT', details };
    server.next({ status: 400, body: { error } });
    expect((await failedAsk(server)).message).toContain('check models.providers.local.apiKey');
    await server.close();
  });

  it('the time to come back stands in the body', async () => {
    const server = await ProtocolServer.start(google);
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }];
    const error = { code: 429, message: 'no', status: 'RESOURCE_EXHAUSTED', details };
    server.next({ status: 429, body: { error } });
    expect(await failedAsk(server)).toMatchObject({
      message: 'provider "local" answered 429 (RESOURCE_EXHAUSTED): no',
      retryAfterMs: 34_500,
    });
    await server.close();
  });
});

describe('modelRunner: what a provider needs', () => {
  const never = new AbortController().signal;

  async function refusalOf(provider: ModelProvider): Promise<unknown> {
    const runner = modelRunner({ models: () => ({ providers: { local: provider } }) });
    return runner.run(agentTurn({ model: 'local/some-model' }), never).catch((e: unknown) => e);
  }

  it.each(['openai', 'anthropic', 'google'] as const)('%s needs a key', async (type) => {
    expect(await refusalOf({ type })).toMatchObject({
      kind: 'permanent',
      message: `models.providers.local.apiKey is missing: ${type} needs one`,
    });
  });

  it('openai-compatible needs an address', async () => {
    expect(await refusalOf({ type: 'openai-compatible' })).toMatchObject({ kind: 'permanent' });
  });

  it('the variables that the SDKs look for are not looked at', async () => {
    const server = await ProtocolServer.start(openai);
    const given = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'from-the-env' };
    const before = { ...process.env };
    Object.assign(process.env, given);
    expect((await ask(server)).text).toBe(REPLY);
    for (const name of Object.keys(given)) delete process.env[name];
    Object.assign(process.env, before);
    await server.close();
  });
});
