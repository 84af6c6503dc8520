import { telegram } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { RecordingChannel } from '../support/recording.ts';
import { BOT_TOKEN, TelegramBot } from '../support/telegram-bot.ts';
import type { BotMessage } from '../support/telegram-bot.ts';

type Approve = NonNullable<
  NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>['approve']
>;

const HOUR = 3_600_000;
const ANA = 4711;
const BEN = 4712;
const GROUP = '-1001';

describe('what is decided by a tap (docs/channels.md)', () => {
  let hooks: Hooks;
  let clock: ManualClock;
  let bot: TelegramBot;
  let customer: RecordingChannel;

  beforeEach(async () => {
    bot = new TelegramBot();
    await bot.listen();
  });
  afterEach(async () => {
    await hooks.close();
    await bot.close();
  });

  async function start(
    approve: Approve = { reply: true },
    to: string | number = ANA,
    reply = 'the reply',
    more: Partial<HooksModuleOptions> = {},
  ): Promise<void> {
    clock = new ManualClock();
    customer = new RecordingChannel('chan_1', []);
    hooks = await Hooks.start({
      clock,
      agents: {
        defaults: {
          heartbeat: { every: '0m' },
          approve,
          notify: { channel: 'chan_2', to: String(to) },
        },
      },
      channels: {
        chan_1: { provider: customer },
        chan_2: { provider: telegram({ token: BOT_TOKEN, apiRoot: bot.origin }) },
      },
      ...more,
    });
    hooks.runner.reply = () => reply;
  }

  async function asked(n = 1): Promise<{ event: EventDetails; question: BotMessage }> {
    const body = { message: 'what was asked', wakeMode: 'next-heartbeat' };
    const { eventId } = await hooks.ask('/agent', { ...body, channel: 'chan_1', to: 'customer' });
    const question = await eventually('the operator is asked', () => bot.messages[n - 1]);
    const event = await eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      return details.status === 'waiting' && details;
    });
    return { event, question };
  }
  const shown = (question: BotMessage) => bot.messages[question.id - 1]!;
  const settled = (question: BotMessage) =>
    eventually('the question says how it ended', () => {
      const now = shown(question);
      return Object.keys(now.buttons).length === 0 && now.text !== question.text && now.text;
    });
  async function tap(person: number, question: BotMessage, button: string): Promise<string> {
    const id = bot.tap(person, question, button);
    return told(id);
  }
  const told = (id: string) =>
    eventually(`somebody is told about ${id}`, () => bot.told.find((one) => one.id === id)?.text);
  const messages = () => customer.messages.map(({ text }) => text);
  const heardOut = () => eventually('all is confirmed', () => bot.unconfirmed === 0);

  it('shows what would be sent, above two buttons that carry 128 bits and no id of ours', async () => {
    await start();
    const { event, question } = await asked();
    expect(question.text).toContain('agent would send this reply to chan_1, recipient customer:');
    expect(question.text).toContain('the reply');
    expect(question.text).toMatch(/The agent was asked:\n\n<<<EXT.*>>>\nwhat was asked\n<<<END/);
    expect(Object.keys(question.buttons)).toEqual(['Approve', 'Deny']);
    const [approve, deny] = Object.values(question.buttons);
    expect(approve).toMatch(/^approve [\w-]{22}$/);
    expect(deny).toBe(approve?.replace('approve', 'deny'));
    expect(JSON.stringify(event)).not.toContain(approve?.slice(-22));
    const { waits } = await hooks.app.get(LedgerAdmin).waits({ limit: 200 });
    expect(JSON.stringify(waits)).not.toContain(approve?.slice(-22));
  });

  it('sends the reply that is approved, once, and says in the message by whom', async () => {
    await start();
    const { event, question } = await asked();
    expect(await tap(ANA, question, 'Approve')).toBe('Approved.');
    const { runs } = await hooks.ended(event.id);
    expect(messages()).toEqual(['the reply']);
    expect(runs[0]?.waits).toMatchObject([
      { decision: { verdict: 'approved', by: `telegram:${ANA}` } },
    ]);
    const text = await settled(question);
    expect(text).toContain('the reply');
    expect(text).toMatch(/Approved by telegram 4711, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    const { entries } = await hooks.app.get(LedgerAdmin).audited({ limit: 1 });
    expect(entries).toMatchObject([
      {
        actor: `telegram:${ANA}`,
        operation: 'tap',
        outcome: 'done',
        after: { verdict: 'approved' },
      },
    ]);
  });

  it('links to no console where it can be answered', async () => {
    await start(undefined, ANA, undefined, { consoleUrl: 'https://hooks.example.org/console' });
    const { event, question } = await asked();
    await tap(ANA, question, 'Deny');
    await hooks.ended(event.id);
    expect(JSON.stringify(bot.messages)).not.toContain('hooks.example.org');
  });

  it('asks nobody any more about a run whose place a newer one has taken', async () => {
    const mapping = {
      id: 'deploy',
      sessionKey: 'deploy',
      messageTemplate: 'Look at version {{ version }}',
      whenBusy: 'replace',
      wakeMode: 'next-heartbeat',
      channel: 'chan_1',
      to: 'customer',
    } as const;
    await start({ run: true }, ANA, undefined, { mappings: [mapping] });
    const askAbout = async (version: number) => {
      const { eventId } = await hooks.ask('/deploy', { version });
      const asks = `Look at version ${version}`;
      const question = await eventually('somebody is asked', () =>
        bot.messages.find(({ text }) => text.includes(asks)),
      );
      return { eventId: String(eventId), question };
    };
    const { eventId: replaced, question: first } = await askAbout(1);
    const { eventId: newest, question: second } = await askAbout(2);
    expect(await settled(first)).toMatch(
      /Nobody has to decide any more \([^)]+ UTC\): replaced by run \S+$/,
    );
    expect((await hooks.ended(replaced)).runs).toMatchObject([{ status: 'skipped', reply: null }]);
    // Who had not seen that yet taps the button that he sees.
    expect(await tap(ANA, first, 'Approve')).toBe('A newer run has taken its place.');
    expect(await tap(ANA, second, 'Approve')).toBe('Approved.');
    await hooks.ended(newest);
    expect(messages()).toEqual(['the reply']);
    expect(hooks.runner.turns.map(({ prompt }) => prompt.includes('version 2'))).toEqual([true]);
  });

  it('listens while a question is open, and no longer', async () => {
    bot.secondMs = 1;
    await start();
    expect(await hooks.waiting('notice')).toBe(0);
    const { event, question } = await asked();
    expect(await hooks.waiting('notice')).toBe(1);
    bot.tap(ANA, question, 'Approve');
    await eventually('it is heard', () => {
      clock.advance(1000);
      return bot.told.length > 0;
    });
    await hooks.ended(event.id);
    await eventually('nobody listens', async () => {
      clock.advance(1000);
      return (await hooks.waiting('notice')) === 0;
    });
    expect(bot.isHeard).toBe(false);
  });

  describe('who decides', () => {
    it('is nobody else than who is asked', async () => {
      await start();
      const { event, question } = await asked();
      const elsewhere = { ...question, chat: String(BEN) };
      expect(await tap(BEN, elsewhere, 'Approve')).toBe('You may not decide this.');
      await heardOut();
      expect((await hooks.details(event.id)).status).toBe('waiting');
      expect(messages()).toEqual([]);
      expect(shown(question)).toEqual(question);
      expect(await tap(ANA, question, 'Approve')).toBe('Approved.');
      await hooks.ended(event.id);
    });

    it('is in a group who is named, of whom the first one counts', async () => {
      const approvers = [`telegram:${ANA}`, `telegram:${BEN}`];
      await start({ reply: true, approvers }, GROUP);
      const { event, question } = await asked();
      expect(await tap(666, question, 'Approve')).toBe('You may not decide this.');
      const [first, second] = [bot.tap(BEN, question, 'Deny'), bot.tap(ANA, question, 'Approve')];
      expect(await told(first)).toBe('Denied.');
      expect(await told(second)).toBe(`telegram:${BEN} has denied this.`);
      await hooks.ended(event.id);
      expect(messages()).toEqual([]);
    });

    it('is not whoever is in a group where nobody is named: there are no buttons', async () => {
      await start({ reply: true }, GROUP);
      const { event, question } = await asked();
      expect(question.buttons).toEqual({});
      expect(question.text).toContain(`Decide about ${event.runs[0]?.waits[0]?.id} in the console`);
    });

    it.each([
      ['operators of a role', ['configure']],
      ['people elsewhere', ['slack:U0ANA']],
    ])('is nobody here where %s are named: there are no buttons', async (_who, approvers) => {
      await start({ reply: true, approvers });
      const { question } = await asked();
      expect(question.buttons).toEqual({});
    });

    it('is who is named by the agents for all, where a mapping says only what is asked', async () => {
      clock = new ManualClock();
      customer = new RecordingChannel('chan_1', []);
      hooks = await Hooks.start({
        clock,
        agents: {
          defaults: {
            heartbeat: { every: '0m' },
            approve: { approvers: [`telegram:${BEN}`] },
            notify: { channel: 'chan_2', to: GROUP },
          },
        },
        mappings: [{ id: 'ours', approve: 'reply', channel: 'chan_1', to: 'customer' }],
        channels: {
          chan_1: { provider: customer },
          chan_2: { provider: telegram({ token: BOT_TOKEN, apiRoot: bot.origin }) },
        },
      });
      await hooks.ask('/ours', { text: 'a' });
      const question = await eventually('somebody is asked', () => bot.messages[0]);
      expect(await tap(ANA, question, 'Approve')).toBe('You may not decide this.');
      expect(await tap(BEN, question, 'Approve')).toBe('Approved.');
    });
  });

  describe('only once', () => {
    it('though it is replayed while another question is open', async () => {
      await start();
      const first = await asked();
      await tap(ANA, first.question, 'Approve');
      await hooks.ended(first.event.id);
      await settled(first.question);
      const second = await asked(2);
      expect(await tap(ANA, first.question, 'Deny')).toBe('You have approved this.');
      expect(await tap(ANA, { ...first.question, buttons: {} }, 'approve guessed')).toBe(
        'Nobody asks this any more.',
      );
      expect((await hooks.details(second.event.id)).status).toBe('waiting');
      expect(messages()).toEqual(['the reply']);
    });

    it('though the platform loses what it was told of the tap, and tells it again', async () => {
      await start();
      const { event, question } = await asked();
      await eventually('taps are waited for', () => bot.isHeard);
      bot.breakNext('answerCallbackQuery', 'getUpdates');
      const id = bot.tap(ANA, question, 'Approve');
      await hooks.ended(event.id);
      await eventually('it cannot be confirmed', () =>
        hooks.log.lines.some((one) => JSON.stringify(one).includes('are not heard')),
      );
      expect(bot.unconfirmed).toBe(1);
      await eventually('the tap is told again', () => {
        clock.advance(60_000);
        return bot.unconfirmed === 0;
      });
      expect(bot.told).toEqual([{ id, text: 'You have approved this.' }]);
      expect(messages()).toEqual(['the reply']);
    });
  });

  describe('too late', () => {
    it('after its time, which the message says', async () => {
      await start({ reply: true, until: '2h' });
      const { event, question } = await asked();
      const other = await asked(2);
      clock.advance(2 * HOUR);
      await hooks.ended(event.id);
      await hooks.ended(other.event.id);
      expect(await settled(question)).toContain('Nobody has decided in time');
      const later = await asked(3);
      expect(await tap(ANA, question, 'Approve')).toBe('The time to decide is over.');
      expect(messages()).toEqual([]);
      expect((await hooks.details(later.event.id)).status).toBe('waiting');
    });

    it('for an event that was forgotten', async () => {
      await start();
      const { event, question } = await asked();
      const other = await asked(2);
      await hooks.app.get(LedgerAdmin).forget(event.id);
      expect(await settled(question)).toBe(
        'This question was forgotten: an operator had its event erased, so nothing comes of it.',
      );
      expect(await tap(ANA, question, 'Approve')).toBe('Nobody asks this any more.');
      expect(messages()).toEqual([]);
      expect(shown(other.question)).toEqual(other.question);
      expect((await hooks.details(other.event.id)).status).toBe('waiting');
    });

    it('when somebody has decided in the console, which the message says', async () => {
      await start();
      const { event, question } = await asked();
      const wait = event.runs[0]?.waits[0]?.id ?? '';
      const decision = {
        verdict: 'denied',
        by: 'ben',
        at: clock.now(),
        reason: 'not now',
      } as const;
      await hooks.app.get(LedgerAdmin).decide(wait, decision);
      expect(await settled(question)).toMatch(/Denied by ben, .* UTC: not now$/);
      expect(await tap(ANA, question, 'Approve')).toBe('ben has denied this.');
      expect(messages()).toEqual([]);
    });

    it('to be asked: what was decided before its message could be sent is not asked', async () => {
      await start();
      bot.meanwhile = { status: 502, body: {} };
      const { eventId } = await hooks.ask('/agent', {
        message: 'x',
        wakeMode: 'next-heartbeat',
        channel: 'chan_1',
        to: 'customer',
      });
      const wait = await eventually('it waits', async () => {
        const { runs } = await hooks.details(eventId);
        return runs[0]?.waits[0]?.id;
      });
      await bot.request(1);
      await hooks.app.get(LedgerAdmin).decide(wait, { verdict: 'approved', at: clock.now() });
      await hooks.ended(eventId);
      bot.meanwhile = {};
      await eventually('the questions are done', async () => {
        clock.advance(60_000);
        return (await hooks.waiting('delivery')) === 0;
      });
      expect(bot.messages).toEqual([]);
    });
  });

  describe('without buttons', () => {
    const long = `${'a word and '.repeat(600)}the end`;

    it.each([
      ['what is longer than a message', long],
      ['what hides a sign', 'pay to \u202eelpoep'],
      ['what hides words in tags', 'fine\u{e0061}\u{e0062}'],
      ['what holds a sign that the platform takes away', 'a\u030a b'],
    ])('shows %s, and how to decide', async (_what, reply) => {
      await start({ reply: true }, ANA, reply);
      await asked();
      const last = await eventually('all of it is shown', () =>
        bot.messages.find(({ text }) => text.includes('Decide about')),
      );
      expect(last.buttons).toEqual({});
      expect(bot.messages.every(({ buttons }) => Object.keys(buttons).length === 0)).toBe(true);
      expect(bot.isHeard).toBe(false);
    });

    it('links to the console where its address is known, whatever the reply says of links', async () => {
      const hidden = 'Decide in the console: https://evil.example/decisions \u202e';
      const consoleUrl = 'https://hooks.example.org/console';
      await start({ reply: true }, ANA, hidden, { consoleUrl });
      const { event, question } = await asked();
      expect(question.text).toContain('hxxps://evil[.]example/decisions');
      const link = await eventually('the link follows', () => bot.messages[1]);
      const wait = event.runs[0]?.waits[0]?.id;
      expect(link.text).toBe(`Decide in the console: ${consoleUrl}/decisions#${wait}`);
      expect(link.buttons).toEqual({});
      expect(bot.isHeard).toBe(false);
    });

    it('shows the beginning of a long message that a run would begin with', async () => {
      await start({ run: true });
      await hooks.ask('/agent', { message: long, channel: 'chan_1', to: 'customer' });
      const question = await eventually('the operator is asked', () => bot.messages[0]);
      expect(question.text).toContain('a word and a word');
      expect(question.text).not.toContain('the end');
      expect(question.buttons).toEqual({});
    });

    it('shows a recipient that is no word, and has nobody approve it here', async () => {
      await start();
      const to = 'ops` and nobody else';
      await hooks.ask('/agent', { message: 'x', channel: 'chan_1', to });
      const question = await eventually('the operator is asked', () => bot.messages[0]);
      expect(question.text).toContain('recipient ops and nobody else:');
      expect(question.buttons).toEqual({});
    });
  });

  it('leaves a bot alone whose taps go to a webhook, says so, and looks again after a minute', async () => {
    await start();
    bot.hasWebhook = true;
    const { event, question } = await asked();
    const line = await eventually('that taps are not heard is told', () =>
      hooks.log.lines.find((one) => JSON.stringify(one).includes('webhook is active')),
    );
    expect(JSON.stringify(line)).toContain('taps in chan_2 are not heard: Telegram');
    bot.hasWebhook = false;
    bot.tap(ANA, question, 'Approve');
    expect(bot.unconfirmed).toBe(1);
    await eventually('it is heard', () => {
      clock.advance(60_000);
      return bot.unconfirmed === 0;
    });
    await hooks.ended(event.id);
    expect(messages()).toEqual(['the reply']);
  });

  it('gives way to whoever else asks for updates of the bot', async () => {
    await start();
    const { event, question } = await asked();
    await eventually('taps are waited for', () => bot.isHeard);
    const other = fetch(`${bot.origin}/bot${BOT_TOKEN}/getUpdates?timeout=20`);
    await eventually('it has given way', () =>
      hooks.log.lines.some((one) => JSON.stringify(one).includes('terminated by other')),
    );
    bot.tap(ANA, question, 'Approve');
    expect(await (await other).json()).toMatchObject({ result: [{ callback_query: {} }] });
    await eventually('what nobody confirmed is heard', () => {
      clock.advance(60_000);
      return bot.unconfirmed === 0;
    });
    await hooks.ended(event.id);
    expect(messages()).toEqual(['the reply']);
  });
});
