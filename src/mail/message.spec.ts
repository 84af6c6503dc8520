import { readFirstHeaders, roundOf, toMessage, toUnreadableMessage } from './message.ts';
import type { ParsedMail } from './reader/parsed-mail.ts';

const PARSED: ParsedMail = {
  from: 'a@b.example',
  fromAddresses: ['a@b.example'],
  sender: 'a@b.example',
  authentic: true,
  to: 'c@d.example',
  subject: 'Hello',
  date: null,
  headers: {},
  text: `One\n\ntwo ${'three '.repeat(100)}`,
  isCut: false,
  unseenChars: 0,
  unseenText: '',
  attachments: [
    { filename: 'a.pdf', contentType: 'application/pdf', size: 3 },
    { filename: 'b.pdf', contentType: 'application/pdf', size: 9 },
  ],
};
const CONTEXT = { id: 'i-1-1', mailbox: 'INBOX', includeBody: true, charset: 'koi8-r' };
const FETCHED = {
  uid: 1,
  source: Buffer.from('SUBJECT: Broken\r\nFrom: x@y.example\r\n\r\nSubject: inner'),
  isCut: false,
  receivedAt: '2026-11-21T10:00:00.000Z',
};

describe('toMessage', () => {
  it('says who wrote it, and whether that is authentic', () => {
    const said = { fromAddress: 'a@b.example', authentic: true };
    expect(toMessage(PARSED, FETCHED, CONTEXT)).toMatchObject(said);
  });

  it('takes the time of arrival for a date that cannot be read', () => {
    expect(toMessage(PARSED, FETCHED, CONTEXT).date).toBe(FETCHED.receivedAt);
  });

  it('keeps the snippet short and on one line', () => {
    const { snippet } = toMessage(PARSED, FETCHED, CONTEXT);
    expect(snippet).toMatch(/^One two three/u);
    expect(snippet.length).toBeLessThanOrEqual(200);
  });

  it('has what may be unseen behind the text and the sentence, and never in the snippet', () => {
    const mail = { ...PARSED, text: 'Hello', unseenChars: 312, unseenText: 'Buy' };
    const note = '(312 characters may be unseen)';
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
    const nothing = { from: '', subject: '' };
    expect(readFirstHeaders(new Uint8Array(), 'koi8-r')).toEqual(nothing);
    expect(readFirstHeaders(Buffer.alloc(1_000_000, 0xff), 'koi8-r')).toEqual(nothing);
  });

  it('is authentic by nobody’s word, and read in the charset of the mailbox', () => {
    const source = Buffer.from('Subject: \xf0\xd2\xc9\r\n\r\n', 'latin1');
    expect(toUnreadableMessage({ ...FETCHED, source }, CONTEXT, 'no')).toMatchObject({
      subject: 'При',
      fromAddress: '',
      authentic: 'unknown',
    });
    const asked = { ...CONTEXT, authservId: 'mx.example.net' };
    expect(toUnreadableMessage(FETCHED, asked, 'no')).toMatchObject({ authentic: false });
  });
});

describe('roundOf', () => {
  const OURS = { references: '<1@x> <hooks-round.2.0198@mail.example.org>' };
  const THEIRS = { references: '<1@x>', 'in-reply-to': '<2@x>' };

  it.each([
    ['an answer that a program wrote', { ...OURS, 'auto-submitted': 'auto-replied' }, 2],
    ['a notice of absence with parameters', { ...OURS, 'auto-submitted': 'auto-replied; x=y' }, 2],
    ['one of an older program', { ...OURS, precedence: 'bulk' }, 2],
    ['one of a list', { ...OURS, precedence: 'list' }, 2],
    ['one of cPanel', { ...OURS, 'x-autoreply': 'yes' }, 2],
    ['one of Mailman', { ...OURS, 'x-autorespond': 'x' }, 2],
    ['one of Exchange', { ...OURS, 'x-auto-response-suppress': 'All' }, 2],
    ['a bounce', { ...OURS, 'return-path': '<>' }, 2],
    [
      'the last of several rounds',
      { ...OURS, 'in-reply-to': '<hooks-round.3.x@y>', precedence: 'bulk' },
      3,
    ],
    ['what a person wrote', OURS, 0],
    ['what says that a person wrote it', { ...OURS, 'auto-submitted': 'no' }, 0],
    ['the same with a remark', { ...OURS, 'auto-submitted': 'No (by hand)' }, 0],
    ['a newsletter', { ...THEIRS, precedence: 'bulk', 'return-path': '<>' }, 0],
    ['a round that is none', { references: '<hooks-round.100.a@b>', precedence: 'bulk' }, 0],
  ] as const)('is, of %s: %j %d', (_what, headers, round) => {
    expect(roundOf(toMessage({ ...PARSED, headers }, FETCHED, CONTEXT))).toBe(round);
  });
});
