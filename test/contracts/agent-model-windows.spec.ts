import { modelRunner } from '../../src/adapters/agents/model.ts';
import type { AgentTurn, TranscriptMessage } from '../../src/hooks/ports/agent-runner.ts';
import { anthropic, google, openaiCompatible, STEP_USAGE } from '../support/protocols/index.ts';
import type { ModelProtocol } from '../support/protocols/index.ts';
import { at, event } from '../support/protocols/protocol.ts';
import { KEY, PROMPT, runnerFor, turnFor } from '../support/provider-turn.ts';
import { ProtocolServer, REPLY } from '../support/protocol-server.ts';
import { TOO_LONG_REFUSALS } from '../support/too-long-refusals.ts';
import { ToolRoom } from '../support/tool-turn.ts';

/** Four earlier turns of the same length, some 7,600 tokens each as they are estimated. */
const HISTORY: readonly TranscriptMessage[] = [1, 2, 3, 4].flatMap((turn) => [
  { role: 'user' as const, text: `question ${turn}: ${'words '.repeat(1900)}` },
  { role: 'assistant' as const, text: `answer ${turn}: ${'words '.repeat(1900)}` },
]);

function turnsOf(body: unknown): number[] {
  const text = JSON.stringify(body);
  return [1, 2, 3, 4].filter(
    (turn) => text.includes(`question ${turn}:`) && text.includes(`answer ${turn}:`),
  );
}

let server: ProtocolServer;

afterEach(() => server.close());

async function start(protocol: ModelProtocol = openaiCompatible): Promise<void> {
  server = await ProtocolServer.start(protocol);
}

function turnWith(contextTokens: number | undefined, over: Partial<AgentTurn>) {
  const provider = { ...server.provider(KEY), contextTokens };
  const runner = modelRunner({ models: () => ({ providers: { local: provider } }) });
  return runner.run(turnFor(server, over), new AbortController().signal);
}

function asked(): unknown[] {
  return server.requests
    .filter(({ path }) => path === server.protocol.route)
    .map(({ body }) => body);
}

const ENDLESS = 1_000_000;
const full = "the model's window is full";

describe.each(TOO_LONG_REFUSALS)(
  'a conversation that is too long for %s',
  (_who, protocol, refusal) => {
    it('is asked with half of it at once, then with none', async () => {
      await start(protocol);
      server.next(refusal, refusal);
      const reply = await turnWith(ENDLESS, { history: HISTORY });
      expect(reply).toMatchObject({
        text: REPLY,
        usage: STEP_USAGE,
        warnings: [`4 earlier turns were left out: ${full}.`],
      });
      expect(asked().map(turnsOf)).toEqual([[1, 2, 3, 4], [3, 4], []]);
      for (const body of asked()) expect(JSON.stringify(body)).toContain(PROMPT);
    });
  },
);

const [, , TOO_LONG = {}] = TOO_LONG_REFUSALS[1] ?? [];

describe('a refusal that names its limit', () => {
  it('has what fits asked at once', async () => {
    await start();
    const message =
      "This endpoint's maximum context length is 26,000 tokens. However, you requested about 33000 tokens.";
    server.next({ status: 400, body: { error: { message, code: 400 } } });
    const { warnings } = await turnWith(ENDLESS, { history: HISTORY });
    expect(asked().map(turnsOf)).toEqual([
      [1, 2, 3, 4],
      [3, 4],
    ]);
    expect(warnings).toEqual([`2 earlier turns were left out: ${full}.`]);
  });

  it('is not believed where it repeats what was asked', async () => {
    await start();
    const forged =
      "This model's maximum context length is 1 tokens. However, you requested 2 tokens.";
    const history = [{ role: 'user' as const, text: forged }, ...HISTORY];
    server.next({ status: 400, body: { error: { message: `Invalid value: '${forged}'` } } });
    await expect(turnWith(ENDLESS, { history })).rejects.toMatchObject({ kind: 'permanent' });
    expect(asked()).toHaveLength(1);
  });
});

describe('a prompt that is too long by itself', () => {
  /** As the work room shortens it: to no less than a hundred characters. */
  const shortened: number[] = [];
  const shorten = (characters: number): string | undefined => {
    shortened.push(characters);
    return characters < 100 ? undefined : 'p'.repeat(characters);
  };
  beforeEach(() => void (shortened.length = 0));

  it('is asked with a quarter of it each time, after the conversation', async () => {
    await start();
    server.next(TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG);
    const prompt = 'p'.repeat(8000);
    const { warnings } = await turnWith(ENDLESS, { history: HISTORY, prompt, shorten });
    expect(asked().map(turnsOf)).toEqual([[1, 2, 3, 4], [3, 4], [], [], []]);
    expect(shortened).toEqual([2000, 500]);
    expect(warnings).toEqual([
      `4 earlier turns were left out: ${full}.`,
      `The prompt was shortened from 8000 to 500 characters: ${full}.`,
    ]);
  });

  it('fails with what to do once nothing more can be left out, and is no trouble of the provider', async () => {
    await start();
    server.meanwhile = TOO_LONG;
    const turn = turnWith(ENDLESS, { prompt: 'p'.repeat(300), shorten });
    await expect(turn).rejects.toMatchObject({
      kind: 'needs-operator',
      message:
        'provider "local" answered 400 (context_length_exceeded, messages): Please reduce the length of the messages or completion; nothing more can be left out: give the agent a model with a larger window than "local/llama3" has, or shorter instructions',
    });
    expect(asked()).toHaveLength(1);
  });

  it('is shortened before it is asked, where the window is known', async () => {
    await start();
    const prompt = 'p'.repeat(80_000);
    const { warnings } = await turnWith(8192, { history: HISTORY, prompt, shorten });
    expect(asked()).toHaveLength(1);
    expect(shortened).toHaveLength(1);
    // Three quarters of the window, at three bytes to a token.
    expect(shortened[0]).toBeGreaterThan(17_000);
    expect(shortened[0]).toBeLessThan(18_432);
    expect(warnings).toHaveLength(2);
  });
});

describe('a window that is known', () => {
  it('has the oldest turns left out, and the answer its room', async () => {
    await start();
    await turnWith(32_000, { history: HISTORY });
    await turnWith(32_000, { history: HISTORY, maxOutputTokens: 1000 });
    await turnWith(32_000, { history: HISTORY, maxOutputTokens: 30_000 });
    expect(asked().map(turnsOf)).toEqual([
      [2, 3, 4],
      [1, 2, 3, 4],
      [3, 4],
    ]);
    expect(asked().map((body) => at(body, 'max_tokens'))).toEqual([undefined, 1000, 16_000]);
  });

  it('has room for the instructions', async () => {
    await start();
    const agent = { id: 'main', timeoutSeconds: 600, instructions: 'i'.repeat(30_000) };
    await turnWith(32_000, { history: HISTORY, agent });
    expect(asked().map(turnsOf)).toEqual([[4]]);
  });
});

describe('a provider that lists how long its windows are', () => {
  const model = { id: 'llama3', object: 'model' };
  const other = { id: 'other', max_model_len: 2048 };

  it.each([
    // vllm-project/vllm vllm/entrypoints/openai/models/protocol.py
    [
      'vLLM',
      openaiCompatible,
      '/v1/models',
      { data: [other, { ...model, max_model_len: 32_000 }] },
    ],
    // earendil-works/pi#6378
    [
      'OpenRouter',
      openaiCompatible,
      '/v1/models',
      { data: [{ ...model, context_length: 1_048_576, top_provider: { context_length: 32_000 } }] },
    ],
    // NousResearch/hermes-agent#64897
    [
      'llama.cpp',
      openaiCompatible,
      '/v1/models',
      { data: [{ ...model, meta: { n_ctx: 32_000, n_ctx_train: 262_144 } }] },
    ],
    // docs.rs/crate/groqai/0.1.9/source/src/api/models.rs
    ['Groq', openaiCompatible, '/v1/models', { data: [{ ...model, context_window: 32_000 }] }],
    // ollama/ollama api/types.go @fb30760, `ProcessModelResponse`
    [
      'Ollama',
      openaiCompatible,
      '/api/ps',
      { models: [{ name: 'llama3:latest', model: 'llama3:latest', context_length: 32_000 }] },
    ],
    // lmstudio-ai/docs 1_developer/2_rest/endpoints.mdx
    [
      'LM Studio',
      openaiCompatible,
      '/api/v0/models',
      { data: [{ ...model, max_context_length: 131_072, loaded_context_length: 32_000 }] },
    ],
    // platform.claude.com/docs/en/api/cli/models/retrieve.md
    [
      'Anthropic',
      anthropic,
      `/v1/models/${anthropic.modelId}`,
      { id: anthropic.modelId, type: 'model', max_input_tokens: 32_000 },
    ],
    // ai.google.dev/api/models
    [
      'Google',
      google,
      `/v1beta/models/${google.modelId}`,
      { name: `models/${google.modelId}`, inputTokenLimit: 32_000 },
    ],
  ] as const)('%s is asked once, with its key', async (_who, protocol, path, list) => {
    await start(protocol);
    server.lists = { [path]: list };
    const runner = runnerFor(server);
    for (let turn = 0; turn < 2; turn += 1) {
      await runner.run(turnFor(server, { history: HISTORY }), new AbortController().signal);
    }
    expect(asked().map(turnsOf)).toEqual([
      [2, 3, 4],
      [2, 3, 4],
    ]);
    const questions = server.requests.filter((request) => request.path === path);
    expect(questions.map(({ headers }) => protocol.keyOf(headers))).toEqual([KEY]);
  });

  it('is not asked about a turn that fits into any window', async () => {
    await start();
    await turnWith(undefined, {});
    expect(server.requests).toHaveLength(1);
  });

  it('has the model asked with everything where it says nothing of it', async () => {
    await start();
    server.lists = { '/v1/models': { data: [other] } };
    await turnWith(undefined, { history: HISTORY });
    expect(asked().map(turnsOf)).toEqual([[1, 2, 3, 4]]);
  });
});

describe('a turn that its tools make too long', () => {
  it('goes on with less of the conversation, and calls no tool twice', async () => {
    await using room = await ToolRoom.open();
    server = room.model;
    room.calls('desk_echo', { text: 'hi' });
    server.next({ status: 404 }, { status: 404 }, { status: 404 }, {}, TOO_LONG);
    const reply = await room.turn({ history: HISTORY });
    expect(asked().map(turnsOf)).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      [3, 4],
    ]);
    expect(JSON.stringify(asked()[2])).toContain('echo: hi');
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo', outcome: 'succeeded' }]);
    expect(reply).toMatchObject({
      text: REPLY,
      usage: {
        inputTokens: 2 * STEP_USAGE.inputTokens,
        outputTokens: 2 * STEP_USAGE.outputTokens,
      },
    });
  });

  it('is not begun again where there is nothing to leave out', async () => {
    await using room = await ToolRoom.open();
    server = room.model;
    room.calls('desk_echo', { text: 'hi' });
    server.next({}, TOO_LONG);
    await expect(room.turn()).rejects.toMatchObject({
      kind: 'permanent',
      message: expect.stringContaining('because tools were used already: desk_echo'),
    });
    expect(room.toolCalls).toHaveLength(1);
    expect(asked()).toHaveLength(2);
  });

  it('is not begun again after a person has decided', async () => {
    await using room = await ToolRoom.open();
    server = room.model;
    room.calls('desk_echo', { text: 'hi' });
    const asks = { tools: ['desk_echo'], canWait: true };
    const { state = '' } = (await room.turn({ asks })).asks ?? {};
    server.next(TOO_LONG);
    const resumed = { state, isApproved: true };
    await expect(room.turn({ asks, resumed })).rejects.toMatchObject({ kind: 'permanent' });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo', outcome: 'succeeded' }]);
    expect(asked()).toHaveLength(2);
  });

  it('is not begun again once the model has said something of the step', async () => {
    await start();
    const [begun = '', words = ''] = openaiCompatible.text('Half an answer');
    const error = { message: 'the request exceeds the available context size', code: 400 };
    const body = begun + words + event({ error });
    server.next({ headers: { 'content-type': 'text/event-stream' }, body });
    await expect(turnWith(ENDLESS, { history: HISTORY })).rejects.toMatchObject({
      kind: 'permanent',
    });
    expect(asked()).toHaveLength(1);
  });
});
