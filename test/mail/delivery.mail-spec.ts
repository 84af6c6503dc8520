import { Logger } from '@nestjs/common';
import { ManualClock } from '../support/clocks.ts';
import { Lmtp, letter } from './lmtp.ts';
import { asOwner } from './mailbox-client.ts';
import { MailSuite } from './suite.ts';
import { HOOK_TOKEN, Watched } from './watched.ts';

const suite = MailSuite.inThisFile();

beforeAll(() => Logger.overrideLogger(false));

describe('new mail', () => {
  it('reaches the hook with everything that is promised', async () => {
    const account = suite.account();
    await using watched = await Watched.start(account, suite.imap);
    const headers = ['Message-ID: <one@sender.example>', 'List-Id: <news.example>'];
    const mail = letter(account, { subject: 'First', text: 'One.\r\n\r\nTwo.', headers });
    await suite.lmtp.deliver(account, mail);
    await watched.accepts(1);
    expect(watched.hook.received).toMatchObject([
      {
        path: '/hooks/mail',
        authorization: `Bearer ${HOOK_TOKEN}`,
        idempotencyKey: undefined,
        body: { source: 'mail', account },
      },
    ]);
    expect(watched.hook.accepted).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}-\d+-\d+$/u),
        mailbox: 'INBOX',
        from: '"Ada" <ada@sender.example>',
        fromAddress: 'ada@sender.example',
        authentic: 'unknown',
        to: account,
        subject: 'First',
        date: '2026-11-21T10:00:00.000Z',
        snippet: 'One. Two.',
        body: 'One.\n\nTwo.',
        headers: {
          'message-id': '<one@sender.example>',
          'list-id': '<news.example>',
          'return-path': '<sender@sender.example>',
        },
        attachments: [],
      },
    ]);
  });

  it('says of each sender what the mailbox’s own server found out', async () => {
    const account = suite.account();
    const server = { authservId: 'mx.example.net' };
    await using watched = await Watched.start(account, suite.imap, server);
    const verdict = (server: string, result: string) =>
      `Authentication-Results: ${server};\r\n dmarc=${result} header.from=sender.example`;
    const mails = [
      [verdict('mx.example.net', 'pass')],
      [verdict('mx.example.net', 'fail'), verdict('mx.example.net', 'pass')],
      [verdict('mx.sender.example', 'pass')],
    ];
    for (const headers of mails) await suite.lmtp.deliver(account, letter(account, { headers }));
    await watched.accepts(3);
    expect(watched.hook.accepted.map(({ authentic }) => authentic)).toEqual([true, false, false]);
  });

  it('is told by the server: eleven in turn need none of our time', async () => {
    const account = suite.account();
    await using watched = await Watched.prepare(account, suite.imap);
    // Stands still: what is asked for now and then is never asked for.
    watched.clock = new ManualClock(Date.now());
    watched.begin();
    await watched.is('watching');
    for (let count = 1; count <= 11; count += 1) {
      await suite.lmtp.deliver(account, letter(account, { subject: `Number ${count}` }));
      await watched.accepts(count);
    }
    expect(watched.hook.subjects).toHaveLength(11);
  });

  it('of a burst of 200 arrives once each, oldest first', async () => {
    const account = suite.account();
    await using watched = await Watched.start(account, suite.imap);
    await Promise.all([0, 1, 2, 3].map((part) => deliverFifty(account, part)));
    await watched.accepts(200);
    expect(new Set(watched.hook.subjects).size).toBe(200);
    const uids = watched.hook.accepted.map(({ id }) => Number(id.split('-').at(-1)));
    expect(uids).toEqual(uids.toSorted((a, b) => a - b));
  });

  it('stays unseen', async () => {
    const account = suite.account();
    await using watched = await Watched.start(account, suite.imap);
    await suite.lmtp.deliver(account, letter(account));
    await watched.accepts(1);
    const unseen = await asOwner(account, suite.imap, (client) =>
      client.status('INBOX', { unseen: true, messages: true }),
    );
    expect(unseen).toMatchObject({ unseen: 1, messages: 1 });
  });

  it('of several mailboxes arrives with the name of each', async () => {
    const account = suite.account();
    await asOwner(account, suite.imap, (client) => client.mailboxCreate('Rechnungen/März'));
    const mailboxes = ['INBOX', 'Rechnungen/März'];
    await using watched = await Watched.start(account, suite.imap, { mailboxes });
    await asOwner(account, suite.imap, (client) =>
      client.append('Rechnungen/März', letter(account, { subject: 'In März' })),
    );
    await suite.lmtp.deliver(account, letter(account, { subject: 'In the inbox' }));
    await watched.accepts(2);
    const found = watched.hook.accepted.map(({ mailbox, subject }) => `${mailbox}: ${subject}`);
    expect(found.toSorted()).toEqual(['INBOX: In the inbox', 'Rechnungen/März: In März']);
  });
});

async function deliverFifty(account: string, part: number): Promise<void> {
  using connection = await Lmtp.connect(suite.dovecot.ports.lmtp);
  for (let index = 0; index < 50; index += 1) {
    await connection.deliver(account, letter(account, { subject: `${part}-${index}` }));
  }
}

describe('what is not sent', () => {
  it('is mail that lay there before the first start', async () => {
    const account = suite.account();
    await suite.lmtp.deliver(account, letter(account, { subject: 'Old' }));
    await using watched = await Watched.start(account, suite.imap);
    await suite.lmtp.deliver(account, letter(account, { subject: 'New' }));
    await watched.accepts(1);
    expect(watched.hook.subjects).toEqual(['New']);
  });

  it('is own mail, and drafts', async () => {
    const account = suite.account();
    const mailboxes = ['INBOX', 'Drafts', 'Sent'];
    await using watched = await Watched.start(account, suite.imap, { mailboxes });
    const own = { from: `Me <${account.toUpperCase()}>`, subject: 'Own' };
    await suite.lmtp.deliver(account, letter(account, own));
    await asOwner(account, suite.imap, async (client) => {
      await client.append('INBOX', letter(account, { subject: 'Draft' }), ['\\Draft']);
      await client.append('Drafts', letter(account, { subject: 'In Drafts' }));
      await client.append('Sent', letter(account, { subject: 'In Sent' }));
    });
    await suite.lmtp.deliver(account, letter(account, { subject: 'Theirs' }));
    await watched.accepts(1);
    expect(watched.hook.received).toHaveLength(1);
    expect(watched.hook.subjects).toEqual(['Theirs']);
  });

  it('is the body, with includeBody false', async () => {
    const account = suite.account();
    await using watched = await Watched.start(account, suite.imap, { includeBody: false });
    await suite.lmtp.deliver(account, letter(account, { text: 'Only the snippet.' }));
    await watched.accepts(1);
    expect(watched.hook.accepted[0]).toMatchObject({ snippet: 'Only the snippet.' });
    expect(watched.hook.accepted[0]).not.toHaveProperty('body');
  });

  it('is what lies beyond maxBytes, and the message says so', async () => {
    const account = suite.account();
    await using watched = await Watched.start(account, suite.imap, { maxBytes: 2_048 });
    const text = `Begin\r\n${'x'.repeat(70)}\r\n`.repeat(100_000);
    await suite.lmtp.deliver(account, letter(account, { text }));
    await watched.accepts(1);
    const [message] = watched.hook.accepted;
    expect(message).toMatchObject({ subject: 'Hello', truncated: true });
    expect(message?.body?.length).toBeLessThan(2_048);
    expect(watched.hook.received[0]?.bytes).toBeLessThan(4_096);
  });
});
