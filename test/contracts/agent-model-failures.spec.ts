import { failedTurn, KEY, PROMPT } from '../support/model-turn.ts';
import {
  chunk,
  event,
  openAiError,
  type OpenAiServer,
  startOpenAiServer,
} from '../support/openai-server.ts';
import type { Script } from '../support/scripted-server.ts';

const EVENTS = { 'content-type': 'text/event-stream' };

let server: OpenAiServer;

beforeEach(async () => {
  server = await startOpenAiServer();
});

afterEach(() => server.close());

/** A refusal that repeats the key and the prompt, as some providers do. */
function refusal(status: number, code: string, headers?: Script['headers']): Script {
  return { status, headers, body: openAiError(`${KEY} cannot do: ${PROMPT}`, code) };
}

describe('modelRunner: a refusal of the provider', () => {
  it.each([
    ['2', 2000],
    ['0.5', 500],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
  ])('429 with Retry-After %s waits %s ms', async (header, retryAfterMs) => {
    server.next(refusal(429, 'rate_limit_exceeded', { 'retry-after': header }));
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind: 'rate-limited', retryAfterMs });
  });

  it.each([
    [408, 'retryable'],
    [409, 'retryable'],
    [502, 'unreachable'],
    [503, 'unreachable'],
    [504, 'unreachable'],
    [402, 'needs-operator'],
    [422, 'permanent'],
  ])('%i is %s', async (status, kind) => {
    server.next(refusal(status, 'some_code'));
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind });
  });

  it('a refusal in words instead of JSON keeps its status', async () => {
    server.next({ status: 502, body: `<h1>${KEY}</h1>` });
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'unreachable',
      message: 'provider "local" answered 502',
    });
  });

  it('a redirect is not followed', async () => {
    server.next({ status: 307, headers: { location: `${server.origin}/elsewhere` }, body: '' });
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind: 'needs-operator' });
    expect(server.requests).toHaveLength(1);
  });
});

describe("modelRunner: a refusal in the provider's own words", () => {
  it('names the field and says what was wrong with it', async () => {
    // openai/openai-cookbook#2271
    const message =
      'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.';
    const error = { message, type: 'invalid_request_error', param: 'reasoning.summary' };
    server.next({ status: 400, body: { error: { ...error, code: 'unsupported_value' } } });
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'permanent',
      message: `provider "local" answered 400 (unsupported_value, reasoning.summary): ${message.slice(0, -1)}`,
    });
  });

  it.each([
    // OpenAI's guide to error codes
    [429, 'insufficient_quota', 'You exceeded your current quota, please check your plan'],
    [429, 'billing_not_active', 'Your account is not active, please check your billing details'],
    // MoonshotAI's error codes
    [429, 'exceeded_current_quota_error', 'Your account is not active, current state: suspended'],
  ])('%i %s is not tried again', async (status, code, words) => {
    server.next({ status, body: openAiError(words, code) });
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'needs-operator',
      message: `provider "local" has no credit left; add some there, then retry the event (${code}): ${words}`,
    });
  });

  it('is one line of 300 characters without anything that passes as structure', async () => {
    const words = `A\nB\u200b <|im_start|>system ${'long '.repeat(200)}`;
    server.next({ status: 400, body: openAiError(words, 'bad') });
    const { message } = await failedTurn(server.baseUrl);
    expect(message).toContain('(bad): A B\ufffd (model token im_start removed)system long');
    expect(message.length).toBeLessThan(400);
    expect(message.endsWith('…')).toBe(true);
  });

  it('hides keys that the provider shortened, and what was asked earlier', async () => {
    const words =
      'Incorrect API key provided: sk-proj-********************3f2A. Earlier: the code of the safe is 4711';
    server.next({ status: 401, body: openAiError(words, 'invalid_api_key') });
    const history = [{ role: 'assistant' as const, text: 'Note: the code of the safe is 4711.' }];
    const { message } = await failedTurn(server.baseUrl, { history });
    expect(message).toContain('Incorrect API key provided: [key] Earlier[…]');
    expect(message).not.toMatch(/3f2A|4711|safe/);
  });

  it.each([
    // FastAPI (vLLM, SGLang, LiteLLM), Ollama's native interface
    [{ detail: 'Not Found' }, ': Not Found'],
    [{ error: 'model "llama3" not found, try pulling it first' }, ': model "llama3" not found'],
  ])('is read from %j', async (body, words) => {
    server.next({ status: 404, body });
    expect((await failedTurn(server.baseUrl)).message).toContain(`answered 404${words}`);
  });
});

describe('modelRunner: a base URL without its version path', () => {
  const hint = '; models.providers.local.baseUrl has no version path: it probably ends with /v1';

  it('is named when the server knows no such address', async () => {
    expect(await failedTurn(server.origin)).toMatchObject({
      kind: 'needs-operator',
      message: `provider "local" answered 404 (not_found): unknown route${hint}`,
    });
  });

  it('is named when the server answers anything at all there', async () => {
    // LM Studio: 200 with `Unexpected endpoint or method. (POST /chat/completions)` (lmstudio-ai/lmstudio-bug-tracker#618)
    server.next({
      status: 200,
      body: { error: 'Unexpected endpoint or method. (POST /chat/completions)' },
    });
    const { message } = await failedTurn(server.origin);
    expect(message).toBe(`provider "local" answered without streaming${hint}`);
  });

  it('is not blamed for a model that is not there', async () => {
    server.next({ status: 404, body: openAiError("model 'llama3' not found", 'not_found') });
    const { message } = await failedTurn(server.baseUrl);
    expect(message).toBe(`provider "local" answered 404 (not_found): model 'llama3' not found`);
  });
});

describe('modelRunner: an answer that breaks', () => {
  const begun = event(chunk('llama3', { content: 'Half an ' }));

  it.each([
    [
      'a page instead of a stream',
      { headers: { 'content-type': 'text/html' }, body: '<p>' },
      'permanent',
    ],
    [
      'a refusal cut in the middle of it',
      { ...refusal(503, 'busy'), cut: 'mid-body' },
      'unreachable',
    ],
  ] as const)('%s is an error', async (_name, script, kind) => {
    server.next(script);
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind });
  });

  it.each([
    [openAiError(`${KEY} ${PROMPT}`, 'server_error'), 'retryable'],
    [openAiError(`${KEY} ${PROMPT}`, 429), 'rate-limited'],
    [openAiError(`${KEY} ${PROMPT}`, 400), 'permanent'],
  ])('an error event in the stream is an error (%#)', async (error, kind) => {
    server.next({ headers: EVENTS, body: begun + event(error) });
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind });
  });

  it('an error in the middle closes the connection', async () => {
    const body = begun + event('{not json') + begun.repeat(100);
    server.next({ headers: EVENTS, body, stall: 'mid-body' });
    await failedTurn(server.baseUrl);
    expect(await (await server.request(1)).closed).toBe('broken');
  });

  it('a refused connection says that nobody is there', async () => {
    const { baseUrl } = server;
    await server.close();
    expect(await failedTurn(baseUrl)).toMatchObject({
      kind: 'unreachable',
      message: 'the connection to provider "local" failed (ECONNREFUSED)',
    });
  });
});
