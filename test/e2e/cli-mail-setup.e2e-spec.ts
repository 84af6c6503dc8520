import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import JSON5 from 'json5';
import { writeFragment } from '../../src/service/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ImapServer, MAILBOX } from '../support/imap-server.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const FRAGMENT = 'gateway.d/mail.json5';
const OWN = `// my own
{
  hooks: {
    enabled: true, // on
    token: '\${HOOK_TOKEN}',
    defaultSessionKey: 'hook:ingress',
    presets: ['generic'],
  },
}
`;
const ENV = '# secrets\nHOOK_TOKEN=the-hook-token-of-the-tests\n';

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

function setup(
  flags: readonly string[],
  place: { input?: string; env?: Record<string, string> } = {},
): ReturnType<typeof hooksCall> {
  const mailbox = ['--account', MAILBOX.account, '--host', '127.0.0.1', '--starttls'];
  const args = ['mail', 'setup', ...mailbox, '--port', String(server.port), ...flags];
  return hooksCall(args, { cwd: dir.path, ...place });
}

async function expectNoTrace(): Promise<void> {
  expect(await readdir(dir.path)).toEqual([]);
}

function written(name: string): string {
  return readFileSync(join(dir.path, name), 'utf8');
}

function writtenMail(): Record<string, unknown> {
  const { hooks } = JSON5.parse<{ hooks: { mail: Record<string, unknown> } }>(written(FRAGMENT));
  return hooks.mail;
}

const PASSWORD = { input: `${MAILBOX.password}\n` };

describe('hooks mail setup without a terminal', () => {
  it('tries the login, shows the newest subject, and writes a configuration that is fine', async () => {
    const { code, stdout, stderr } = await setup(['--password-stdin', '--yes'], PASSWORD);
    expect(code).toBe(0);
    expect(stderr).toContain('INBOX: 1 message; the newest is "Invoice \\u001b[2J');
    expect(stdout + stderr).not.toContain('right "password"');
    expect(writtenMail()['auth']).toEqual({ password: MAILBOX.password });
    const { hooks } = JSON5.parse<{ hooks: { token: string } }>(written('gateway.json5'));
    expect(hooks.token).toMatch(/^[\w-]{43}$/);
    expect(stdout).not.toContain(hooks.token);
    for (const name of ['gateway.json5', FRAGMENT]) {
      expect(statSync(join(dir.path, name)).mode & 0o777).toBe(0o600);
    }
    const check = await hooksCall(['config', 'check'], { cwd: dir.path });
    expect(check.code).toBe(0);
    expect(await readdir(dir.path)).toEqual(['gateway.d', 'gateway.json5']);
    const show = await hooksCall(['config', 'show'], { cwd: dir.path });
    expect(show.stdout).toContain("password: '***'");
    expect(show.stdout).not.toContain('right "password');
  });

  it('takes the hook token of .env into the gateway.json5 that it makes', async () => {
    dir.write('.env', ENV);
    expect((await setup(['--password-stdin', '--yes'], PASSWORD)).code).toBe(0);
    expect(written('gateway.json5')).toContain("token: '${HOOK_TOKEN}',");
    expect(written('.env')).toBe(ENV);
  });

  it('keeps every byte of the gateway.json5 and the .env that are there', async () => {
    dir.write('gateway.json5', OWN).write('.env', ENV);
    expect((await setup(['--password-stdin', '--yes'], PASSWORD)).code).toBe(0);
    expect(written('gateway.json5')).toBe(OWN);
    expect(written('.env')).toBe(ENV);
    expect(JSON5.parse(written(FRAGMENT))).toEqual({
      hooks: {
        presets: ['mail'],
        mail: {
          account: 'me@mail.example',
          host: '127.0.0.1',
          port: server.port,
          secure: false,
          auth: { password: MAILBOX.password },
        },
      },
    });
    expect((await hooksCall(['config', 'check'], { cwd: dir.path })).code).toBe(0);
  });

  it('changes what an earlier setup wrote, and keeps what a person added to it', async () => {
    dir.write('gateway.json5', OWN).write('.env', ENV);
    const oauth2 = { clientId: 'i', refreshToken: '${HOOK_TOKEN}', tokenUrl: 'https://x' };
    const earlier = { account: 'a@b.c', host: 'x', user: 'u', auth: { oauth2 }, maxBytes: 4096 };
    const sections = { hooks: { presets: ['mail'], mail: earlier } };
    writeFragment(dir.path, 'mail', sections, 'hooks mail setup');
    expect((await setup(['--password-stdin', '--yes'], PASSWORD)).code).toBe(0);
    const mail = writtenMail();
    expect(mail).toEqual({
      account: 'me@mail.example',
      host: '127.0.0.1',
      user: 'me@mail.example',
      auth: { password: MAILBOX.password },
      maxBytes: 4096,
      port: server.port,
      secure: false,
    });
    expect((await setup(['--password-stdin', '--yes'], PASSWORD)).code).toBe(0);
    expect(writtenMail()).toEqual(mail);
  });

  it('escapes a password that looks like a reference', async () => {
    await setup(['--password-stdin', '--yes', '--no-check'], { input: 'pass-${HOME}-word\n' });
    expect(writtenMail()['auth']).toEqual({ password: 'pass-$${HOME}-word' });
    expect((await hooksCall(['config', 'check'], { cwd: dir.path })).code).toBe(0);
  });

  it('takes a password from a variable and writes no secret', async () => {
    dir.write('gateway.json5', OWN).write('.env', ENV);
    const env = { MY_PASSWORD: MAILBOX.password };
    expect((await setup(['--password-env', 'MY_PASSWORD', '--yes'], { env })).code).toBe(0);
    expect(writtenMail()['auth']).toEqual({ password: '${MY_PASSWORD}' });
    expect(written(FRAGMENT)).not.toContain('right "password');
    expect(written('.env')).toBe(ENV);
  });

  it('prints one JSON document', async () => {
    const { code, stdout } = await setup(['--password-stdin', '--yes', '--json'], PASSWORD);
    const report: unknown = JSON.parse(stdout);
    expect({ code, report }).toMatchObject({
      code: 0,
      report: {
        written: true,
        mailboxes: [{ mailbox: 'INBOX', messages: 1, newest: { from: 'Ada' } }],
        gateway: expect.stringContaining("token: '***'"),
        fragment: expect.stringContaining("password: '***'"),
      },
    });
    expect(stdout).not.toContain('right \\"password');
  });
});

describe('hooks mail setup with OAuth2', () => {
  const FLAGS = ['--oauth2', '--client-id', 'app', '--refresh-token-env', 'REFRESH', '--yes'];
  let endpoint: Server;
  let answer: object;
  beforeEach(async () => {
    answer = { access_token: MAILBOX.accessToken };
    endpoint = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
  });
  afterEach(() => endpoint.close());

  function tokenUrl(): string[] {
    const address = endpoint.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return ['--token-url', `http://127.0.0.1:${port}/token`];
  }

  it('logs in with an access token of the token endpoint', async () => {
    const env = { REFRESH: 'refresh-token' };
    const { code, stderr } = await setup([...FLAGS, ...tokenUrl()], { env });
    expect(code).toBe(0);
    expect(stderr).toContain('INBOX: 1 message');
    expect(written(FRAGMENT)).toContain("refreshToken: '${REFRESH}',");
  });

  it.each([
    ['of .env', {}],
    ['of the environment', { REFRESH: 'spent' }],
  ])('keeps the refresh token that came for the one %s that was tried', async (_, env) => {
    dir.write('.env', '# mine\nREFRESH=spent\n');
    answer = { ...answer, refresh_token: 'the-next-one' };
    const { code, stdout, stderr } = await setup([...FLAGS, ...tokenUrl()], { env });
    expect(code).toBe(0);
    expect(stderr).toContain(`in place of that in REFRESH; it goes to ${FRAGMENT}`);
    expect(stdout + stderr).not.toContain('the-next-one');
    expect(writtenMail()['auth']).toMatchObject({ oauth2: { refreshToken: 'the-next-one' } });
    expect(written('.env')).toBe('# mine\nREFRESH=spent\n');
  });
});

describe('hooks mail setup writes nothing', () => {
  afterEach(expectNoTrace);

  it('when the login is refused', async () => {
    const { code, stderr } = await setup(['--password-stdin', '--yes'], { input: 'wrong\n' });
    expect(code).toBe(1);
    expect(stderr).toContain('the login is refused');
    expect(stderr).toContain('app password');
    expect(stderr).not.toContain('wrong');
  });

  it('when nobody listens there', async () => {
    const { code, stderr } = await setup(['--password-stdin', '--yes', '--port', '1'], PASSWORD);
    expect(code).toBe(3);
    expect(stderr).toContain('no connection (ECONNREFUSED)');
  });

  it('when the port speaks no TLS, and says what to do', async () => {
    const place = ['--account', MAILBOX.account, '--host', '127.0.0.1', '--port', `${server.port}`];
    const args = ['mail', 'setup', ...place, '--password-stdin', '--yes'];
    const { code, stderr } = await hooksCall(args, { cwd: dir.path, ...PASSWORD });
    expect(code).toBe(3);
    expect(stderr).toContain('add --starttls');
  });

  it('when the mailbox is not there, and says which are', async () => {
    const { code, stderr } = await setup(
      ['--password-stdin', '--yes', '--mailbox', 'Nowhere'],
      PASSWORD,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('the mailbox "Nowhere" cannot be opened');
    expect(stderr).toContain('there are: INBOX');
  });

  it('with --dry-run, and shows what it would', async () => {
    const { code, stdout } = await setup(['--password-stdin', '--dry-run'], PASSWORD);
    expect(code).toBe(0);
    expect(stdout).toContain(`${FRAGMENT} (mode 0600)\n+ {`);
    expect(stdout).toContain("+         password: '***',");
  });

  it.each([
    [['--password-stdin'], 2, '--yes'],
    [['--yes'], 2, '--password-env'],
    [['--yes', '--password-stdin', '--oauth2'], 2, 'choose one of'],
    [['--yes', '--password-env', 'not a name!'], 2, 'the name of a variable'],
    [['--yes', '--client-id', 'x', '--password-stdin'], 2, '--client-id is for --oauth2'],
    [['--yes', '--password-stdin', '--port', 'x'], 2, 'a whole number'],
    [['--yes', '--password-env', 'NOT_SET'], 1, 'names the variable NOT_SET'],
    [['--yes', '--password-stdin', '--max-bytes', '1'], 1, 'hooks.mail.maxBytes'],
  ])('with %j', async (flags, code, sentence) => {
    const result = await setup(flags, PASSWORD);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(sentence);
  });
});

describe('hooks mail setup --no-check', () => {
  it('writes without asking the server, and a reference to a variable that comes later', async () => {
    const { code } = await setup(['--no-check', '--yes', '--password-env', 'LATER', '--port', '1']);
    expect(code).toBe(0);
    expect(writtenMail()['auth']).toEqual({ password: '${LATER}' });
  });
});

describe('hooks mail setup beside a gateway.json5 with hooks.mail', () => {
  const mail = (own: string): string =>
    OWN.replace("presets: ['generic'],", `presets: ['mail'], ${own}`);

  it('says what has another value there, and writes nothing', async () => {
    const text = mail("mail: { account: 'a@b.c', host: 'x', auth: { password: 'secret-1' } },");
    dir.write('gateway.json5', text).write('.env', ENV);
    const { code, stdout, stderr } = await setup(['--password-stdin', '--yes'], PASSWORD);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      'gateway.json5 has another value for hooks.mail.account, hooks.mail.host, hooks.mail.auth',
    );
    expect(stderr).toContain('remove hooks.mail from gateway.json5, and run the command again');
    expect(stderr).not.toContain('secret-1');
    expect((await readdir(dir.path)).toSorted()).toEqual(['.env', 'gateway.json5']);
    expect(written('gateway.json5')).toBe(text);
  });

  it('leaves alone what is only said there', async () => {
    const text = mail("mail: { account: 'me@mail.example', host: '127.0.0.1', maxBytes: 4096 },");
    dir.write('gateway.json5', text).write('.env', ENV);
    expect((await setup(['--password-stdin', '--yes'], PASSWORD)).code).toBe(0);
    expect(written('gateway.json5')).toBe(text);
    const { stdout } = await hooksCall(['config', 'show', '--json'], { cwd: dir.path });
    expect(JSON.parse(stdout)).toMatchObject({
      configuration: { hooks: { mail: { maxBytes: 4096, port: server.port } } },
    });
  });
});

const { enter, down, ctrlC } = KEYS;

function typing(...flags: string[]): TypedTerminal {
  const port = String(server.port);
  return new TypedTerminal(['mail', 'setup', '--port', port, '--starttls', ...flags], dir.path);
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
