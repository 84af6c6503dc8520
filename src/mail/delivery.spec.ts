import { array, asyncProperty, assert, constantFrom, integer, record, string } from 'fast-check';
import { FastClock } from '../../test/support/clocks.ts';
import { MailDelivery } from './delivery.ts';
import type { HookAnswer } from './hook-client.ts';
import type { MailMessage, MailPayload } from './message.ts';

function message(id: string, body: string): MailMessage {
  const authentic = 'unknown';
  const texts = { mailbox: 'INBOX', from: '', fromAddress: '', to: '', subject: '', snippet: '' };
  return { id, ...texts, authentic, date: null, body, headers: {}, attachments: [] };
}

interface Hook {
  readonly answer: (payload: MailPayload, bytes: number) => HookAnswer;
  readonly maxBodyBytes?: number;
}

async function delivered(messages: readonly MailMessage[], { answer, maxBodyBytes = 9_999 }: Hook) {
  const journal = { accepted: [] as string[], skipped: [] as string[], settled: [] as string[] };
  let requests = 0;
  const clock = new FastClock(1_000_000);
  const post = async (_: string, payload: object): Promise<HookAnswer> => {
    requests += 1;
    const given = answer(payload as MailPayload, JSON.stringify(payload).length);
    if (given.kind !== 'accepted') return given;
    journal.accepted.push(...(payload as MailPayload).messages.map(({ id }) => id));
    return given;
  };
  const delivery = new MailDelivery('me', { post, maxBodyBytes }, clock, {
    settled: ({ id }) => journal.settled.push(id),
    delayed: () => {},
    skipped: ({ id }) => journal.skipped.push(id),
  });
  await delivery.deliver(messages, new AbortController().signal);
  return { ...journal, requests, waits: clock.waits };
}

const ACCEPTED = { kind: 'accepted' } as const;
const LATER = { kind: 'later', reason: '503' } as const;

const mails = array(
  record({
    body: string({ maxLength: 400 }),
    fate: constantFrom('accepted', 'accepted', 'refused', 'too-large'),
  }),
  { maxLength: 30 },
);

describe('MailDelivery', () => {
  it('ends with every message accepted or skipped, once, in order', async () => {
    await assert(
      asyncProperty(mails, integer({ min: 0, max: 3 }), async (fates, troubles) => {
        let trouble = troubles;
        const answer = ({ messages }: MailPayload): HookAnswer => {
          trouble -= 1;
          if (trouble >= 0) return LATER;
          const worst = messages.map(({ id }) => fates[Number(id)]?.fate);
          if (worst.includes('too-large')) return { kind: 'too-large' };
          return worst.includes('refused') ? { kind: 'refused', reason: '400' } : ACCEPTED;
        };
        const all = fates.map(({ body }, index) => message(String(index), body));
        const { accepted, skipped, settled } = await delivered(all, { answer });
        const fine = fates.flatMap(({ fate }, index) => (fate === 'accepted' ? [`${index}`] : []));
        expect(accepted).toEqual(fine);
        expect([...accepted, ...skipped].toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        const order = settled.map(Number);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }),
      { numRuns: 100 },
    );
  });

  it('sends each message alone, so that a condition on one is about no other', async () => {
    const all = Array.from({ length: 50 }, (_, index) => message(String(index), ''));
    const sizes = new Set<number>();
    const { skipped, requests } = await delivered(all, {
      answer: ({ messages }) => {
        sizes.add(messages.length);
        return messages[0]?.id === '37' ? { kind: 'refused', reason: '400' } : ACCEPTED;
      },
    });
    expect(skipped).toEqual(['37']);
    expect(requests).toBe(50);
    expect([...sizes]).toEqual([1]);
  });

  it('waits longer from one trouble to the next, a minute at most, and as long as the hook asks', async () => {
    let count = 0;
    const { waits } = await delivered([message('1', '')], {
      answer: () => {
        count += 1;
        if (count > 14) return ACCEPTED;
        return count === 14 ? { ...LATER, retryAfterMs: 100_000 } : LATER;
      },
    });
    expect(waits).toHaveLength(14);
    expect(waits[0]).toBeLessThanOrEqual(250);
    expect(Math.max(...waits.slice(0, -1))).toBeLessThanOrEqual(60_000);
    expect(waits[12]).toBeGreaterThanOrEqual(30_000);
    expect(waits[13]).toBe(100_000);
  });

  it('asks a misconfigured hook once a minute', async () => {
    let count = 0;
    const { waits, accepted } = await delivered([message('1', '')], {
      answer: () => {
        count += 1;
        return count < 4 ? { kind: 'misconfigured', reason: '404' } : ACCEPTED;
      },
    });
    expect(waits).toEqual([60_000, 60_000, 60_000]);
    expect(accepted).toEqual(['1']);
  });

  it('says the round of what programs answered to our mail, apart from what people wrote', async () => {
    const all = ['1', '2', '3', '4'].map((id) => message(id, ''));
    const headers = { references: '<hooks-round.3.a@b.example>', 'auto-submitted': 'auto-replied' };
    const posts: unknown[] = [];
    const post = async (
      _: string,
      { messages }: object & { messages?: MailMessage[] },
      ...more: unknown[]
    ) => {
      posts.push([messages?.map(({ id }) => id).join(' '), more[1]]);
      return ACCEPTED;
    };
    const events = { settled: () => {}, delayed: () => {}, skipped: () => {} };
    const hook = { post, maxBodyBytes: 9_999 };
    const delivery = new MailDelivery('me', hook, new FastClock(), events);
    const mixed = all.map((one) => (one.id === '3' ? { ...one, headers } : one));
    await delivery.deliver(mixed, new AbortController().signal);
    expect(posts).toEqual([
      ['1', {}],
      ['2', {}],
      ['3', { 'hooks-round': '3' }],
      ['4', {}],
    ]);
  });
});
