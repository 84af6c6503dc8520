import { whatsapp } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { LastingMemory } from '../support/lasting-memory.ts';
import type { PlatformServer } from '../support/platforms/index.ts';
import { RecordingChannel } from '../support/recording.ts';
import {
  serverOf,
  signedByMeta,
  typedWhatsapp,
  whatsappValue,
} from '../support/typed-platforms.ts';
import type { Telling, TypedPlatform } from '../support/typed-platforms.ts';

type Approve = NonNullable<
  NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>['approve']
>;

const SECRET = 'the-app-secret-of-this-test';
const CODE = /approve (\d{4}-\d{4})/;
const WRONG =
  'This code decides nothing. After 5 wrong ones none does any more: decide in the console.';

interface Asked {
  readonly event: EventDetails;
  readonly text: string;
  readonly code: string;
}

describe.each([['WhatsApp', typedWhatsapp]])(
  'what is decided by a code on %s',
  (_name, platform: TypedPlatform) => {
    const { ana, ben } = platform;
    let memory: LastingMemory;
    let hooks: Hooks;
    let clock: ManualClock;
    let customer: RecordingChannel;
    let server: PlatformServer;

    beforeEach(async () => {
      memory = new LastingMemory();
      clock = new ManualClock();
      customer = new RecordingChannel('chan_2', []);
      server = await serverOf(platform);
    });
    afterEach(async () => {
      await hooks.close();
      await server.close();
      memory.close();
    });

    async function start(
      approve: Approve = { reply: true },
      reply = 'the reply',
      scheme: object = platform.verify(SECRET),
    ): Promise<void> {
      const told = { id: 'told', match: { path: 'told' }, action: 'wake', verify: scheme };
      hooks = await Hooks.start({
        clock,
        ledger: { open: () => memory.open(clock) },
        agents: {
          defaults: {
            heartbeat: { every: '0m' },
            approve,
            notify: { channel: 'chan_1', to: platform.to },
          },
        },
        channels: {
          chan_1: { provider: platform.channel(server.origin) },
          chan_2: { provider: customer },
        },
        mappings: [
          { ...told, wakeMode: 'next-heartbeat', textTemplate: 'somebody wrote' } as never,
        ],
      });
      hooks.runner.reply = () => reply;
    }

    const shown = () => server.shown.map(({ text }) => text);
    const questions = () => shown().filter((text) => CODE.test(text));

    async function waits(): Promise<EventDetails> {
      const body = { message: 'what was asked', wakeMode: 'next-heartbeat' };
      const { eventId } = await hooks.ask('/agent', { ...body, channel: 'chan_2', to: 'customer' });
      return eventually('the run waits', async () => {
        const details = await hooks.details(eventId);
        return details.status === 'waiting' && details;
      });
    }
    async function asked(n = 1): Promise<Asked> {
      const event = await waits();
      const text = await eventually('somebody is asked', () => questions()[n - 1]);
      await eventually('its message is known', async () => (await hooks.waiting('delivery')) === 0);
      return { event, text, code: CODE.exec(text)?.[1] ?? '' };
    }
    async function send({ headers, body }: Telling): Promise<number> {
      const answer = await fetch(`${hooks.url}/hooks/told`, { method: 'POST', headers, body });
      await answer.text();
      return answer.status;
    }
    const say = (by: string, ...texts: string[]) => send(platform.tell(SECRET, by, ...texts));
    const told = (words: string, times = 1) =>
      eventually(
        `somebody is told "${words}"`,
        () => shown().filter((one) => one === words).length >= times,
      );
    const messages = () => customer.messages.map(({ text }) => text);
    const stillWaits = async ({ event }: Asked) => {
      expect((await hooks.details(event.id)).status).toBe('waiting');
      expect(messages()).toEqual([]);
    };
    const wrong = (...codes: string[]) =>
      ['0000-0000', '1111-1111', '2222-2222'].find((code) => !codes.includes(code))!;
    const admin = () => hooks.app.get(LedgerAdmin);

    it('shows what would be sent, and below it what to answer', async () => {
      await start();
      const { event, text, code } = await asked();
      expect(text).toContain('agent would send this reply to chan_2, recipient `customer`:');
      expect(text).toContain('the reply');
      expect(text).toMatch(new RegExp(`\\nAnswer .?approve ${code}.? or .?deny ${code}.?\\.$`));
      expect(JSON.stringify(event)).not.toContain(code);
      const { waits: open } = await admin().waits({ limit: 200 });
      expect(JSON.stringify([open, await admin().openQuestions()])).not.toContain(code);
    });

    it('sends the reply that is approved, once, is no event, and says how it ended', async () => {
      await start();
      const { event, code } = await asked();
      expect(await say(ana, `approve ${code}`)).toBe(200);
      const { runs } = await hooks.ended(event.id);
      expect(messages()).toEqual(['the reply']);
      expect(runs[0]?.waits).toMatchObject([{ decision: { verdict: 'approved', by: ana } }]);
      await told('Approved.');
      const by = `Approved by ${ana.replace(':', ' ')}`;
      const end = await eventually('how it ended is told', () =>
        shown().find((text) => text.includes(by)),
      );
      expect(end).toMatch(/^agent would send this reply .*\d\d:\d\d UTC$/s);
      expect(end).not.toContain('the reply');
      await say(ana, `deny ${code}`);
      await told('You have approved this.');
      expect(questions()).toHaveLength(1);
      expect(await hooks.stored()).toBe(1);
      const { entries } = await admin().audited({ limit: 1 });
      expect(entries).toMatchObject([{ actor: ana, operation: 'tap', outcome: 'done' }]);
    });

    it('leaves a text an event that has a code in other words', async () => {
      await start();
      const question = await asked();
      expect(await say(ana, `please approve ${question.code}`)).toBe(200);
      await stillWaits(question);
      expect(await hooks.stored()).toBe(2);
      expect(shown()).toHaveLength(1);
    });

    it('is no matter of a stranger, whose text is an event like any other', async () => {
      await start();
      const question = await asked();
      for (let n = 0; n < 6; n += 1)
        expect(await say(ben, `approve ${wrong(question.code)}`)).toBe(200);
      expect(await say(ben, `approve ${question.code}`)).toBe(200);
      await stillWaits(question);
      expect(await hooks.stored()).toBe(8);
      expect(shown()).toHaveLength(1);
      // Nobody else can use up the tries of who may decide.
      await say(ana, `approve ${question.code}`);
      await hooks.ended(question.event.id);
      expect(messages()).toEqual(['the reply']);
    });

    it('is who is named, and not who is asked', async () => {
      await start({ reply: true, approvers: [ben.replace('+', '')] });
      const question = await asked();
      expect(await say(ana, `approve ${question.code}`)).toBe(200);
      await stillWaits(question);
      await say(ben, `approve ${question.code}`);
      await hooks.ended(question.event.id);
      expect(messages()).toEqual(['the reply']);
    });

    it('refuses a code that nobody has signed', async () => {
      await start();
      const question = await asked();
      const forged = platform.tell('another secret', ana, `approve ${question.code}`);
      expect(await send(forged)).toBe(401);
      await stillWaits(question);
      expect(await hooks.stored()).toBe(1);
    });

    describe('after five wrong codes', () => {
      async function usedUp(): Promise<Asked> {
        await start();
        const question = await asked();
        for (let n = 1; n <= 5; n += 1) {
          expect(await say(ana, `approve ${wrong(question.code)}`)).toBe(200);
          await told(WRONG, n);
        }
        return question;
      }

      it('the right one decides nothing, and the console still does', async () => {
        const question = await usedUp();
        expect(await say(ana, `approve ${question.code}`)).toBe(200);
        await told(WRONG, 6);
        await stillWaits(question);
        expect(await hooks.stored()).toBe(1);
        const { waits: open } = await admin().waits({ limit: 1 });
        const decision = { verdict: 'approved', by: 'operator anna', at: clock.now() } as const;
        expect(await admin().decide(open[0]!.id, decision)).toBe('decided');
        await hooks.ended(question.event.id);
        expect(messages()).toEqual(['the reply']);
      });

      it('a question that is asked then is decided, and that one is not', async () => {
        const first = await usedUp();
        const second = await asked(2);
        await say(ana, `approve ${first.code}`);
        await told(WRONG, 6);
        await stillWaits(first);
        await say(ana, `approve ${second.code}`);
        await hooks.ended(second.event.id);
        expect(messages()).toEqual(['the reply']);
        expect((await hooks.details(first.event.id)).status).toBe('waiting');
      });

      it('at once nothing more is decided than one after the other', async () => {
        await start();
        const question = await asked();
        const wrongs = Array.from({ length: 20 }, () =>
          say(ana, `approve ${wrong(question.code)}`),
        );
        await Promise.all(wrongs);
        await say(ana, `approve ${question.code}`);
        await told(WRONG, 21);
        await stillWaits(question);
      });
    });

    it('says that a question was forgotten, whose code is a text like any other', async () => {
      await start();
      const { event, code } = await asked();
      await admin().forget(event.id);
      await eventually('that is told', () =>
        shown().some((text) => text.includes('This question was forgotten')),
      );
      expect(await say(ana, `approve ${code}`)).toBe(200);
      expect(messages()).toEqual([]);
      expect(await hooks.stored()).toBe(2);
    });

    it.each([
      ['what is longer than a message', `${'a word and '.repeat(600)}the end`],
      ['what hides a sign', 'pay to \u202eelpoep'],
      ['what could end the block that it stands in', 'fine\n```\n\nNothing is sent.\n\n```\nrest'],
    ])('has no code below %s', async (_what, reply) => {
      await start({ reply: true }, reply);
      await waits();
      await eventually('somebody is asked', () =>
        shown().some((text) => text.includes('Decide about')),
      );
      await eventually('all is sent', async () => (await hooks.waiting('delivery')) === 0);
      expect(questions()).toEqual([]);
    });

    it('has no code where no hook would hear of it', async () => {
      await start({ reply: true }, 'the reply', { scheme: 'github', secrets: [SECRET] });
      await waits();
      await eventually('somebody is asked', () =>
        shown().some((text) => text.includes('Decide about')),
      );
      expect(questions()).toEqual([]);
    });

    if (platform !== typedWhatsapp) return;

    it('takes the codes of a request that tells of more, and leaves it an event', async () => {
      await start();
      const { event, code } = await asked();
      expect(await say(ana, 'good morning', `approve ${code}`)).toBe(200);
      await hooks.ended(event.id);
      expect(messages()).toEqual(['the reply']);
      expect(await hooks.stored()).toBe(2);
    });

    it.each([
      [
        'a group',
        { group_id: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD' },
        undefined,
      ],
      ['another number', {}, '106540352242999'],
    ])('hears no code that is written to %s', async (_where, more, phone) => {
      await start();
      const question = await asked();
      const message = { type: 'text', text: { body: `approve ${question.code}` }, ...more };
      const value = whatsappValue(ana, [message], phone);
      expect(await send(signedByMeta(SECRET, value))).toBe(200);
      await stillWaits(question);
      expect(await hooks.stored()).toBe(2);
    });
  },
);

describe('a WhatsApp channel that sends a template', () => {
  it('asks for no code: in one line nobody sees where a reply ends', () => {
    const template = { name: 'gateway_alert', language: 'en_US' };
    const given = { token: 'EAAG-whatsapp-secret', phoneNumberId: '106540352242922' };
    expect(whatsapp({ ...given, template }).buttons).toBeNull();
    expect(whatsapp(given).buttons).not.toBeNull();
  });
});
