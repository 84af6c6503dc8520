import type { FetchedMail } from './imap-session.ts';
import { MessageSource } from './message-source.ts';
import { UnreadableMail } from './reader/mail-reader.ts';
import type { ParsedMail } from './reader/parsed-mail.ts';
import { resolveMail } from './options.ts';

const { value: MAIL } = resolveMail({
  account: 'Me@example.org',
  user: 'login@example.org',
  host: 'imap.example.org',
  auth: { password: 'x' },
});

const PARSED: ParsedMail = {
  from: 'a@b.example',
  fromAddresses: ['a@b.example'],
  sender: 'a@b.example',
  authentic: 'unknown',
  to: '',
  subject: 'Hello',
  date: null,
  headers: {},
  text: '',
  isCut: false,
  unseenChars: 0,
  unseenText: '',
  attachments: [],
};

function mailbox(uid: number, more: Partial<FetchedMail> = {}): FetchedMail {
  const source = Buffer.from('Subject: raw\r\n\r\n');
  return { uid, source, isCut: false, receivedAt: null, isDraft: false, ...more };
}

function source(parsed: () => ParsedMail = () => PARSED): MessageSource {
  return new MessageSource(MAIL, 'INBOX', { read: async () => parsed() });
}

function session(mails: readonly FetchedMail[]): {
  fetch: (uids: readonly number[]) => Promise<FetchedMail[]>;
} {
  return { fetch: async (uids) => mails.filter(({ uid }) => uids.includes(uid)) };
}

const broken = {
  fetch: async (): Promise<never> => {
    throw new Error('the connection was closed');
  },
};

describe('MessageSource', () => {
  it.each(['me@example.org', 'login@example.org'])('leaves out mail from %s', async (address) => {
    const own = source(() => ({ ...PARSED, fromAddresses: [address] }));
    expect(await own.get(session([mailbox(1)]), [1], String)).toEqual([]);
  });

  it('shows mail of somebody who writes our address beside another one, and of nobody', async () => {
    for (const fromAddresses of [['a@b.example', 'me@example.org'], []]) {
      const messages = source(() => ({ ...PARSED, fromAddresses }));
      expect(await messages.get(session([mailbox(1)]), [1], String)).toHaveLength(1);
    }
  });

  it('leaves out drafts, and everything in a mailbox of sent mail', async () => {
    const messages = source();
    expect(await messages.get(session([mailbox(1, { isDraft: true })]), [1], String)).toEqual([]);
    messages.isOwnWriting = true;
    expect(await messages.get(session([mailbox(2)]), [2], String)).toEqual([]);
  });

  it('sends what nobody can read with an error', async () => {
    const messages = source(() => {
      throw new UnreadableMail('no');
    });
    expect(await messages.get(session([mailbox(7)]), [7], String)).toMatchObject([
      { id: '7', subject: 'raw', error: 'this message cannot be read' },
    ]);
  });

  it('does not blame a message for a thread that does not start', async () => {
    const messages = source(() => {
      throw new Error('no memory');
    });
    await expect(messages.get(session([mailbox(7)]), [7], String)).rejects.toThrow('no memory');
  });

  it('goes one by one when fetching fails, and passes what fails five times', async () => {
    const messages = source();
    expect(messages.pageSize).toBe(25);
    for (const _ of [1, 2, 3, 4, 5]) {
      await expect(messages.get(broken, [1], String)).rejects.toThrow('closed');
      expect(messages.pageSize).toBe(1);
    }
    expect(await messages.get(broken, [1], String)).toMatchObject([
      { id: '1', error: 'the mail server does not hand this message out' },
    ]);
    expect(messages.pageSize).toBe(25);
  });
});
