import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { PASSWORD } from './dovecot.ts';
import { letter } from './lmtp.ts';
import { asOwner } from './mailbox-client.ts';
import { MailSuite } from './suite.ts';

const suite = MailSuite.inThisFile();

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function setup(account: string, input: string, ...flags: string[]): ReturnType<typeof hooksCall> {
  const server = ['--host', '127.0.0.1', '--starttls', '--port', String(suite.imap)];
  const args = ['mail', 'setup', '--account', account, ...server, '--password-stdin', '--yes'];
  return hooksCall([...args, ...flags], { cwd: dir.path, input });
}

describe('hooks mail setup at a real Dovecot', () => {
  it('shows the newest subject, marks nothing as seen, and writes hooks.mail', async () => {
    const account = suite.account();
    for (const subject of ['old', 'newest']) {
      await suite.lmtp.deliver(account, letter(account, { subject }));
    }
    const { code, stderr } = await setup(account, PASSWORD);
    expect(code).toBe(0);
    expect(stderr).toContain('INBOX: 2 messages; the newest is "newest" from Ada');
    expect(readFileSync(join(dir.path, 'gateway.d/mail.json5'), 'utf8')).toContain(account);
    const seen = await asOwner(account, suite.imap, async (client) => {
      await client.mailboxOpen('INBOX');
      return client.search({ seen: true });
    });
    expect(seen).toEqual([]);
    const again = await setup(account, PASSWORD, '--mailbox', 'INBOX', 'Drafts');
    expect(again.stderr).toContain('Drafts: 0 messages');
  });
});
