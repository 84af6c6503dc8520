import { telegram } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { RecordingChannel } from '../support/recording.ts';
import { BOT_TOKEN, TelegramBot } from '../support/telegram-bot.ts';
import type { BotMessage } from '../support/telegram-bot.ts';
import { PostgresSuite } from './suite.ts';

const suite = PostgresSuite.inThisFile();
const ANA = 4711;

describe('three services on one database that ask on Telegram', () => {
  let database: TestDatabase;
  let bot: TelegramBot;
  let services: Hooks[];
  let customers: RecordingChannel[];

  beforeEach(async () => {
    database = await suite.server.database();
    bot = new TelegramBot();
    await bot.listen();
    customers = [1, 2, 3].map(() => new RecordingChannel('chan_1', []));
    services = await Promise.all(customers.map(start));
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.close()));
    await bot.close();
    await database[Symbol.asyncDispose]();
  });

  function start(customer: RecordingChannel): Promise<Hooks> {
    return Hooks.start({
      ledger: postgresLedger({ url: database.url }),
      agents: {
        defaults: {
          heartbeat: { every: '0m' },
          approve: 'reply',
          notify: { channel: 'chan_2', to: String(ANA) },
        },
      },
      channels: {
        chan_1: { provider: customer },
        chan_2: { provider: telegram({ token: BOT_TOKEN, apiRoot: bot.origin }) },
      },
    });
  }
  async function asked(): Promise<{ eventId: unknown; question: BotMessage }> {
    const body = { message: 'x', wakeMode: 'next-heartbeat', channel: 'chan_1', to: 'customer' };
    const { eventId } = await services[0]!.ask('/agent', body);
    return { eventId, question: await eventually('the question', () => bot.messages[0]) };
  }
  const replies = () => customers.flatMap(({ messages }) => messages.map(({ text }) => text));
  const heard = () => eventually('somebody waits for taps', () => bot.isHeard);

  it('have one of them wait for taps, whoever it is, and decide once', async () => {
    const { eventId, question } = await asked();
    await heard();
    const taps = ['Approve', 'Deny', 'Approve'].map((button) => bot.tap(ANA, question, button));
    await eventually('each is told', () => taps.length === bot.told.length);
    expect(bot.told.map(({ text }) => text)).toEqual([
      'Approved.',
      'You have approved this.',
      'You have approved this.',
    ]);
    await services[1]!.ended(eventId);
    expect(replies()).toEqual(['the reply']);
    expect(bot.conflicts).toBe(0);
  });

  it('go on waiting in another one when one after the other ends', async () => {
    const { eventId, question } = await asked();
    for (const service of services.splice(0, 2)) {
      await heard();
      await service.close();
    }
    await heard();
    bot.tap(ANA, question, 'Approve');
    await services[0]!.ended(eventId);
    expect(replies()).toEqual(['the reply']);
    const { waits } = await services[0]!.app.get(LedgerAdmin).waits({ limit: 1 });
    expect(waits).toEqual([]);
    expect(bot.conflicts).toBe(0);
  });
});
