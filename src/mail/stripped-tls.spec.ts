import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { ImapFlow } from 'imapflow';
import { connectionOptions } from './imap-session.ts';
import { resolveMail } from './options.ts';

const PASSWORD = 'password-that-may-not-leave';

let server: Server;
let said = '';

/** A server without STARTTLS, or one that somebody on the way took it away from. */
beforeEach(async () => {
  said = '';
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n');
    socket.on('data', (chunk) => {
      said += String(chunk);
      const [tag = '', command = ''] = String(chunk).split(' ');
      if (command.startsWith('CAPABILITY')) {
        socket.write(`* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n${tag} OK done\r\n`);
      } else socket.write(`${tag} BAD unknown\r\n`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => server.close());

async function attempt(mail: object): Promise<unknown> {
  const { value } = resolveMail({ account: 'me@x.example', auth: { password: PASSWORD }, ...mail });
  const options = connectionOptions(value, { pass: PASSWORD });
  const { port } = server.address() as AddressInfo;
  const client = new ImapFlow({ ...options, host: '127.0.0.1', port });
  client.on('error', () => {});
  const outcome = await client.connect().catch((error: unknown) => error);
  client.close();
  return outcome;
}

describe('a connection that somebody strips of its TLS', () => {
  it.each([
    ['STARTTLS', { host: 'imap.example.org', secure: false }],
    ['TLS', { host: 'imap.example.org' }],
  ])('(%s) fails before the password is said', async (_, mail) => {
    expect(await attempt(mail)).toMatchObject({ message: expect.any(String) });
    expect(said).not.toMatch(/LOGIN|AUTHENTICATE/u);
    expect(said).not.toContain(PASSWORD);
    expect(said).not.toContain(Buffer.from(PASSWORD).toString('base64').slice(0, 20));
  });
});
