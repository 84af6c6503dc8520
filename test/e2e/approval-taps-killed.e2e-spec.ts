import { eventually } from '../support/eventually.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { BOT_TOKEN, TelegramBot } from '../support/telegram-bot.ts';
import type { BotMessage } from '../support/telegram-bot.ts';

const TOKEN = 'the-hook-token-of-this-test';
const ANA = 4711;
const CUSTOMER = '99';

describe('a service that is killed while somebody taps', () => {
  let bot: TelegramBot;
  let dir: ConfigDirectory;

  beforeEach(async () => {
    bot = new TelegramBot();
    await bot.listen();
    dir = new ConfigDirectory().write('gateway.json5', {
      hooks: { enabled: true, token: TOKEN },
      agents: {
        defaults: {
          runner: { type: 'demo' },
          heartbeat: { every: '0m' },
          approve: 'reply',
          notify: { channel: 'chan_2', to: String(ANA) },
        },
      },
      channels: { chan_2: { token: BOT_TOKEN, apiRoot: bot.origin } },
    });
  });
  afterEach(async () => {
    await bot.close();
    dir[Symbol.dispose]();
  });

  const start = () => ServiceProcess.listening(dir.path);
  const replies = () => bot.sent.filter(({ chat }) => chat === CUSTOMER);

  async function asked(service: ServiceProcess): Promise<BotMessage> {
    const body = {
      message: 'what was asked',
      wakeMode: 'next-heartbeat',
      channel: 'chan_2',
      to: CUSTOMER,
    };
    await service.ask('/hooks/agent', { token: TOKEN, body });
    return eventually('the operator is asked', () => bot.messages[0]);
  }
  async function kill(service: ServiceProcess): Promise<void> {
    service.signal('SIGKILL');
    await service.ended();
  }
  /** The one reply, and what whoever tapped was told last. */
  async function settled(): Promise<string | undefined> {
    await eventually('the reply is sent', () => replies().length > 0);
    await eventually('all is confirmed', () => bot.unconfirmed === 0);
    // Whoever dies while the question is sent sends it again: both are the same question.
    const questions = () => bot.messages.filter(({ chat }) => chat === String(ANA));
    await eventually('the question has no buttons', () =>
      questions().every(({ buttons }) => Object.keys(buttons).length === 0),
    );
    expect(questions().at(-1)?.text).toContain(`Approved by telegram ${ANA}`);
    expect(replies()).toHaveLength(1);
    return bot.told.at(-1)?.text;
  }

  it('before it has heard of the tap', async () => {
    const killed = await start();
    const question = await asked(killed);
    await eventually('taps are waited for', () => bot.isHeard);
    await kill(killed);
    bot.tap(ANA, question, 'Approve');
    await using next = await start();
    expect(await settled()).toBe('Approved.');
    expect(next.hasEnded).toBe(false);
  });

  it('as it hears of the tap, whether it has decided by then or not', async () => {
    const killed = await start();
    const question = await asked(killed);
    await eventually('taps are waited for', () => bot.isHeard);
    bot.tap(ANA, question, 'Approve');
    await kill(killed);
    await using next = await start();
    expect(['Approved.', 'You have approved this.']).toContain(await settled());
    expect(next.hasEnded).toBe(false);
  });

  it('after it has decided, before the platform knows that it has', async () => {
    const killed = await start();
    const question = await asked(killed);
    await eventually('taps are waited for', () => bot.isHeard);
    bot.hang('answerCallbackQuery');
    bot.tap(ANA, question, 'Approve');
    await eventually('it has decided', () =>
      bot.requests.some(({ path }) => path.endsWith('/answerCallbackQuery')),
    );
    await kill(killed);
    expect(bot.unconfirmed).toBe(1);
    await using next = await start();
    expect(await settled()).toBe('You have approved this.');
    expect(next.hasEnded).toBe(false);
  });
});
