import { connectionOptions } from './imap-session.ts';
import { resolveMail } from './options.ts';
import type { MailOptions } from './options.ts';

const GIVEN = { account: 'me@example.org', host: 'imap.example.org', auth: { password: 'x' } };
const OAUTH2 = { clientId: 'id', refreshToken: 'r' };

function problems(more: object): string[] {
  return resolveMail({ ...GIVEN, ...more }).problems.map(({ key, message }) => `${key} ${message}`);
}

function mail(more: object = {}): MailOptions {
  return resolveMail({ ...GIVEN, ...more }).value;
}

describe('hooks.mail', () => {
  it('needs no more than an account, a host and a password', () => {
    const { value, problems: none } = resolveMail(GIVEN);
    expect(none).toEqual([]);
    expect(value).toMatchObject({
      secure: true,
      mailboxes: ['INBOX'],
      includeBody: true,
      maxBytes: 65_536,
    });
  });

  it.each([
    [{ host: undefined }, /^hooks\.mail\.host must/u],
    [{ auth: {} }, /^hooks\.mail\.auth needs either password .*or oauth2/u],
    [{ auth: undefined }, /^hooks\.mail\.auth needs either/u],
    [{ auth: { password: 'x', oauth2: OAUTH2 } }, /^hooks\.mail\.auth needs either/u],
    [{ auth: { password: 'x\r\nA1 LOGOUT' } }, /^hooks\.mail\.auth\.password must be one line/u],
    [{ user: ' ' }, /^hooks\.mail\.user must be one line/u],
    [{ auth: { oauth2: OAUTH2 } }, /tokenUrl is needed: the token endpoint of imap\.example\.org/u],
    [
      { auth: { oauth2: { ...OAUTH2, tokenUrl: 'http://idp.example/token' } } },
      /tokenUrl must begin with https/u,
    ],
    [
      { auth: { oauth2: { ...OAUTH2, tokenUrl: 'https://me:pw@idp.example/token' } } },
      /tokenUrl must not hold a user name/u,
    ],
    [{ mailboxes: [] }, /^hooks\.mail\.mailboxes /u],
    [{ mailboxes: ['a\r\nb'] }, /^hooks\.mail\.mailboxes .*blank name/u],
    [{ maxBytes: 10 }, /^hooks\.mail\.maxBytes must not be less than 1024/u],
    [{ thinking: 'hard' }, /^hooks\.mail\.thinking must be one of/u],
    [{ charset: 'latin-15' }, /^hooks\.mail\.charset must be one such as windows-1252/u],
    [{ charset: 'utf-16' }, /^hooks\.mail\.charset must be one such as/u],
    [{ authservId: 'mx.*.example' }, /^hooks\.mail\.authservId must be a name such as/u],
    [{ mailbox: 'INBOX' }, /mailbox is not a known key.*mailboxes/u],
  ])('%j is refused and says what to do', (more, words) => {
    expect(problems(more)).toEqual([expect.stringMatching(words)]);
  });

  it.each(['imap.gmail.com', 'outlook.office365.com', 'imap-mail.outlook.com'])(
    'knows the token endpoint of %s',
    (host) => {
      expect(problems({ host, auth: { oauth2: OAUTH2 } })).toEqual([]);
    },
  );

  it('does not take a look-alike for a known provider', () => {
    const auth = { oauth2: OAUTH2 };
    expect(problems({ host: 'imap.gmail.com.evil.example', auth })).toHaveLength(1);
    expect(problems({ host: 'notgmail.com', auth })).toHaveLength(1);
  });
});

describe('connectionOptions', () => {
  const credentials = { pass: 'x' };

  it('is TLS on 993 unless something else is configured', () => {
    expect(connectionOptions(mail(), credentials)).toMatchObject({
      host: 'imap.example.org',
      port: 993,
      secure: true,
      logger: false,
      auth: { user: 'me@example.org', pass: 'x' },
    });
  });

  it('without secure demands STARTTLS and a good certificate', () => {
    const options = connectionOptions(mail({ secure: false }), credentials);
    expect(options).toMatchObject({ port: 143, secure: false, doSTARTTLS: true });
    expect(options.tls).not.toHaveProperty('rejectUnauthorized');
  });

  it.each(['127.0.0.1', 'localhost', '::1'])('may go without on %s', (host) => {
    const options = connectionOptions(mail({ secure: false, host }), credentials);
    expect(options.doSTARTTLS).toBeUndefined();
  });

  it('checks certificates with secure, on this machine, too', () => {
    const options = connectionOptions(mail({ host: '127.0.0.1' }), credentials);
    expect(options.tls).not.toHaveProperty('rejectUnauthorized');
  });
});
