import { type ModelsSection, modelRunner } from '../../src/adapters/agents/model.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { failedTurn, KEY, PROMPT, runTurn } from '../support/model-turn.ts';
import { MODEL_REPLY, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';

let server: OpenAiServer;

beforeEach(async () => {
  server = await startOpenAiServer();
});

afterEach(() => server.close());

describe('modelRunner: a turn that succeeds', () => {
  it('sends the key, the instructions, the history and the prompt', async () => {
    const agent = { id: 'main', timeoutSeconds: 600, instructions: 'Be brief.' };
    const history = [
      { role: 'user' as const, text: 'Hello' },
      { role: 'assistant' as const, text: 'Good day' },
      { role: 'assistant' as const, text: '' },
    ];
    await runTurn(server.baseUrl, { agent, history });
    const { headers, body } = await server.request(1);
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Good day' },
        { role: 'user', content: PROMPT },
      ],
    });
  });

  it('splits the model at the first slash', async () => {
    await runTurn(server.baseUrl, { model: 'local/meta-llama/llama-3:8b' });
    expect((await server.request(1)).body).toMatchObject({ model: 'meta-llama/llama-3:8b' });
  });

  it('reads the configuration for each turn', async () => {
    const local = { type: 'openai-compatible' as const, baseUrl: server.baseUrl };
    const sections: ModelsSection[] = [{ providers: {} }, { providers: { local } }];
    const runner = modelRunner({ models: () => sections.shift() ?? { providers: {} } });
    const turn = agentTurn({ model: 'local/llama3' });
    const { signal } = new AbortController();
    await expect(runner.run(turn, signal)).rejects.toMatchObject({ kind: 'permanent' });
    expect((await runner.run(turn, signal)).text).toBe(MODEL_REPLY);
    expect((await server.request(1)).headers.authorization).toBeUndefined();
  });
});

describe('modelRunner: a model that cannot be asked', () => {
  it.each([
    [undefined, 'no model was named'],
    ['llama3', 'is not written <provider>/<model>'],
    ['local/', 'is not written <provider>/<model>'],
    ['/llama3', 'is not written <provider>/<model>'],
    ['remote/llama3', 'add models.providers.remote (configured: local)'],
    ['constructor/llama3', 'there is no model provider "constructor"'],
  ])('model %s is refused without a request', async (model, sentence) => {
    const error = await failedTurn(server.baseUrl, { model });
    expect(error.kind).toBe('permanent');
    expect(error.message).toContain(sentence);
    expect(server.requests).toEqual([]);
  });

  it.each([`http://operator:${KEY}@127.0.0.1:1/v1`, `not a url ${KEY}`])(
    'a base URL that cannot be used is refused without being repeated (%#)',
    async (url) => {
      expect(await failedTurn(url)).toMatchObject({ kind: 'permanent' });
    },
  );
});
