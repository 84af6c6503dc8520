import { GOOD_TOKEN, DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { ConnectionCheckError } from '../../../mail/index.ts';
import { mailbox } from './servers.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

function watching(auth: object): DoctorDirectory {
  const mail = { account: 'ann@example.com', host: 'imap.test', auth };
  return dir.configure({ hooks: { presets: ['mail'], mail } });
}

const password = { password: 'an-app-password' };

describe('doctor: mailbox', () => {
  it('logs in and counts', async () => {
    dir.tryMail = () => Promise.resolve({ mailboxes: [{ mailbox: 'INBOX', messages: 7 }] });
    expect(await watching(password).findings(mailbox)).toMatchObject([
      { severity: 'ok', what: 'hooks.mail: logged in; INBOX (7)' },
    ]);
  });

  it.each([
    ['credentials', 'error', 'hooks mail setup'],
    ['no-mailbox', 'error', 'hooks mail setup'],
    ['connection', 'warning', 'hooks.mail.host'],
  ] as const)('tells why it cannot: %s', async (kind, severity, fix) => {
    dir.tryMail = () => Promise.reject(new ConnectionCheckError({ kind, reason: 'no\u001b[2J' }));
    const findings = await watching(password).findings(mailbox);
    expect(findings).toMatchObject([{ severity, fix: expect.stringContaining(fix) }]);
    expect(findings[0]?.what).toBe('hooks.mail: no\\u001b[2J');
    expect(JSON.stringify(findings)).not.toContain('an-app-password');
  });

  it('spends no refresh token', async () => {
    const oauth2 = { clientId: 'c', refreshToken: GOOD_TOKEN, tokenUrl: 'https://id.test/token' };
    expect(await watching({ oauth2 }).findings(mailbox)).toMatchObject([{ severity: 'info' }]);
    expect(dir.asked).toEqual([]);
  });

  it('asks nobody offline or without hooks.mail', async () => {
    expect(await dir.configure().findings(mailbox)).toMatchObject([{ severity: 'info' }]);
    const offline = await watching(password).findings(mailbox, { isOffline: true });
    expect(offline).toMatchObject([{ severity: 'info', what: 'not looked at (--offline)' }]);
    expect(dir.asked).toEqual([]);
  });
});
