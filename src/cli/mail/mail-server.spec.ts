import { findMailServer, knownMailServer } from './mail-server.ts';
import type { MailLookups } from './mail-server.ts';
import { MAIL_PROVIDERS, findProvider } from './providers.ts';

function lookups(mx: readonly string[], servers: readonly string[] = []): MailLookups {
  return {
    mxHosts: () => Promise.resolve(mx),
    isImapServer: (host) => Promise.resolve(servers.includes(host)),
  };
}

describe('knownMailServer', () => {
  it.each([
    ['me@gmail.com', 'imap.gmail.com', true],
    ['me@GoogleMail.com', 'imap.gmail.com', true],
    ['me@outlook.com', 'outlook.office365.com', true],
    ['me@hotmail.com', 'outlook.office365.com', true],
    ['me@yahoo.com', 'imap.mail.yahoo.com', true],
    ['me@fastmail.com', 'imap.fastmail.com', true],
    ['me@gmx.de', 'imap.gmx.net', true],
    ['me@gmx.com', 'imap.gmx.com', true],
    ['me@zoho.com', 'imap.zoho.com', true],
    ['me@aol.com', 'imap.aol.com', true],
    ['me@t-online.de', 'secureimap.t-online.de', true],
    ['me@mailbox.org', 'imap.mailbox.org', true],
    ['me@posteo.de', 'posteo.de', true],
    ['me@proton.me', '127.0.0.1', false],
  ])('%s is read at %s', (account, host, secure) => {
    const server = knownMailServer(account);
    expect(server).toMatchObject({ host, secure });
    expect(server?.user).toBeUndefined();
  });

  it.each(['icloud.com', 'me.com', 'web.de'])('logs in without the domain at %s', (domain) => {
    expect(knownMailServer(`ada@${domain}`)?.user).toBe('ada');
  });

  it.each(['me@notgmail.com', 'me@gmail.com.evil.example', 'gmail.com@example.org', 'nobody'])(
    'does not know %s',
    (account) => expect(knownMailServer(account)).toBeUndefined(),
  );

  it('has a source and advice for every provider, and every domain once', () => {
    const domains = MAIL_PROVIDERS.flatMap(({ domains }) => domains);
    expect(new Set(domains).size).toBe(domains.length);
    for (const { source, advice } of MAIL_PROVIDERS) {
      expect([source, advice]).toEqual([expect.stringMatching(/^https:/), expect.any(String)]);
    }
  });
});

describe('findMailServer', () => {
  it('finds the provider that takes the mail of somebody else’s domain', async () => {
    const mx = ['example-org.mail.protection.outlook.com'];
    expect(await findMailServer('me@example.org', lookups(mx))).toMatchObject({
      host: 'outlook.office365.com',
      provider: { needsOAuth2: true },
    });
    expect(findProvider('aspmx.l.google.com.')?.name).toBe('Gmail');
  });

  it.each(['imap.example.org', 'mail.example.org'])('tries %s', async (host) => {
    const found = await findMailServer('me@example.org', lookups([], [host]));
    expect(found).toEqual({ host, port: undefined, secure: true });
  });

  it('knows nothing otherwise', async () => {
    expect(
      await findMailServer('me@example.org', lookups(['mx.elsewhere.example'])),
    ).toBeUndefined();
  });
});
