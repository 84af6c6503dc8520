import { agentRunner } from '../../src/adapters/agents/by-agent.ts';
import { commandRunner } from '../../src/adapters/agents/command.ts';
import { gatewayRunner } from '../../src/adapters/agents/gateway.ts';
import { AutoRunner } from '../../src/adapters/agents/by-agent.ts';
import { demoRunner } from '../../src/adapters/agents/demo.ts';
import { modelRunner } from '../../src/adapters/agents/model.ts';
import { AgentError, AgentRunner } from '../../src/hooks/ports/agent-runner.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { KEY, serviceEnvironment } from '../support/command-turn.ts';
import { MODEL_REPLY, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';
import { PROMPT, type Subject, SUBJECTS } from '../support/runner-subjects.ts';

const MINUTE = 60_000;
const never = new AbortController().signal;

let server: OpenAiServer;
let now: number;

beforeEach(async () => {
  now = 0;
  server = await startOpenAiServer();
});

afterEach(() => server.close());

const clock = { now: () => now, elapsed: () => now, wait: () => Promise.resolve() };
const models = () => ({
  providers: { local: { type: 'openai-compatible' as const, baseUrl: server.baseUrl } },
});

/** One that finds its Ollama at the test server. @param probeMs which no answer takes, however busy the machine is */
function auto(probeMs = MINUTE): AgentRunner {
  return new AutoRunner({ models, clock, ollamaUrl: server.origin, probeMs, isDemo: true });
}

describe.each([
  ['demoRunner', () => demoRunner(), undefined],
  ['modelRunner', () => modelRunner({ models }), 'local/llama3'],
  ['AutoRunner', () => auto(), 'auto'],
])('AgentRunner contract: %s', (_name, runner, model) => {
  it('answers with a text and says which model it was', async () => {
    const reply = await runner().run(agentTurn({ model }), never);
    expect(reply.text).not.toBe('');
    expect(reply.model).toMatch(/^(demo|local\/llama3|ollama\/test-model)$/);
  });

  it('rejects with the reason of a signal that has aborted', async () => {
    const reason = new Error('stopping');
    const run = runner().run(agentTurn({ model }), AbortSignal.abort(reason));
    await expect(run).rejects.toBe(reason);
  });
});

describe.each(SUBJECTS)('AgentRunner contract: runner.type %s', (_type, start) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await start();
  });
  afterEach(() => subject[Symbol.asyncDispose]());

  it.each(['The blue elephant is out.', '', 'zwei\nZeilen 😀'])('replies %j', async (text) => {
    const reply = await subject.runner.run(subject.answered(text), never);
    expect(reply.text).toBe(text);
  });

  it('answers turns side by side', async () => {
    const turns = Array.from({ length: 5 }, () => subject.answered('yes'));
    const replies = await Promise.all(turns.map((turn) => subject.runner.run(turn, never)));
    expect(replies.map(({ text }) => text)).toEqual(turns.map(() => 'yes'));
  });

  it('says why it failed, with neither the key nor the prompt', async () => {
    const run = subject.runner.run(subject.refused(), never);
    const error: unknown = await run.catch((reason: unknown) => reason);
    if (!(error instanceof AgentError)) throw new Error(`not an AgentError: ${String(error)}`);
    expect(['permanent', 'needs-operator']).toContain(error.kind);
    expect(error.cause).toBeUndefined();
    for (const secret of [KEY, PROMPT, 'elephant']) {
      expect(`${error.message} ${error.stack}`).not.toContain(secret);
    }
  });

  it('rejects with the reason of a signal that aborts during the turn', async () => {
    const controller = new AbortController();
    const reason = new Error('the deadline');
    const run = subject.runner.run(subject.stalled(), controller.signal);
    controller.abort(reason);
    await expect(run).rejects.toBe(reason);
  });

  it('rejects with the reason of a signal that has aborted', async () => {
    const reason = new Error('stopping');
    const run = subject.runner.run(subject.answered('x'), AbortSignal.abort(reason));
    await expect(run).rejects.toBe(reason);
  });

  it('takes a session, history and instructions', async () => {
    const history = [{ role: 'user', text: 'Hello' }] as const;
    const turn = subject.answered('yes', { history, runnerSession: 's-1' });
    const instructed = { ...turn, agent: { ...turn.agent, instructions: 'Be brief.' } };
    expect((await subject.runner.run(instructed, never)).text).toBe('yes');
  });
});

describe('agentRunner', () => {
  const options = { models, clock, env: serviceEnvironment, workspaces: '/nowhere' };
  const agent = { id: 'main', timeoutSeconds: 1 };

  it('is the model of an agent without a runner', async () => {
    const turn = agentTurn({ agent, model: 'local/llama3' });
    expect((await agentRunner(options).run(turn, never)).model).toBe('local/llama3');
  });

  it('is the demo agent where that was asked for', async () => {
    const turn = agentTurn({
      agent: { ...agent, runner: { type: 'demo' } },
      model: 'local/llama3',
    });
    expect((await agentRunner(options).run(turn, never)).model).toBe('demo');
  });

  it.each([
    [undefined, 'needs-operator', 'no model is configured: set agents.defaults.model'],
    ['auto', 'unreachable', 'no local Ollama with a model answers at http://127.0.0.1:1: start it'],
  ])('without an Ollama the model %s fails and says what to do', async (model, kind, sentence) => {
    const runner = agentRunner({ ...options, ollamaUrl: 'http://127.0.0.1:1' });
    await expect(runner.run(agentTurn({ agent, model }), never)).rejects.toMatchObject({
      name: 'AgentError',
      kind,
      message: expect.stringContaining(sentence),
    });
  });

  it('is the demo agent then where nothing is configured at all', async () => {
    const runner = agentRunner({ ...options, ollamaUrl: 'http://127.0.0.1:1', isDemo: true });
    expect((await runner.run(agentTurn({ agent }), never)).model).toBe('demo');
  });

  it('never begins a turn again that may have acted', () => {
    const { contract } = agentTurn();
    const command = {
      command: 'x',
      args: [],
      output: 'text',
      resultPath: 'result',
      env: [],
    } as const;
    const http = { baseUrl: server.baseUrl, model: 'x', sessions: 'here', headers: {} } as const;
    const runner = agentRunner(options);
    for (const settings of [
      { type: 'command', ...command },
      { type: 'http', ...http },
    ] as const) {
      expect(runner.mayRepeat({ agent: { ...agent, runner: settings }, contract })).toBe(false);
    }
  });

  it.each([
    ['command', commandRunner(options)],
    ['http', gatewayRunner()],
  ])('a runner of type %s refuses an agent of another type', async (type, runner) => {
    const running = runner.run(agentTurn({ agent }), never);
    await expect(running).rejects.toThrow(`agent "main" has no runner of type ${type}`);
  });
});

describe('demoRunner', () => {
  it('says that it is a demo and quotes the message', async () => {
    expect(await demoRunner().run(agentTurn(), never)).toEqual({
      text: 'This is the demo agent: no model was asked. Your message begins with “Where is the station?”.',
      model: 'demo',
    });
  });

  it('only acknowledges a heartbeat', async () => {
    const turn = agentTurn({ kind: 'heartbeat', prompt: 'What is new?' });
    expect((await demoRunner().run(turn, never)).text).toBe('HEARTBEAT_OK');
  });

  it('quotes a message without half a character', async () => {
    const { text } = await demoRunner().run(agentTurn({ prompt: '😀'.repeat(5000) }), never);
    expect(text.length).toBeLessThan(300);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe('AutoRunner', () => {
  it.each([undefined, 'auto'])('asks the first model of a local Ollama for %s', async (model) => {
    server.models = ['llama3:8b', 'other'];
    expect(await auto().run(agentTurn({ model }), never)).toMatchObject({
      text: MODEL_REPLY,
      model: 'ollama/llama3:8b',
    });
  });

  it('passes over models that cannot answer, by name or by what the server says of them', async () => {
    server.models = ['nomic-embed-text:latest', 'bge-m3', 'mxbai-x', 'qwen3:8b'];
    server.capabilities = { 'mxbai-x': ['embedding'], 'qwen3:8b': ['completion', 'tools'] };
    expect((await auto().run(agentTurn(), never)).model).toBe('ollama/qwen3:8b');
  });

  it('asks a named model at its provider, without looking for an Ollama', async () => {
    const reply = await auto().run(agentTurn({ model: 'local/llama3' }), never);
    expect(reply.model).toBe('local/llama3');
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
  });

  it('is the demo agent when nothing answers', async () => {
    const runner = auto();
    await server.close();
    expect((await runner.run(agentTurn(), never)).model).toBe('demo');
  });

  it.each([
    ['an Ollama without models', { body: { object: 'list', data: null } }],
    ['something that is no Ollama', { body: '<p>hello</p>' }],
    ['JSON of another shape', { body: { data: [{ id: 7 }] } }],
    ['a refusal', { status: 404, body: { data: [{ id: 'llama3' }] } }],
  ] as const)('is the demo agent for %s', async (_name, script) => {
    server.next(script);
    expect((await auto().run(agentTurn(), never)).model).toBe('demo');
  });

  it('is the demo agent for a server that does not answer in time', async () => {
    server.next({ stall: 'at-once' });
    expect((await auto(300).run(agentTurn(), never)).model).toBe('demo');
  });

  it('remembers for a minute what it found', async () => {
    const runner = auto();
    server.next({ status: 503, body: '' });
    const both = [runner.run(agentTurn(), never), runner.run(agentTurn(), never)];
    expect((await Promise.all(both)).map(({ model }) => model)).toEqual(['demo', 'demo']);
    now = MINUTE - 1;
    expect((await runner.run(agentTurn(), never)).model).toBe('demo');
    expect(server.requests).toHaveLength(1);
    now = MINUTE;
    expect((await runner.run(agentTurn(), never)).model).toBe('ollama/test-model');
  });

  it('asks the model runner whether a turn may be begun again', () => {
    const mcp = { desk: { command: 'desk-mcp', args: [], env: [] } };
    const agent = { id: 'main', timeoutSeconds: 1, tools: { mcp, untrusted: [] } };
    const { contract } = agentTurn();
    expect(auto().mayRepeat({ agent, contract })).toBe(true);
    expect(auto().mayRepeat({ agent, contract: { ...contract, allowedTools: 'all' } })).toBe(false);
  });
});
