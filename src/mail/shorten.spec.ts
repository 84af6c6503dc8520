import { assert, integer, property, record, string } from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.ts';
import { shorten } from './delivery.ts';
import type { MailMessage } from './message.ts';

function message(more: Partial<MailMessage> = {}): MailMessage {
  return {
    id: '0123456789abcdef-1-1',
    mailbox: 'INBOX',
    from: 'a@b.example',
    fromAddress: 'a@b.example',
    authentic: 'unknown',
    to: 'c@d.example',
    subject: 'Hello',
    date: null,
    snippet: 'Hi',
    headers: {},
    attachments: [],
    ...more,
  };
}

function bytesOf(message: MailMessage): number {
  return Buffer.byteLength(JSON.stringify(message));
}

describe('shorten', () => {
  it('keeps any message within the limit', () => {
    const fields = record({
      body: string({ unit: anyCharacter, maxLength: 3_000 }),
      subject: string(),
    });
    assert(
      property(fields, integer({ min: 900, max: 9_000 }), (field, limit) => {
        expect(bytesOf(shorten(message(field), limit))).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves a message that fits as it is', () => {
    const whole = message({ body: 'x'.repeat(1_000) });
    expect(shorten(whole, 262_144)).toBe(whole);
  });

  it('keeps as much of the body as fits and says so', () => {
    const short = shorten(message({ body: 'x'.repeat(100_000) }), 10_000);
    expect(short.truncated).toBe(true);
    expect(short.body?.length).toBeGreaterThan(9_500);
    expect(bytesOf(short)).toBeLessThanOrEqual(10_000);
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
    expect(bytesOf(least)).toBeLessThanOrEqual(700);
  });
});
