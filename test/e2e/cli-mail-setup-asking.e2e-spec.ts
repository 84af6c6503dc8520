import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import JSON5 from 'json5';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ImapServer, MAILBOX } from '../support/imap-server.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

let dir: ConfigDirectory;
let server: ImapServer;
beforeEach(async () => {
  dir = new ConfigDirectory();
  server = await ImapServer.start();
});
afterEach(async () => {
  dir[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

const { enter, down, ctrlC } = KEYS;

function typing(...flags: string[]): TypedTerminal {
  const port = String(server.port);
  return new TypedTerminal(['mail', 'setup', '--port', port, '--starttls', ...flags], dir.path);
}

function expectNoTrace(): void {
  expect(existsSync(join(dir.path, 'gateway.json5'))).toBe(false);
  expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
}

function written(name: string): string {
  return readFileSync(join(dir.path, name), 'utf8');
}

describe('hooks mail setup at a terminal', () => {
  it('asks, hides the password, lets another one be typed, shows what it would write, and writes', async () => {
    using terminal = typing('--host', '127.0.0.1');
    await terminal.answer('Address of the mailbox', `${MAILBOX.account}${enter}`);
    await terminal.answer('How do you log in?', enter);
    await terminal.answer('Password, or app password', `wrong one${enter}`);
    await terminal.answer('the login is refused', '');
    await terminal.answer('Try another login?', enter);
    await terminal.answer('How do you log in?', enter);
    await terminal.answer('Password, or app password', `${MAILBOX.password}${enter}`);
    await terminal.answer('INBOX: 1 message; the newest is "Invoice', '');
    await terminal.answer("+ password: '***',", '');
    await terminal.answer('Write this?', enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.words).not.toMatch(/wrong one|right "password"/);
    expect(JSON5.parse(written('gateway.d/mail.json5'))).toMatchObject({
      hooks: { mail: { account: 'me@mail.example', auth: { password: MAILBOX.password } } },
    });
  });

  it('never lets a subject steer the terminal', async () => {
    using terminal = typing('--account', MAILBOX.account, '--host', '127.0.0.1', '--dry-run');
    await terminal.answer('How do you log in?', enter);
    await terminal.answer('Password, or app password', `${MAILBOX.password}${enter}`);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.raw).toContain(
      String.raw`Invoice \u001b[2J\u001b]0;title\u0007\u009b31m \u202eevil`,
    );
    for (const sign of ['\u0007', '\u009b', '\u202e']) expect(terminal.raw).not.toContain(sign);
  });
});

describe('hooks mail setup at a terminal changes nothing', () => {
  afterEach(expectNoTrace);

  it('when the answer is no', async () => {
    using terminal = typing('--account', MAILBOX.account, '--host', '127.0.0.1', '--no-check');
    await terminal.answer('How do you log in?', `${down}${enter}`);
    await terminal.answer('Client id of your app', `app${enter}`);
    await terminal.answer('Does your app have a client secret?', `n`);
    await terminal.answer('Refresh token', `token${enter}`);
    expect(await terminal.ended()).toBe(1);
    expect(terminal.words).toContain('hooks.mail.auth.oauth2.tokenUrl is needed');
  });

  it('when the last question is answered with no', async () => {
    using terminal = typing('--account', MAILBOX.account, '--host', '127.0.0.1', '--no-check');
    await terminal.answer('How do you log in?', enter);
    await terminal.answer('Password, or app password', `anything${enter}`);
    await terminal.answer('Write this?', 'n');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.words).toContain('nothing was changed');
  });

  it('after Ctrl-C, which ends it with 130', async () => {
    using terminal = typing('--host', '127.0.0.1');
    await terminal.answer('Address of the mailbox', ctrlC);
    expect(await terminal.ended()).toBe(130);
  });
});
