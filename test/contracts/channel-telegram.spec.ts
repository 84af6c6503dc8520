import { channelProviders } from '../../src/adapters/channels/providers.ts';
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

describe('telegram: a message that is taken', () => {
  it('goes to the chat as it is, and its id is given back', async () => {
    expect(await channelAt(server.apiRoot).send(message(), never)).toEqual({ messageId: '1' });
    const { method, path, body } = await server.request(1);
    expect(`${method} ${path}`).toBe(`POST /bot${TOKEN}/sendMessage`);
    expect(body).toEqual({ chat_id: '42', text: 'Good morning *Ada*' });
  });

  it('is one message up to 4096 characters', async () => {
    await channelAt(server.apiRoot).send(message({ text: 'x'.repeat(4096) }), never);
    expect(server.requests).toHaveLength(1);
  });
});

describe('telegram: a long text', () => {
  it.each([
    ['lines', 'A line of words, and then the next one.\n'.repeat(300)],
    ['words', 'word '.repeat(3000)],
    ['one word', 'x'.repeat(10_000)],
    ['surrogate pairs', `x${'😀'.repeat(5000)}`],
  ])('of %s is split in order and nothing is lost', async (_name, text) => {
    expect(await channelAt(server.apiRoot).send(message({ text }), never)).toEqual({
      messageId: '1',
    });
    const parts = server.messages.map((sent) => sent.text);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.join('')).toBe(text);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(4096);
      expect(part.isWellFormed()).toBe(true);
    }
  });

  it('ends its parts with lines where it has lines, else with words', async () => {
    await channelAt(server.apiRoot).send(
      message({ text: `${'a b\n'.repeat(1500)}${'long word '.repeat(500)}` }),
      never,
    );
    const [first, second] = server.messages;
    expect(first?.text).toMatch(/b\n$/);
    expect(second?.text).toMatch(/ $/);
  });

  it('sends no part that shows nothing', async () => {
    await channelAt(server.apiRoot).send(message({ text: `Hello${'\n'.repeat(9000)}you` }), never);
    expect(server.messages.map(({ text }) => text.trim())).toEqual(['Hello', 'you']);
  });

  it('goes on after the parts that were taken when it is sent again', async () => {
    const text = 'word '.repeat(2000);
    const sender = channelAt(server.apiRoot);
    server.next({}, telegramError(500, 'Internal Server Error'));
    expect((await failedDelivery(sender.send(message({ text }), never))).kind).toBe('retryable');
    expect(await sender.send(message({ text }), never)).toEqual({ messageId: '1' });
    const [first, refused, ...rest] = server.messages.map((sent) => sent.text);
    expect([first, ...rest].join('')).toBe(text);
    expect(rest[0]).toBe(refused);
  });

  it('is sent whole under another idempotency key', async () => {
    const sender = channelAt(server.apiRoot);
    await sender.send(message(), never);
    await sender.send(message({ idempotencyKey: 'delivery-2' }), never);
    expect(server.requests).toHaveLength(2);
  });
});

describe('channelProviders', () => {
  it('makes a Telegram channel of its section', async () => {
    const sender = channelProviders.telegram({ token: TOKEN, apiRoot: `${server.apiRoot}/` });
    expect(await sender.send(message(), never)).toEqual({ messageId: '1' });
  });

  it('names a setting that is missing', () => {
    expect(() => channelProviders.telegram({ token: ' ' })).toThrow('token is missing');
  });
});
