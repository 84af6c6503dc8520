import { atLast, eventually } from '../support/eventually.ts';
import { PASSWORD } from './dovecot.ts';
import { Lmtp, letter } from './lmtp.ts';
import { MailProcess } from './mail-process.ts';
import { HOOK_TOKEN, MailService } from './mail-service.ts';
import { MailSuite } from './suite.ts';
import { TcpProxy } from './tcp-proxy.ts';

const suite = MailSuite.inThisFile();

async function burst(account: string, count: number): Promise<void> {
  using connection = await Lmtp.connect(suite.dovecot.ports.lmtp);
  for (let index = 0; index < count; index += 1) {
    await connection.deliver(account, letter(account, { subject: `Mail ${index}` }));
  }
}

async function hasRuns(service: MailService, count: number): Promise<string[]> {
  const runs = await atLast(`${count} runs`, async () => {
    const found = await service.mailRuns();
    return found.length >= count && found;
  });
  return runs;
}

function expectOnce(runs: readonly string[], count: number): void {
  expect(runs).toHaveLength(count);
  expect(new Set(runs).size).toBe(count);
}

describe('the service with hooks.mail', () => {
  it('runs each mail once, in a session of its own, and shows how it fares', async () => {
    const account = suite.account();
    await using service = await MailService.start(account, suite.imap);
    await burst(account, 3);
    expectOnce(await hasRuns(service, 3), 3);
    expect(await service.mail()).toMatchObject({
      account,
      state: 'watching',
      isDegraded: false,
      mailboxes: [{ mailbox: 'INBOX', delivered: 3, refused: 0, waiting: 0, lagSeconds: 0 }],
    });
    expect(await service.ask('/health/ready')).toEqual({
      ok: true,
      status: 'ready',
      paused: false,
    });
    const { service: running } = service;
    expect((await running?.stop())?.code).toBe(0);
    expect(running?.stdout).not.toContain(PASSWORD);
  });

  it('killed five times under a burst of 200 loses nothing and runs nothing twice', async () => {
    const account = suite.account();
    await using service = await MailService.start(account, suite.imap);
    const sent = Promise.all([50, 50, 50, 50].map((count) => burst(account, count)));
    for (const round of [1, 2, 3, 4, 5]) {
      await eventually('it is in the midst of it', async () => {
        const events = await service.events('mail');
        return events.length >= round;
      });
      await service.kill();
      await service.begin();
    }
    await sent;
    expectOnce(await hasRuns(service, 200), 200);
  });

  it('goes on while it is paused: the mail waits in the mailbox', async () => {
    const account = suite.account();
    await using service = await MailService.start(account, suite.imap);
    await service.post('/ops/api/pause');
    await burst(account, 2);
    await service.is('hook-unavailable');
    // The first may have been refused before the second arrived, which is then seen at the next try.
    const [mailbox] = (await service.mail())['mailboxes'] as [{ waiting: number }];
    expect([1, 2]).toContain(mailbox.waiting);
    await service.post('/ops/api/resume');
    expectOnce(await hasRuns(service, 2), 2);
  });
});

describe('a wrong password', () => {
  it('is said by health, operator API, metrics, log and one system event; the rest goes on', async () => {
    const account = suite.account();
    const auth = { password: 'wrong-password-of-the-mailbox' };
    await using service = await MailService.prepare(account, suite.imap, { auth });
    await service.begin();
    await service.is('credentials-expired');
    expect(await service.ask('/health/ready')).toMatchObject({
      ok: true,
      degraded: [{ part: 'mail', state: 'credentials-expired' }],
    });
    expect(await service.metrics()).toContain('hooks_mail_up{mailbox="INBOX"} 0');
    const wakes = await eventually('a wake', async () => {
      const found = await service.events('wake');
      return found.length > 0 && found;
    });
    expect(wakes).toHaveLength(1);
    const { service: running } = service;
    await running?.stop();
    const errors = running?.logs.filter(({ msg }) => String(msg).includes('No mail is read'));
    // A line whose write is under way when the process ends may come twice (gathered-writer.ts).
    expect(new Set(errors?.map((line) => JSON.stringify(line))).size).toBe(1);
    expect(running?.stdout).not.toContain(auth.password);
  });
});

describe('hooks mail run', () => {
  it('sends to the service, in a process of its own, and ends when it is told to', async () => {
    const account = suite.account();
    await using service = await MailService.prepare(account, suite.imap);
    await using watcher = new MailProcess(service.directory.path, await service.beginWithoutMail());
    await watcher.prints('"state":"watching"');
    await burst(account, 2);
    expectOnce(await hasRuns(service, 2), 2);
    expect(watcher.stderr).toContain('INBOX is watched');
    expect(await watcher.ended('SIGTERM')).toBe(0);
    expect(watcher.stdout + watcher.stderr).not.toMatch(new RegExp(`${PASSWORD}|${HOOK_TOKEN}`));
  });

  it('killed five times under a burst of 200 loses nothing and runs nothing twice', async () => {
    const account = suite.account();
    await using service = await MailService.prepare(account, suite.imap);
    const url = await service.beginWithoutMail();
    let watcher = new MailProcess(service.directory.path, url);
    await watcher.prints('"state":"watching"');
    const sent = Promise.all([50, 50, 50, 50].map((count) => burst(account, count)));
    for (const round of [1, 2, 3, 4, 5]) {
      await eventually('it is in the midst of it', async () => {
        const events = await service.events('mail');
        return events.length >= round;
      });
      await watcher.ended('SIGKILL');
      watcher = new MailProcess(service.directory.path, url);
    }
    await using last = watcher;
    await sent;
    expectOnce(await hasRuns(service, 200), 200);
    expect(await last.ended('SIGINT')).toBe(130);
  });

  it('that loses the answers repeats, and nothing runs twice', async () => {
    const account = suite.account();
    await using service = await MailService.prepare(account, suite.imap);
    await using proxy = await TcpProxy.start(
      Number(new URL(await service.beginWithoutMail()).port),
    );
    proxy.lostAnswers = 3;
    const url = `http://127.0.0.1:${proxy.port}`;
    await using watcher = new MailProcess(service.directory.path, url);
    await watcher.prints('"state":"watching"');
    await burst(account, 10);
    await watcher.prints('"delivered":10');
    expect(proxy.lostAnswers).toBe(0);
    expectOnce(await hasRuns(service, 10), 10);
  });

  it('is refused while the service watches, with the reason', async () => {
    const account = suite.account();
    await using service = await MailService.start(account, suite.imap);
    await using second = new MailProcess(service.directory.path, service.service?.url ?? '');
    expect(await second.ended()).toBe(1);
    expect(second.stderr).toMatch(/Another watcher reads the mail/u);
    expect(second.stdout).toBe('');
  });

  it('lets a service that is started meanwhile stand by', async () => {
    const account = suite.account();
    await using service = await MailService.prepare(account, suite.imap);
    await using watcher = new MailProcess(service.directory.path, 'http://127.0.0.1:9');
    await watcher.prints('"state":"watching"');
    await service.begin();
    await service.is('watched-elsewhere');
    expect(await service.ask('/health/ready')).not.toHaveProperty('degraded');
  });
});
