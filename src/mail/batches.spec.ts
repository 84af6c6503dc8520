import { array, assert, integer, property, record, string } from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.ts';
import { shorten, toBatches } from './delivery.ts';
import type { MailMessage } from './message.ts';

function message(more: Partial<MailMessage> = {}): MailMessage {
  return {
    id: '0123456789abcdef-1-1',
    mailbox: 'INBOX',
    from: 'a@b.example',
    to: 'c@d.example',
    subject: 'Hello',
    date: null,
    snippet: 'Hi',
    headers: {},
    attachments: [],
    ...more,
  };
}

function bytesOf(messages: readonly MailMessage[]): number {
  return Buffer.byteLength(JSON.stringify({ source: 'mail', account: 'a', messages }));
}

const messages = array(
  record({ body: string({ unit: anyCharacter, maxLength: 3_000 }), subject: string() }),
  { maxLength: 120 },
);

describe('toBatches', () => {
  it('keeps every message, in order, in requests of the limit', () => {
    assert(
      property(messages, integer({ min: 900, max: 9_000 }), (fields, limit) => {
        const all = fields.map((field, index) => message({ ...field, id: String(index) }));
        const batches = toBatches('a', all, limit);
        expect(batches.flat().map(({ id }) => id)).toEqual(all.map(({ id }) => id));
        for (const batch of batches) {
          expect(bytesOf(batch)).toBeLessThanOrEqual(limit);
          expect(batch.length).toBeLessThanOrEqual(50);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('leaves messages that fit as they are', () => {
    const whole = message({ body: 'x'.repeat(1_000) });
    expect(toBatches('a', [whole], 262_144)).toEqual([[whole]]);
  });
});

describe('shorten', () => {
  it('keeps as much of the body as fits and says so', () => {
    const short = shorten(message({ body: 'x'.repeat(100_000) }), 10_000);
    expect(short.truncated).toBe(true);
    expect(short.body?.length).toBeGreaterThan(9_500);
    expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThanOrEqual(10_000);
  });

  it('never cuts a character in halves', () => {
    for (let limit = 300; limit < 330; limit += 1) {
      const { body = '' } = shorten(message({ body: '😀'.repeat(1_000) }), limit);
      expect(body.isWellFormed()).toBe(true);
    }
  });

  it('goes down to the least, whatever the headers hold', () => {
    const long = 'y'.repeat(1_000);
    const headers = { references: long };
    const least = shorten(message({ from: long, to: long, subject: long, headers }), 700);
    expect(least).toMatchObject({ headers: {}, subject: 'y'.repeat(100), truncated: true });
    expect(Buffer.byteLength(JSON.stringify(least))).toBeLessThanOrEqual(700);
  });
});
