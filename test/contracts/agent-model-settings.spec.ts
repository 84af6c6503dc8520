import { modelRunner, type ModelProvider } from '../../src/adapters/agents/index.ts';
import type { ThinkingLevel } from '../../src/hooks/ports/agent-directory.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { anthropic, google, openai, openaiCompatible } from '../support/protocols/index.ts';
import type { ModelProtocol } from '../support/protocols/index.ts';
import { ProtocolServer, REPLY } from '../support/protocol-server.ts';
import { ask, failedAsk } from '../support/provider-turn.ts';

describe('modelRunner: thinking levels', () => {
  it.each<[ModelProtocol, ThinkingLevel | undefined, unknown]>([
    [openaiCompatible, 'low', 'low'],
    [openaiCompatible, 'off', 'none'],
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
      message: 'provider "local" answered 429 (RESOURCE_EXHAUSTED)',
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
