import { makeChannel } from '../../src/adapters/channels/providers.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { FastClock } from '../support/clocks.ts';
import { Hooks } from '../support/hooks.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { METHOD_NOT_FOUND, telegram, telegramError } from '../support/platforms/telegram.ts';
import { whatsapp } from '../support/platforms/whatsapp.ts';
import type { Script } from '../support/scripted-server.ts';

let server: PlatformServer;
let hooks: Hooks;

async function start(given: Partial<HooksModuleOptions> = {}): Promise<void> {
  server = await PlatformServer.start(telegram);
  const provider = makeChannel('telegram', telegram.settings(server.origin));
  hooks = await Hooks.start({ channels: { chan_2: { provider, to: '42' } }, ...given });
}

async function ask(path = '/agent', request: object = { message: 'Report', channel: 'chan_2' }) {
  return hooks.ended((await hooks.ask(path, request)).eventId);
}

function answerWith(reply: string): void {
  hooks.runner.reply = ({ kind }) => (kind === 'run' ? reply : 'HEARTBEAT_OK');
}

afterEach(async () => {
  await hooks.close();
  await server.close();
});

describe('a long reply over a real connection', () => {
  it('arrives in numbered parts, in order, and goes on with the part that failed', async () => {
    await start();
    answerWith('A line of words, and then the next one.\n'.repeat(280));
    server.next({}, telegramError(500, 'Internal Server Error'), {});
    const { deliveries } = await ask();
    expect(deliveries).toMatchObject([
      {
        status: 'delivered',
        messageId: '1',
        attempts: [{ outcome: 'unknown' }, { outcome: 'delivered' }],
      },
    ]);
    expect(server.shown.map(({ text }) => text.slice(0, 5))).toEqual(['(1/3)', '(2/3)', '(3/3)']);
    expect(server.asked).toHaveLength(4);
  });

  it('an answer that is lost is told as unknown, and the message sent again', async () => {
    await start();
    server.next({ cut: 'at-once' });
    const { deliveries } = await ask();
    expect(deliveries).toMatchObject([
      { status: 'delivered', attempts: [{ outcome: 'unknown' }, { outcome: 'delivered' }] },
    ]);
    expect(server.shown).toHaveLength(2);
    expect(JSON.stringify([deliveries, hooks.log.lines])).not.toContain(telegram.secret);
  });

  it.each([
    ['an answer that is lost', { cut: 'at-once' }],
    ['a 502 from a proxy', { status: 502, body: '<h1>Bad Gateway</h1>' }],
    ['a 500', telegramError(500, 'Internal Server Error')],
  ] as const)('onUnknown: stop never sends it twice after %s', async (_name, script) => {
    await start();
    const provider = makeChannel('telegram', telegram.settings(server.origin));
    await hooks.close();
    hooks = await Hooks.start({ channels: { chan_2: { provider, to: '42', onUnknown: 'stop' } } });
    server.next(script);
    expect(await ask()).toMatchObject({ status: 'failed', deliveries: [{ status: 'unknown' }] });
    expect(server.asked).toHaveLength(1);
  });
});

describe('a reply as agents write them', () => {
  const lines = 'Deploy finished\nHost: **web-1**\nUser: <pod>\nCosts: $395k to $483k';

  it('arrives as text, line by line and with every sign', async () => {
    await start();
    answerWith(lines);
    await ask('/agent', { message: 'Report', channel: 'chan_2', to: '-1001234567890/42' });
    expect(server.shown).toEqual([{ to: '-1001234567890/42', text: lines.replaceAll('**', '') }]);
  });

  it('arrives with its table, and in columns where the server is too old for tables', async () => {
    await start();
    answerWith(`${lines}\n\n| Pod | Restarts |\n|---|--:|\n| web-1 | 3 |`);
    await ask();
    server.next(METHOD_NOT_FOUND);
    await ask();
    const [rich, plain] = server.shown.map(({ text }) => text);
    expect(rich).toContain('<br>User: &lt;pod&gt;<br>Costs: $395k to $483k</p>\n<table');
    expect(plain).toBe(
      `${lines.replaceAll('**', '')}\n\nPod    Restarts\n-----  --------\nweb-1         3`,
    );
  });
});

describe('a platform that may refuse later what it took', () => {
  it('ends the delivery as accepted, which counts as sent (behaviour §13)', async () => {
    server = await PlatformServer.start(whatsapp);
    const provider = makeChannel('whatsapp', whatsapp.settings(server.origin));
    const channels = { chan_1: { provider, to: '+491701234567' } };
    hooks = await Hooks.start({ channels, summary: 'unless-delivered' });
    answerWith('It is done.');
    const { deliveries, status, summary } = await ask('/agent', { message: 'Report' });
    expect(deliveries).toMatchObject([
      {
        status: 'accepted',
        messageId: 'wamid.1',
        attempts: [{ outcome: 'accepted' }],
        error: null,
      },
    ]);
    expect({ status, summary }).toEqual({ status: 'done', summary: null });
    expect(server.shown).toEqual([{ to: '491701234567', text: 'It is done.' }]);
  });
});

describe('a storm of rate limits, failures and lost answers', () => {
  it('every recipient gets every reply in order, by whichever channel of the bot it goes', async () => {
    await start();
    const provider = makeChannel('telegram', telegram.settings(server.origin));
    await hooks.close();
    hooks = await Hooks.start({
      channels: { chan_2: { provider }, chan_5: { provider } },
      allowRequestSessionKey: true,
      clock: new FastClock(),
    });
    hooks.runner.reply = ({ prompt }) => /reply \w+/.exec(prompt)?.[0] ?? 'HEARTBEAT_OK';
    const storm = [telegram.limited(1), {}, { cut: 'at-once' }, telegramError(502, 'Bad'), {}];
    server.next(...Array.from({ length: 30 }, (_, n) => storm[n % storm.length] as Script));
    const requests = Array.from({ length: 36 }, (_, n) => ({
      message: `reply ${n}`,
      to: `${n % 6}`,
      sessionKey: `hook:${n % 6}`,
      channel: n % 4 < 2 ? 'chan_2' : 'chan_5',
      wakeMode: 'next-heartbeat',
    }));
    const events: unknown[] = [];
    for (const request of requests) events.push((await hooks.ask('/agent', request)).eventId);
    for (const event of events) expect((await hooks.ended(event)).status).toBe('done');
    for (let to = 0; to < 6; to += 1) {
      const texts = server.shown.filter((shown) => shown.to === `${to}`).map(({ text }) => text);
      const once = texts.filter((text, index) => text !== texts[index - 1]);
      expect(once).toEqual([0, 1, 2, 3, 4, 5].map((n) => `reply ${n * 6 + to}`));
    }
  });
});

describe('a platform that takes connections and answers nobody', () => {
  it('keeps places for the other channels, and is asked by a few at a time', async () => {
    await start();
    const hanging = await PlatformServer.start(telegram);
    await hooks.close();
    const channel = (origin: string) => makeChannel('telegram', telegram.settings(origin));
    const chan_1 = { provider: channel(hanging.origin) };
    const chan_2 = { provider: channel(server.origin) };
    hooks = await Hooks.start({ channels: { chan_1, chan_2 } });
    hanging.next(...Array.from({ length: 100 }, () => ({ stall: 'at-once' }) as const));
    const send = (name: string, to: number) =>
      ask('/agent', { message: 'Report', channel: name, to: String(to) });
    const held = Array.from({ length: 40 }, (_, n) =>
      hooks.ask('/agent', { message: 'Report', channel: 'chan_1', to: String(n + 1) }),
    );
    await Promise.all(held);
    await hanging.request(8);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => send('chan_2', n + 1)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(['done']));
    expect(server.shown).toHaveLength(20);
    // On a busy machine some have been given up by now, and others asked in their place.
    const ends = hanging.requests.map(({ closed }) =>
      Promise.race([closed, Promise.resolve('open' as const)]),
    );
    const open = (await Promise.all(ends)).filter((end) => end === 'open');
    expect(open.length).toBeGreaterThan(0);
    expect(open.length).toBeLessThanOrEqual(8);
    await hanging.close();
  });
});
