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
  it.each([401, 403])('%i is permanent and names the configuration key', async (status) => {
    server.next(refusal(status, 'invalid_api_key'));
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'permanent',
      message: `the provider refused the API key: check models.providers.local.apiKey (${status})`,
    });
  });

  it.each([
    ['2', 2000],
    ['0.5', 500],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
  ])('429 with Retry-After %s waits %s ms', async (header, retryAfterMs) => {
    server.next(refusal(429, 'rate_limit_exceeded', { 'retry-after': header }));
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind: 'retryable', retryAfterMs });
  });

  it('429 without Retry-After names no time, and is not repeated here', async () => {
    server.next(refusal(429, 'rate_limit_exceeded'));
    const error = await failedTurn(server.baseUrl);
    expect(error).toMatchObject({
      kind: 'retryable',
      message: 'provider "local" answered 429 (rate_limit_exceeded)',
    });
    expect(error.retryAfterMs).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [408, 'retryable'],
    [409, 'retryable'],
    [500, 'retryable'],
    [503, 'retryable'],
    [400, 'permanent'],
    [404, 'permanent'],
    [422, 'permanent'],
  ])('%i is %s', async (status, kind) => {
    server.next(refusal(status, 'some_code'));
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind });
  });

  it('a refusal in words instead of JSON keeps its status', async () => {
    server.next({ status: 502, body: `<h1>${KEY}</h1>` });
    expect(await failedTurn(server.baseUrl)).toMatchObject({
      kind: 'retryable',
      message: 'provider "local" answered 502',
    });
  });

  it('a redirect is not followed', async () => {
    server.next({ status: 307, headers: { location: `${server.origin}/elsewhere` }, body: '' });
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind: 'permanent' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('modelRunner: an answer that breaks', () => {
  const begun = event(chunk('llama3', { content: 'Half an ' }));

  it.each([
    ['bad JSON in the stream', { headers: EVENTS, body: event('{not json') }, 'permanent'],
    ['JSON instead of a stream', { body: { hello: 'world' } }, 'permanent'],
    [
      'a page instead of a stream',
      { headers: { 'content-type': 'text/html' }, body: '<p>' },
      'permanent',
    ],
    ['an end without a finish reason', { headers: EVENTS, body: begun }, 'retryable'],
    ['a connection cut before the answer', { cut: 'at-once' }, 'retryable'],
    ['a connection cut in the middle of it', { cut: 'mid-body' }, 'retryable'],
    [
      'a refusal cut in the middle of it',
      { ...refusal(503, 'busy'), cut: 'mid-body' },
      'retryable',
    ],
  ] as const)('%s is an error', async (_name, script, kind) => {
    server.next(script);
    expect(await failedTurn(server.baseUrl)).toMatchObject({ kind });
  });

  it.each([
    [openAiError(`${KEY} ${PROMPT}`, 'server_error'), 'retryable'],
    [openAiError(`${KEY} ${PROMPT}`, 429), 'retryable'],
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

  it('a refused connection is retryable', async () => {
    const { baseUrl } = server;
    await server.close();
    expect(await failedTurn(baseUrl)).toMatchObject({
      kind: 'retryable',
      message: 'the connection to provider "local" failed (ECONNREFUSED)',
    });
  });
});
