import { Logger } from '@nestjs/common';
import { MailProcess } from './mail-process.ts';
import { MailService } from './mail-service.ts';
import { MailSuite } from './suite.ts';
import { Watched } from './watched.ts';

const suite = MailSuite.inThisFile({ tls: true });
const NOWHERE = 'http://127.0.0.1:9';

beforeAll(() => Logger.overrideLogger(false));

describe('a server whose certificate nobody vouches for', () => {
  it('is not spoken to over TLS, and the report says why', async () => {
    const { imaps } = suite.dovecot.ports;
    await using watched = await Watched.prepare(suite.account(), imaps, { secure: true });
    watched.begin();
    await watched.is('disconnected');
    const [mailbox] = watched.watcher?.report().mailboxes ?? [];
    expect(mailbox?.lastError?.message).toBe('no connection (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });

  it('is watched over TLS by a process that is told to trust it', async () => {
    const { imaps } = suite.dovecot.ports;
    const mail = { secure: true };
    await using service = await MailService.prepare(suite.account(), imaps, mail);
    const env = { NODE_EXTRA_CA_CERTS: suite.dovecot.certificate };
    await using watcher = new MailProcess(service.directory.path, NOWHERE, env);
    await watcher.prints('"state":"watching"');
    expect(await watcher.ended('SIGTERM')).toBe(0);
  });

  it('is watched with STARTTLS on this machine', async () => {
    await using watched = await Watched.start(suite.account(), suite.imap);
    expect(watched.watcher?.report().state).toBe('watching');
  });
});
