import { channelAt, failedDelivery, message, never, TOKEN } from '../support/telegram-delivery.ts';
import {
  startTelegramServer,
  telegramError,
  type TelegramServer,
} from '../support/telegram-server.ts';

let server: TelegramServer;

beforeEach(async () => {
  server = await startTelegramServer();
});

afterEach(() => server.close());

describe('telegram: a refusal', () => {
  it.each([
    [401, 'Unauthorized', 'auth'],
    [400, 'Bad Request: chat not found', 'permanent'],
    [403, 'Forbidden: bot was blocked by the user', 'permanent'],
    [404, 'Not Found', 'permanent'],
    [500, 'Internal Server Error', 'retryable'],
    [502, 'Bad Gateway', 'retryable'],
  ] as const)('%i %s is %s', async (status, description, kind) => {
    server.next(telegramError(status, description));
    expect(await failedDelivery(channelAt(server.apiRoot).send(message(), never))).toMatchObject({
      kind,
      code: String(status),
    });
  });

  it('says in Telegram’s words why, without the token', async () => {
    server.next(telegramError(400, `Bad Request: chat not found\n${TOKEN}`));
    expect((await failedDelivery(channelAt(server.apiRoot).send(message(), never))).message).toBe(
      'Telegram refused the message: Bad Request: chat not found …',
    );
  });

  it('429 is rate-limited for as long as Telegram asks', async () => {
    server.next(telegramError(429, 'Too Many Requests: retry after 7', { retry_after: 7 }));
    expect(await failedDelivery(channelAt(server.apiRoot).send(message(), never))).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 7000,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('429 without a time names none', async () => {
    server.next(telegramError(429, 'Too Many Requests'));
    const error = await failedDelivery(channelAt(server.apiRoot).send(message(), never));
    expect(error.kind).toBe('rate-limited');
    expect(error.retryAfterMs).toBeUndefined();
  });

  it('a blank text is refused without a request', async () => {
    const error = await failedDelivery(
      channelAt(server.apiRoot).send(message({ text: ' \n' }), never),
    );
    expect(error.kind).toBe('permanent');
    expect(server.requests).toEqual([]);
  });
});

describe('telegram: an answer that never comes', () => {
  it.each([
    ['a connection cut before it', { cut: 'at-once' }, 'retryable'],
    ['a connection cut in the middle of it', { cut: 'mid-body' }, 'retryable'],
    ['a page instead of it', { status: 502, body: '<h1>Bad Gateway</h1>' }, 'retryable'],
    ['nonsense instead of it', { body: 'null' }, 'retryable'],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }, 'permanent'],
  ] as const)('%s is %s', async (_name, script, kind) => {
    server.next(script);
    expect((await failedDelivery(channelAt(server.apiRoot).send(message(), never))).kind).toBe(
      kind,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('a refused connection is retryable and named', async () => {
    const sender = channelAt(server.apiRoot);
    await server.close();
    expect(await failedDelivery(sender.send(message(), never))).toMatchObject({
      kind: 'retryable',
      code: 'ECONNREFUSED',
    });
  });

  it('an abort closes the connection and rejects with its reason', async () => {
    server.next({ stall: 'at-once' });
    const controller = new AbortController();
    const reason = new Error('stopping');
    const sending = channelAt(server.apiRoot).send(message(), controller.signal);
    const { closed } = await server.request(1);
    controller.abort(reason);
    await expect(sending).rejects.toBe(reason);
    expect(await closed).toBe('broken');
  });

  it('nothing is sent when the signal has aborted already', async () => {
    const reason = new Error('stopping');
    await expect(channelAt(server.apiRoot).send(message(), AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
    expect(server.requests).toEqual([]);
  });
});
