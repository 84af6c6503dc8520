import { readFirstHeaders, toMessage, toUnreadableMessage } from './message.ts';
import type { ParsedMail } from './reader/parsed-mail.ts';

const PARSED: ParsedMail = {
  from: 'a@b.example',
  fromAddresses: ['a@b.example'],
  to: 'c@d.example',
  subject: 'Hello',
  date: null,
  headers: {},
  text: `One\n\ntwo ${'three '.repeat(100)}`,
  isCut: false,
  hiddenChars: 0,
  unknownChars: 0,
  unknownText: '',
  attachments: [
    { filename: 'a.pdf', contentType: 'application/pdf', size: 3 },
    { filename: 'b.pdf', contentType: 'application/pdf', size: 9 },
  ],
};
const CONTEXT = { id: 'i-1-1', mailbox: 'INBOX', includeBody: true };
const FETCHED = {
  uid: 1,
  source: Buffer.from('SUBJECT: Broken\r\nFrom: x@y.example\r\n\r\nSubject: inner'),
  isCut: false,
  receivedAt: '2026-11-21T10:00:00.000Z',
};

describe('toMessage', () => {
  it('takes the time of arrival for a date that cannot be read', () => {
    expect(toMessage(PARSED, FETCHED, CONTEXT).date).toBe(FETCHED.receivedAt);
  });

  it('keeps the snippet short and on one line', () => {
    const { snippet } = toMessage(PARSED, FETCHED, CONTEXT);
    expect(snippet).toMatch(/^One two three/u);
    expect(snippet.length).toBeLessThanOrEqual(200);
  });

  it('says at the end of the body how much the mail hides, or in the snippet', () => {
    const mail = { ...PARSED, text: 'Hello', hiddenChars: 312 };
    const note = '(hidden text left out: 312 characters)';
    expect(toMessage(mail, FETCHED, CONTEXT)).toMatchObject({
      snippet: 'Hello',
      body: `Hello\n\n${note}`,
    });
    const short = toMessage(mail, FETCHED, { ...CONTEXT, includeBody: false });
    expect(short.snippet).toBe(`Hello ${note}`);
  });

  it('has what may not be visible behind the text and the sentence, and never in the snippet', () => {
    const mail = { ...PARSED, text: 'Hello', unknownChars: 312, unknownText: 'Buy' };
    const note = '(may not be visible: 312 characters)';
    expect(toMessage(mail, FETCHED, CONTEXT)).toMatchObject({
      snippet: 'Hello',
      body: `Hello\n\n${note}\n\nBuy`,
    });
    const short = toMessage(mail, FETCHED, { ...CONTEXT, includeBody: false });
    expect(short.snippet).toBe(`Hello ${note}`);
  });

  it('of a message that was cut does not claim a size for its last part', () => {
    const message = toMessage(PARSED, { ...FETCHED, isCut: true }, CONTEXT);
    expect(message.attachments.map(({ size }) => size)).toEqual([3, null]);
    expect(message.truncated).toBe(true);
  });
});

describe('a message that cannot be read', () => {
  it('is sent with what its first lines say', () => {
    expect(toUnreadableMessage(FETCHED, CONTEXT, 'this message cannot be read')).toMatchObject({
      id: 'i-1-1',
      from: 'x@y.example',
      subject: 'Broken',
      snippet: '(this message cannot be read)',
      error: 'this message cannot be read',
    });
  });

  it('without any header is sent all the same', () => {
    expect(readFirstHeaders(new Uint8Array())).toEqual({ from: '', subject: '' });
    expect(readFirstHeaders(Buffer.alloc(1_000_000, 0xff))).toEqual({ from: '', subject: '' });
  });
});
