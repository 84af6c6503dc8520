import { PROTOCOLS, STEP_USAGE } from '../support/protocols/index.ts';
import { ProtocolServer, REPLY } from '../support/protocol-server.ts';
import { ask, failedAsk, KEY, PROMPT } from '../support/provider-turn.ts';

const EVENTS = { 'content-type': 'text/event-stream' };

describe.each(PROTOCOLS)('modelRunner contract: %s', (_type, protocol) => {
  let server: ProtocolServer;

  beforeEach(async () => {
    server = await ProtocolServer.start(protocol);
  });

  afterEach(() => server.close());

  describe('an answer', () => {
    it('is streamed, joined, and comes with its model and usage', async () => {
      expect(await ask(server)).toEqual({
        text: REPLY,
        model: `local/${protocol.modelId}`,
        usage: STEP_USAGE,
        warnings: [],
      });
      const { body, headers } = await server.request(1);
      expect(protocol.keyOf(headers)).toBe(KEY);
      expect(JSON.stringify(body)).toContain(PROMPT);
    });

    it('is asked for with the system prompt', async () => {
      const agent = { id: 'main', timeoutSeconds: 600, instructions: 'Be brief.' };
      await ask(server, { agent });
      expect(protocol.systemOf((await server.request(1)).body)).toBe('Be brief.');
    });

    it('that is empty is a reply with a warning', async () => {
      server.answer(protocol.text(''));
      expect(await ask(server)).toMatchObject({
        text: '',
        warnings: ['The model answered with nothing.'],
      });
    });

    it('that was cut at the model’s limit says so', async () => {
      server.answer(protocol.text('Half an', 'length'));
      expect(await ask(server)).toMatchObject({
        text: 'Half an',
        warnings: ['The answer was cut at the longest that the model writes.'],
      });
    });
  });

  describe('a refusal', () => {
    it.each([401, 403])('%i names the configuration key', async (status) => {
      server.next({ status, body: protocol.refusal(status, `${KEY} ${PROMPT}`) });
      expect(await failedAsk(server)).toMatchObject({
        kind: 'needs-operator',
        message: expect.stringContaining(
          `the provider refused the API key: check models.providers.local.apiKey (${status})`,
        ),
      });
    });

    it.each([
      [429, { 'retry-after': '7' }, 'rate-limited', 7000],
      [429, {}, 'rate-limited', undefined],
      [500, {}, 'retryable', undefined],
      [529, {}, 'unreachable', undefined],
      [400, {}, 'permanent', undefined],
      [404, {}, 'needs-operator', undefined],
    ])('%i with %j is %s', async (status, headers, kind, retryAfterMs) => {
      server.next({ status, headers, body: protocol.refusal(status, `${KEY} ${PROMPT}`) });
      const error = await failedAsk(server);
      expect([error.kind, error.retryAfterMs]).toEqual([kind, retryAfterMs]);
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('an answer that breaks', () => {
    // As far as the protocol tells the two apart.
    const passing: unknown = expect.stringMatching(/^(?:retryable|unreachable)$/);
    const begun = protocol.text(REPLY).slice(0, 3).join('');

    it.each([
      ['bad JSON', { headers: EVENTS, body: 'data: {not json\n\n' }, 'permanent'],
      [
        'bad JSON after a good start',
        { headers: EVENTS, body: `${begun}data: {no\n\n` },
        'permanent',
      ],
      ['JSON instead of a stream', { body: { hello: 'world' } }, 'permanent'],
      ['an overload in the stream', { headers: EVENTS, body: begun + protocol.overload }, passing],
      ['an overload as the first event', { headers: EVENTS, body: protocol.overload }, passing],
      ['an end without an ending', { headers: EVENTS, body: begun }, 'retryable'],
      ['a connection cut at once', { cut: 'at-once' }, 'retryable'],
      ['a connection cut in the middle', { cut: 'mid-body' }, 'retryable'],
    ] as const)('%s is an error', async (_name, script, kind) => {
      server.next(script);
      expect((await failedAsk(server)).kind).toEqual(kind);
    });

    it.each(['at-once', 'mid-body'] as const)(
      'stalled %s, it is left at the deadline, and the connection closes',
      async (stall) => {
        server.next({ stall });
        const deadline = new AbortController();
        const reason = new Error('the deadline');
        const asking = ask(server, {}, deadline.signal);
        const { closed } = await server.request(1);
        deadline.abort(reason);
        await expect(asking).rejects.toBe(reason);
        expect(await closed).toBe('broken');
      },
    );
  });
});
