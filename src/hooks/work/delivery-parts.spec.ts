import { makeChannel } from '../../adapters/channels/providers.ts';
import { deliveryLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, listKinds, only } from '../../../test/support/work-under-test.ts';
import type { Commit } from '../../../test/support/work-under-test.ts';
import { DeliveryError } from '../ports/index.ts';
import type { ChannelBinding, WorkPart } from '../ports/index.ts';

const PARTS = ['one', 'two', 'three'];

let work: WorkUnderTest;

async function start(over: Partial<ChannelBinding> = {}): Promise<void> {
  await work?.close();
  const channels = ({ channel }: WorkUnderTest) => ({
    chan_1: { provider: channel, to: '+1', ...over },
  });
  work = await WorkUnderTest.start({ channels });
}

beforeEach(() => start());
afterEach(() => work.close());

async function startThreeParts(over?: Partial<ChannelBinding>): Promise<void> {
  await start(over);
  work.channel.parts = () => PARTS;
}

function perform(...lease: Parameters<typeof deliveryLease>): Promise<Commit> {
  return work.perform(deliveryLease(...lease));
}

function part(place: number): WorkPart {
  return { text: PARTS[place - 1] ?? '', place, count: PARTS.length };
}

function performPart(place: number, crashes = 0): Promise<Commit> {
  return perform({ text: '' }, { part: part(place), crashes });
}

describe('DeliveryStep: a reply in parts', () => {
  it('is cut before anything is sent, and its text is not kept twice', async () => {
    await startThreeParts();
    const { outcome, changes } = await perform();
    expect(outcome).toMatchObject({ type: 'cut', parts: PARTS, job: { text: '' } });
    expect(changes).toEqual([]);
    expect(work.channel.messages).toEqual([]);
  });

  it('is cut after a crash whatever onUnknown says: before that nothing was sent', async () => {
    await startThreeParts({ onUnknown: 'stop' });
    const { outcome } = await perform({}, { crashes: 1 });
    expect(outcome.type).toBe('cut');
    expect((await performPart(1, 1)).outcome.type).toBe('dead');
  });

  it('goes one part at a time, as it was cut then, and is known by the first', async () => {
    await startThreeParts();
    work.channel.parts = () => ['cut otherwise'];
    const first = await performPart(1);
    expect(first.outcome).toEqual({ type: 'continue' });
    expect(first.changes).toMatchObject([{ type: 'delivery-update', messageId: '1' }]);
    expect(await performPart(2)).toEqual({ outcome: { type: 'continue' }, changes: [] });
    const last = await performPart(3);
    expect(last.outcome).toEqual({ type: 'done' });
    expect(listKinds(last.changes)).toEqual(['delivery-update', 'route']);
    expect(only(last.changes, 'delivery-update')[0]?.messageId).toBeUndefined();
    expect(work.channel.messages.map(({ text }) => text)).toEqual(PARTS);
  });

  it('gives each part a key of its own, the same for every attempt', async () => {
    await startThreeParts();
    await performPart(1);
    await performPart(2);
    await performPart(2, 1);
    const keys = work.channel.messages.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual(['delivery-1:1', 'delivery-1:2', 'delivery-1:2']);
  });

  it('a part that fails is tried again', async () => {
    await startThreeParts();
    work.channel.answer = () => Promise.reject(new DeliveryError('down', 'retryable'));
    expect((await performPart(2)).outcome.type).toBe('retry');
  });

  it('a text without anything to show is final', async () => {
    await startThreeParts();
    work.channel.parts = () => [];
    const { outcome, changes } = await perform();
    expect(outcome).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({ error: 'there is no text to send' });
  });
});

describe('DeliveryStep: the id of a message', () => {
  it('is kept to 200 characters, however long the platform makes it', async () => {
    work.channel.answer = async () => ({ messageId: 'x'.repeat(1_000_000) });
    const { changes } = await perform();
    expect(only(changes, 'delivery-update')[0]?.messageId).toBe('x'.repeat(200));
  });
});

describe('DeliveryStep: links of an untrusted reply on each kind of platform', () => {
  const platforms = [
    makeChannel('imessage', { apiRoot: 'http://127.0.0.1', password: 'p' }),
    makeChannel('whatsapp', { token: 't', phoneNumberId: '1' }),
    makeChannel('telegram', { token: '1:t' }),
  ];

  async function textsOf(text: string): Promise<string[]> {
    const texts: string[] = [];
    for (const platform of platforms) {
      work.channel.messages.length = 0;
      work.channel.parts = (markdown) => platform.parts(markdown);
      await perform({ text });
      texts.push(work.channel.messages.map((message) => message.text).join(''));
    }
    return texts;
  }

  it.each([
    'http`:`//evil.`com`',
    'ht**tp**s**:**//ev**i**l.c**o**m',
    'http:_/_/evil~~.~~com',
    '**http:**//evil.*com*',
    '# http:__/__/evil`.`com',
    'http\ue03a\ue02f/evil\ue02ecom',
    '`http\ue03a//evil\ue02ecom` http\ue03a//evil\ue02e*c*om',
  ])('%j is no link in any form', async (markdown) => {
    const texts = await textsOf(markdown);
    expect(texts).toHaveLength(3);
    for (const text of texts) expect(text).not.toMatch(/^$|http:\/\/|evil\.com/);
  });

  it('keep the markup of what hides nothing', async () => {
    const reply = '# Done\n\n`a_b` took **5** s, see [it](https://a.example/x) and ada@b.example';
    expect((await textsOf(reply)).map((text) => text.split('\n')[2])).toEqual([
      'a_b took 5 s, see it (hxxps://a[.]example/x) and ada@b[.]example',
      '`a_b` took *5* s, see it (hxxps://a[.]example/x) and ada@b[.]example',
      '`a_b` took **5** s, see it (hxxps://a[.]example/x) and ada@b[.]example',
    ]);
  });
});
