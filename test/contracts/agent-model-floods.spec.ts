import type { ToolCall } from '../../src/hooks/ports/agent-runner.ts';
import { failedTurn, runTurn } from '../support/model-turn.ts';
import { chunk, event, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';

const MB = 1024 * 1024;
const headers = { 'content-type': 'text/event-stream' };

let server: OpenAiServer;

beforeEach(async () => {
  server = await startOpenAiServer();
});

afterEach(() => server.close());

function answers(deltas: readonly object[], usage?: object): void {
  const events = deltas.map((delta) => event(chunk('llama3', delta)));
  const last = event({ ...chunk('llama3', {}, 'stop'), ...(usage && { usage }) });
  server.next({ headers, body: `${events.join('')}${last}${event('[DONE]')}` });
}

function call(index: number, name: string): object {
  const made = { index, id: `c${index}`, type: 'function', function: { name, arguments: '{}' } };
  return { tool_calls: [made] };
}

describe('modelRunner: a provider that does not stop', () => {
  it.each([
    ['one endless line', `data: ${'x'.repeat(40 * MB)}`],
    ['lines that mean nothing', ': still here\n\n'.repeat(3 * MB)],
  ])('is cut off after 32 MB: %s', async (_name, body) => {
    server.next({ headers, body });
    const error = await failedTurn(server.baseUrl);
    expect(error.kind).toBe('permanent');
    expect(error.message).toBe('provider "local" sent more than 32 MB in one answer');
    expect(await (await server.request(1)).closed).toBe('broken');
  });

  it('is cut off after 32 MB of a refusal', async () => {
    server.next({ status: 400, headers, body: 'x'.repeat(40 * MB) });
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind: 'permanent' });
    expect(await (await server.request(1)).closed).toBe('broken');
  });

  it('is cut off after a reply of 1 MB', async () => {
    answers([{ content: 'x'.repeat(MB) }, { content: 'y' }]);
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'permanent',
      message: 'the model of provider "local" wrote more than 1 MB',
    });
  });

  it('is cut off after 200 tool calls', async () => {
    answers(Array.from({ length: 201 }, (_, index) => call(index, 'none')));
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'permanent',
      message: 'the model of provider "local" made more than 200 tool calls',
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('modelRunner: a provider that tells nonsense', () => {
  it.each([
    { prompt_tokens: -5, completion_tokens: 1 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1e300 },
  ])('of its usage is not counted: %j', async (usage) => {
    answers([{ content: 'Fine.' }], { ...usage, total_tokens: 1 });
    const reply = await runTurn(server.baseUrl);
    expect(reply.text).toBe('Fine.');
    expect(reply.usage).toBeUndefined();
  });

  it('of a tool with an endless name is reported in short', async () => {
    answers([call(0, 'n'.repeat(MB))]);
    let reported: () => readonly ToolCall[] = () => [];
    await runTurn(server.baseUrl, { reportToolCalls: (calls) => void (reported = calls) });
    const [made] = reported();
    expect(made).toMatchObject({ outcome: 'refused' });
    expect(made?.tool).toHaveLength(200);
  });
});
