import hoodiecrow from 'hoodiecrow-imap';

export const MAILBOX = {
  account: 'me@mail.example',
  password: 'right "password" of the mailbox',
  accessToken: 'right-access-token',
} as const;

const SUBJECT = 'Invoice \u001b[2J\u001b]0;title\u0007\u009b31m \u202eevil';

const PLUGINS = ['ID', 'SASL-IR', 'AUTH-PLAIN', 'NAMESPACE', 'ENABLE', 'XOAUTH2'];

/** A real IMAP server with one account and one message, on loopback, without Debian's packages. */
export class ImapServer implements AsyncDisposable {
  private constructor(
    private readonly server: ReturnType<typeof hoodiecrow>,
    readonly port: number,
  ) {}

  static async start(): Promise<ImapServer> {
    const { account, password, accessToken } = MAILBOX;
    const encoded = Buffer.from(SUBJECT).toString('base64');
    const raw = `From: Ada <ada@mail.example>\r\nSubject: =?utf-8?B?${encoded}?=\r\n\r\nHello\r\n`;
    const server = hoodiecrow({
      plugins: PLUGINS,
      users: { [account]: { password, xoauth2: { accessToken, sessionTimeout: 3_600_000 } } },
      storage: { INBOX: { messages: [{ raw }] } },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.server.address();
    if (address === null || typeof address === 'string') throw new Error('it has no port');
    return new ImapServer(server, address.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}
