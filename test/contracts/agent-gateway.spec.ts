import { gatewayRunner } from '../../src/adapters/agents/gateway.ts';
import { AgentError } from '../../src/hooks/ports/agent-runner.ts';
import type { AgentTurn } from '../../src/hooks/ports/agent-runner.ts';
import type { GatewaySettings } from '../../src/hooks/ports/agent-directory.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { KEY } from '../support/command-turn.ts';
import { MODEL_REPLY, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';
import { gateway } from '../support/runner-subjects.ts';

let server: OpenAiServer;

beforeEach(async () => {
  server = await startOpenAiServer();
});

afterEach(() => server.close());

function ask(over: Partial<AgentTurn> = {}, settings: Partial<GatewaySettings> = {}) {
  const runner = { ...gateway(settings.baseUrl ?? server.baseUrl), ...settings };
  const agent = { id: 'ops', timeoutSeconds: 600, instructions: 'Be brief.', runner };
  return gatewayRunner().run(agentTurn({ agent, ...over }), new AbortController().signal);
}

async function failed(): Promise<AgentError> {
  const error: unknown = await ask().catch((reason: unknown) => reason);
  if (!(error instanceof AgentError)) throw new Error(`not an AgentError: ${String(error)}`);
  return error;
}

const history = [
  { role: 'user', text: 'Hello' },
  { role: 'assistant', text: 'Good day' },
] as const;

describe('gatewayRunner: what the gateway receives', () => {
  it('the key, the model and the headers of the agent, the session and the contract', async () => {
    expect(await ask()).toMatchObject({
      text: MODEL_REPLY,
      model: 'agent:ops',
      runnerSession: 'agent:main:hook:run-1:run-1',
    });
    const { headers, body } = await server.request(1);
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-agent': 'ops',
      'x-session': 'agent:main:hook:run-1:run-1',
    });
    expect(JSON.parse(String(headers['x-contract']))).toEqual(agentTurn().contract);
    expect(body).toMatchObject({ model: 'agent:ops', stream: true });
  });

  it.each([
    ['a\r\nx-evil: 1', 'a%0D%0Ax-evil: 1:run-1'],
    ['grüße\0', 'gr%C3%BC%C3%9Fe%00:run-1'],
    ['$&\ud800', '$&%EF%BF%BD:run-1'],
  ])('the session %j on one line', async (sessionKey, sent) => {
    await ask({ sessionKey });
    const { headers } = await server.request(1);
    expect(headers['x-session']).toBe(sent);
    expect(headers['x-evil']).toBeUndefined();
  });

  it('a contract of any language', async () => {
    const mayDeliverTo = { channel: 'chan_1', to: 'Zoë\n😀' } as const;
    const contract = { ...agentTurn().contract, mayDeliverTo };
    await ask({ contract });
    const { headers } = await server.request(1);
    expect(JSON.parse(String(headers['x-contract']))).toEqual(contract);
  });
});

describe('gatewayRunner: the conversation', () => {
  it('is sent to a gateway that does not know the session yet', async () => {
    await ask({ history });
    expect((await server.request(1)).body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Good day' },
        { role: 'user', content: 'Where is the station?' },
      ],
    });
  });

  it('is left to a gateway that knows it, under the same id', async () => {
    const { runnerSession } = await ask();
    await ask({ id: 'run-2', history, runnerSession });
    const { headers, body } = await server.request(2);
    expect(headers['x-session']).toBe(runnerSession);
    expect(body).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] });
  });

  it('is another one for each isolated run', async () => {
    await ask({ id: 'run-1' });
    await ask({ id: 'run-2' });
    expect((await server.request(2)).headers['x-session']).toBe('agent:main:hook:run-1:run-2');
  });

  it('is sent every time where it is kept here, though a header names the session', async () => {
    const { runnerSession } = await ask({}, { sessions: 'here' });
    await ask({ id: 'run-2', history, runnerSession }, { sessions: 'here' });
    const { headers, body } = await server.request(2);
    expect(headers['x-session']).toBe('agent:main:hook:run-1:run-1');
    expect(body).toMatchObject({ messages: { length: 4 } });
  });

  it('has no name where no header asks for one', async () => {
    const reply = await ask({}, { sessions: 'here', headers: {} });
    expect(reply.runnerSession).toBeUndefined();
  });
});

describe('gatewayRunner: a failure', () => {
  it('before anything was begun is retryable', async () => {
    server.next({ status: 429, headers: { 'retry-after': '3' } }, { status: 503 });
    expect(await failed()).toMatchObject({ kind: 'rate-limited', retryAfterMs: 3000 });
    expect(await failed()).toMatchObject({ kind: 'unreachable' });
  });

  it.each([{ status: 500 }, { status: 504 }, { cut: 'mid-body' }, { cut: 'at-once' }] as const)(
    'after the gateway was asked is permanent, for it may have acted: %j',
    async (script) => {
      server.next(script);
      const error = await failed();
      expect(error.kind).toBe('permanent');
      expect(error.message).toContain('it may have acted already, so it is not asked again');
    },
  );

  it('of the key names where it is configured', async () => {
    server.next({ status: 401, body: {} });
    const { message, kind } = await failed();
    expect(kind).toBe('needs-operator');
    expect(message).toContain('check agents.list[].runner.apiKey (401)');
  });

  it('to be reached at all says so', async () => {
    const { baseUrl } = server;
    await server.close();
    const running = ask({}, { baseUrl });
    await expect(running).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

it('gatewayRunner: a turn that is too long is not asked again with less, for the gateway may have acted', async () => {
  server.window = 10;
  const shorten = () => 'Hi';
  const turn = ask({ history: [...history], prompt: 'word '.repeat(100), shorten });
  await expect(turn).rejects.toMatchObject({ kind: 'permanent' });
  expect(server.requests).toHaveLength(1);
});
