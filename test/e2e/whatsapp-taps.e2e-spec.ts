import { whatsapp } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { PlatformServer } from '../support/platforms/index.ts';
import { whatsapp as speech } from '../support/platforms/whatsapp.ts';
import { RecordingChannel } from '../support/recording.ts';
import {
  buttonReply,
  signedByMeta,
  textMessage,
  whatsappValue,
} from '../support/whatsapp-webhook.ts';
import type { Telling } from '../support/whatsapp-webhook.ts';

type Approve = NonNullable<
  NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>['approve']
>;

const SECRET = 'the-app-secret-of-this-test';
const ANA = 'whatsapp:+491701234567';
const BEN = 'whatsapp:+491707654321';

interface Asked {
  readonly event: EventDetails;
  readonly text: string;
  readonly approve: string;
  readonly deny: string;
}

interface Interactive {
  readonly interactive?: {
    readonly body: { readonly text: string };
    readonly action: {
      readonly buttons: readonly {
        readonly reply: { readonly id: string; readonly title: string };
      }[];
    };
  };
}

describe('a tap on a reply button of WhatsApp (docs/channels.md)', () => {
  let hooks: Hooks;
  let clock: ManualClock;
  let customer: RecordingChannel;
  let server: PlatformServer;

  beforeEach(async () => {
    clock = new ManualClock();
    customer = new RecordingChannel('chan_2', []);
    server = await PlatformServer.start(speech);
  });
  afterEach(async () => {
    await hooks.close();
    await server.close();
  });

  async function start(
    approve: Approve = { reply: true },
    reply = 'the reply',
    scheme: object = { scheme: 'meta', secrets: [SECRET] },
  ): Promise<void> {
    const told = { id: 'told', match: { path: 'told' }, action: 'wake', verify: scheme };
    const channel = whatsapp({
      token: speech.secret,
      phoneNumberId: '106540352242922',
      apiRoot: `${server.origin}/v25.0`,
    });
    hooks = await Hooks.start({
      clock,
      agents: {
        defaults: {
          heartbeat: { every: '0m' },
          approve,
          notify: { channel: 'chan_1', to: speech.to },
        },
      },
      channels: { chan_1: { provider: channel }, chan_2: { provider: customer } },
      mappings: [{ ...told, wakeMode: 'next-heartbeat', textTemplate: 'somebody wrote' } as never],
    });
    hooks.runner.reply = () => reply;
  }

  const shown = () => server.shown.map(({ text }) => text);
  const questions = () =>
    server.requests.flatMap(({ body }) => (body as Interactive).interactive ?? []);

  async function waits(message = 'what was asked'): Promise<EventDetails> {
    const body = { message, wakeMode: 'next-heartbeat', channel: 'chan_2', to: 'customer' };
    const { eventId } = await hooks.ask('/agent', body);
    return eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      return details.status === 'waiting' && details;
    });
  }
  async function asked(): Promise<Asked> {
    const event = await waits();
    const { body, action } = await eventually('somebody is asked', () => questions()[0]);
    await eventually('its message is known', async () => (await hooks.waiting('delivery')) === 0);
    const [approve, deny] = action.buttons.map(({ reply }) => reply);
    expect([approve?.title, deny?.title]).toEqual(['Approve', 'Deny']);
    return { event, text: body.text, approve: approve?.id ?? '', deny: deny?.id ?? '' };
  }
  async function send({ headers, body }: Telling): Promise<{ status: number; json: unknown }> {
    const answer = await fetch(`${hooks.url}/hooks/told`, { method: 'POST', headers, body });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
  }
  const tap = (by: string, ...ids: string[]) =>
    send(
      signedByMeta(
        SECRET,
        whatsappValue(
          by,
          ids.map((id) => buttonReply(id)),
        ),
      ),
    );
  const TAKEN = { status: 200, json: {} };
  const told = (words: string) =>
    eventually(`somebody is told "${words}"`, () => shown().includes(words));
  const messages = () => customer.messages.map(({ text }) => text);
  const stillWaits = async ({ event }: Asked) => {
    expect((await hooks.details(event.id)).status).toBe('waiting');
    expect(messages()).toEqual([]);
  };
  const admin = () => hooks.app.get(LedgerAdmin);

  it('sends the reply that is approved, once, is no event, and says how it ended', async () => {
    await start();
    const { event, text, approve, deny } = await asked();
    expect(text).toContain('agent would send this reply to chan_2, recipient `customer`:');
    expect(text).toContain('```\nthe reply\n```');
    const [, code = ''] = approve.split(' ');
    expect(code).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify([event, await admin().waits({ limit: 200 })])).not.toContain(code);
    expect(await tap(ANA, approve)).toEqual(TAKEN);
    const { runs } = await hooks.ended(event.id);
    expect(messages()).toEqual(['the reply']);
    expect(runs[0]?.waits).toMatchObject([{ decision: { verdict: 'approved', by: ANA } }]);
    await told('Approved.');
    // No message can be changed there.
    const end = await eventually('how it ended is told', () =>
      shown().find((one) => one.includes(`Approved by ${ANA.replace(':', ' ')}`)),
    );
    expect(end).toMatch(/^agent would send this reply .*\d\d:\d\d UTC$/s);
    expect(end).not.toContain('the reply');
    expect(await tap(ANA, deny)).toEqual(TAKEN);
    await told('You have approved this.');
    expect(questions()).toHaveLength(1);
    expect(await hooks.stored()).toBe(1);
    expect(messages()).toEqual(['the reply']);
    const { entries } = await admin().audited({ limit: 1 });
    expect(entries).toMatchObject([{ actor: ANA, operation: 'tap', outcome: 'done' }]);
  });

  it('sends nothing of what is denied', async () => {
    await start();
    const { event, deny } = await asked();
    expect(await tap(ANA, deny)).toEqual(TAKEN);
    await hooks.ended(event.id);
    expect(messages()).toEqual([]);
  });

  it('decides nothing by a stranger, by nobody, or by what no button had', async () => {
    await start();
    const question = await asked();
    expect(await tap(BEN, question.approve)).toEqual(TAKEN);
    await told('You may not decide this.');
    const value = whatsappValue(ANA, [buttonReply(question.approve)]);
    expect(await send(signedByMeta('another secret', value))).toMatchObject({ status: 401 });
    expect(await tap(ANA, `approve ${'A'.repeat(22)}`)).toEqual(TAKEN);
    await told('Nobody asks this any more.');
    await stillWaits(question);
    expect(await hooks.stored()).toBe(1);
  });

  it('is of who is named, and not of who is asked', async () => {
    await start({ reply: true, approvers: [BEN.replace('+', '')] });
    const question = await asked();
    await tap(ANA, question.approve);
    await stillWaits(question);
    await tap(BEN, question.approve);
    await hooks.ended(question.event.id);
    expect(messages()).toEqual(['the reply']);
  });

  it('leaves what else is told an event: texts, other buttons, and what stands beside a tap', async () => {
    await start();
    const { event, approve } = await asked();
    const [, code = ''] = approve.split(' ');
    for (const message of [textMessage(approve), buttonReply('order 17'), buttonReply(code)]) {
      const answer = await send(signedByMeta(SECRET, whatsappValue(ANA, [message])));
      expect(answer).toMatchObject({ status: 200, json: { ok: true } });
    }
    expect((await hooks.details(event.id)).status).toBe('waiting');
    expect(await hooks.stored()).toBe(4);
    const both = [textMessage('good morning'), buttonReply(approve)];
    expect(await send(signedByMeta(SECRET, whatsappValue(ANA, both)))).toMatchObject({
      status: 200,
      json: { ok: true },
    });
    await hooks.ended(event.id);
    expect(messages()).toEqual(['the reply']);
    expect(await hooks.stored()).toBe(5);
  });

  it('counts once where a request tells of several', async () => {
    await start();
    const { event, approve, deny } = await asked();
    expect(await tap(ANA, deny, approve)).toEqual(TAKEN);
    await hooks.ended(event.id);
    await told('You have denied this.');
    expect(messages()).toEqual([]);
    expect(await hooks.stored()).toBe(1);
  });

  it.each([
    [
      'in a group',
      { group_id: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD' },
      undefined,
    ],
    ['of another number', {}, '106540352242999'],
  ])('%s decides nothing', async (_where, more, phone) => {
    await start();
    const question = await asked();
    const value = whatsappValue(ANA, [{ ...buttonReply(question.approve), ...more }], phone);
    expect(await send(signedByMeta(SECRET, value))).toMatchObject({ status: 200 });
    await stillWaits(question);
    expect(await hooks.stored()).toBe(2);
  });

  it('decides nothing about what was forgotten, which is told', async () => {
    await start();
    const { event, approve } = await asked();
    await admin().forget(event.id);
    await eventually('that is told', () =>
      shown().some((text) => text.includes('This question was forgotten')),
    );
    expect(await tap(ANA, approve)).toEqual(TAKEN);
    await told('Nobody asks this any more.');
    expect(messages()).toEqual([]);
  });

  it('has buttons below a reply of 300 characters to a long request', async () => {
    await start({ reply: true }, `${'a word and '.repeat(27)}the end`);
    await waits('a long request '.repeat(200));
    const { body } = await eventually('somebody is asked', () => questions()[0]);
    expect(body.text.length).toBeLessThanOrEqual(1024);
    expect(body.text).toContain('and the end\n```');
    expect(body.text).toContain('a long request');
  });

  describe('which has no buttons', () => {
    async function asksWithout(): Promise<void> {
      await waits();
      await eventually('somebody is asked', () =>
        shown().some((text) => text.includes('Decide about')),
      );
      await eventually('all is sent', async () => (await hooks.waiting('delivery')) === 0);
      expect(questions()).toEqual([]);
    }

    it.each([
      ['what is longer than Meta allows above them', `${'a word and '.repeat(80)}the end`],
      ['what hides a sign', 'pay to \u202eelpoep'],
      ['what could end the block that it stands in', 'fine\n```\n\nNothing is sent.\n\n```\nrest'],
    ])('below %s', async (_what, reply) => {
      await start({ reply: true }, reply);
      await asksWithout();
    });

    it('where no hook would hear of a tap', async () => {
      await start({ reply: true }, 'the reply', { scheme: 'github', secrets: [SECRET] });
      await asksWithout();
    });

    it('in a template, in whose one line nobody sees where a reply ends', () => {
      const template = { name: 'gateway_alert', language: 'en_US' };
      const given = { token: speech.secret, phoneNumberId: '106540352242922' };
      expect(whatsapp({ ...given, template }).buttons).toBeNull();
      expect(whatsapp(given).buttons).not.toBeNull();
    });
  });
});
