import { Logger } from '@nestjs/common';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/clocks.ts';
import { PASSWORD } from './dovecot.ts';
import { letter } from './lmtp.ts';
import { asOwner } from './mailbox-client.ts';
import { MailSuite } from './suite.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { Watched } from './watched.ts';

const suite = MailSuite.inThisFile();

beforeAll(() => Logger.overrideLogger(false));

async function deliver(account: string, subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) await suite.lmtp.deliver(account, letter(account, { subject }));
}

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word} ${index}`);
}

describe('a lost connection', () => {
  it('costs nothing: 20 mails that came meanwhile arrive once, in order', async () => {
    const account = suite.account();
    await using proxy = await TcpProxy.start(suite.imap);
    await using watched = await Watched.start(account, proxy.port);
    for (const round of [1, 2, 3]) {
      proxy.cut();
      await watched.is('disconnected');
      await deliver(account, numbered(`round ${round}`, 20));
      proxy.mend();
      await watched.accepts(round * 20);
      await watched.is('watching');
    }
    const expected = [1, 2, 3].flatMap((round) => numbered(`round ${round}`, 20));
    expect(watched.hook.subjects).toEqual(expected);
  });

  it('is told in the report and forgotten when it is over', async () => {
    const account = suite.account();
    await using proxy = await TcpProxy.start(suite.imap);
    await using watched = await Watched.start(account, proxy.port);
    proxy.cut();
    await watched.is('disconnected');
    const [mailbox] = watched.watcher?.report().mailboxes ?? [];
    expect(mailbox).toMatchObject({ state: 'disconnected', connectedSince: null });
    expect(mailbox?.lastError?.message).toMatch(/^(no connection|the connection was lost)/u);
    expect(watched.watcher?.report().isDegraded).toBe(false);
    proxy.mend();
    await watched.is('watching');
    expect(watched.watcher?.report().mailboxes[0]?.connectedSince).not.toBeNull();
  });
});

describe('a mailbox that was numbered anew', () => {
  it('goes on with what arrives from then on', async () => {
    const account = suite.account();
    const open = (act: Parameters<typeof asOwner>[2]): Promise<unknown> =>
      asOwner(account, suite.imap, act);
    await open((client) => client.mailboxCreate('Box'));
    await using watched = await Watched.start(account, suite.imap, { mailboxes: ['Box'] });
    await open((client) => client.append('Box', letter(account, { subject: 'one' })));
    await watched.accepts(1);
    await watched.end();
    await open((client) => client.mailboxDelete('Box'));
    // UIDVALIDITY is a time in seconds here.
    const second = Math.floor(Date.now() / 1000);
    await eventually('the next second', () => Math.floor(Date.now() / 1000) > second + 1);
    await open(async (client) => {
      await client.mailboxCreate('Box');
      await client.append('Box', letter(account, { subject: 'unknown' }));
    });
    watched.begin();
    await watched.is('watching');
    await open((client) => client.append('Box', letter(account, { subject: 'two' })));
    await watched.accepts(2);
    expect(watched.hook.subjects).toEqual(['one', 'two']);
    expect(new Set(watched.hook.accepted.map(({ id }) => id)).size).toBe(2);
  });

  it('that does not exist is said so, and watched when it does', async () => {
    const account = suite.account();
    await using watched = await Watched.prepare(account, suite.imap, { mailboxes: ['Later'] });
    const clock = new ManualClock(Date.now());
    watched.clock = clock;
    watched.begin();
    await watched.is('misconfigured');
    expect(watched.watcher?.report()).toMatchObject({ isDegraded: true });
    expect(watched.watcher?.report().mailboxes[0]?.lastError?.message).toMatch(/check its name/u);
    await asOwner(account, suite.imap, (client) => client.mailboxCreate('Later'));
    clock.advance(60_000);
    await watched.is('watching');
  });
});

describe('a wrong password', () => {
  afterEach(() => suite.dovecot.setPassword(PASSWORD));

  it('is one clear state: told once, tried every five minutes, over when it is right', async () => {
    const account = suite.account();
    await using proxy = await TcpProxy.start(suite.imap);
    await using watched = await Watched.prepare(account, proxy.port, {
      mailboxes: ['INBOX', 'Sent'],
      auth: { password: 'another-password' },
    });
    const clock = new ManualClock(Date.now());
    watched.clock = clock;
    watched.begin();
    await watched.is('credentials-expired');
    await eventually('the session is told', () => watched.hook.received.length > 0);
    expect(proxy.connections).toBe(1);
    expect(watched.watcher?.report()).toMatchObject({
      isDegraded: true,
      hint: expect.stringContaining('hooks.mail.auth'),
      mailboxes: [{ state: 'credentials-expired' }, { state: 'credentials-expired' }],
    });
    clock.advance(299_999);
    clock.advance(1);
    await eventually('it is tried again', () => proxy.connections === 2);
    suite.dovecot.setPassword('another-password');
    // The second attempt may still be under way: time goes on until one comes after it.
    await eventually('it is watched', () => {
      clock.advance(300_000);
      return watched.watcher?.report().state === 'watching';
    });
    expect(watched.hook.received).toMatchObject([
      {
        path: '/hooks/wake',
        idempotencyKey: expect.stringMatching(/^mail-outage-/u),
        body: { mode: 'now', text: expect.stringContaining(account) },
      },
    ]);
    expect(JSON.stringify(watched.hook.received)).not.toContain('another-password');
  });
});
