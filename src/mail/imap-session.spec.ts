import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { ManualClock } from '../../test/support/clocks.ts';
import { ImapSession } from './imap-session.ts';
import { resolveMail } from './options.ts';

const ACCOUNT = { account: 'me@x.example', auth: { password: 'x' }, secure: false, maxBytes: 1024 };
const MAIL = 'Subject: whole\r\n\r\nHello\r\n';
/** No `OK` follows. */
const NEVER_ENDS = Symbol('never ends');
const WHOLE = `RFC822.SIZE ${MAIL.length} BODY[]<0> {${MAIL.length}}\r\n${MAIL}`;

let server: Server;
let session: ImapSession;
let clock: ManualClock;
/** What the server says between a command and its `OK`, by the command's first words. */
let said: Readonly<Record<string, (socket: Socket) => unknown>>;

beforeEach(async () => {
  said = {};
  clock = new ManualClock();
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n');
    socket.on('data', (chunk) => {
      for (const line of String(chunk).split('\r\n').filter(Boolean)) answer(socket, line);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { value } = resolveMail({ ...ACCOUNT, host: '127.0.0.1', port });
  const { signal } = new AbortController();
  session = await ImapSession.connect(value, { pass: 'x' }, { clock, signal });
  await session.open('INBOX');
});

afterEach(() => {
  session.close();
  server.close();
});

function answer(socket: Socket, line: string): void {
  const [tag = '', ...words] = line.split(' ');
  const command = words.join(' ');
  const own = Object.entries(said).find(([start]) => command.startsWith(start))?.[1];
  if (own?.(socket) === NEVER_ENDS) return;
  if (own !== undefined) {
    socket.write(`${tag} OK done\r\n`);
    return;
  }
  if (command.startsWith('EXAMINE')) {
    socket.write('* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 4] ok\r\n');
  } else if (command.startsWith('LIST')) socket.write('* LIST () "/" INBOX\r\n');
  else if (command.startsWith('CAPABILITY')) socket.write('* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n');
  socket.write(`${tag} OK done\r\n`);
}

function fetched(...items: readonly string[]): void {
  said = { 'UID FETCH': (socket) => socket.write(items.map((item) => `* ${item}\r\n`).join('')) };
}

describe('a session with a server that says more than it was asked', () => {
  it.each([
    ['before', [`1 FETCH (UID 1 FLAGS (\\Seen))`, `1 FETCH (UID 1 FLAGS () ${WHOLE})`]],
    ['after', [`1 FETCH (UID 1 FLAGS () ${WHOLE})`, `1 FETCH (UID 1 FLAGS (\\Seen))`]],
  ])('takes a message once, and whole, when its flags are reported %s it', async (_, items) => {
    fetched(...items);
    const mails = await session.fetch([1]);
    expect(mails.map(({ uid, source }) => [uid, String(Buffer.from(source))])).toEqual([[1, MAIL]]);
  });

  it('takes no more of a message than it asked for', async () => {
    const long = 'x'.repeat(4096);
    fetched(`1 FETCH (UID 1 FLAGS () BODY[]<0> {${long.length}}\r\n${long})`);
    const [mail] = await session.fetch([1]);
    expect(mail).toMatchObject({ isCut: true });
    expect(mail?.source.length).toBe(1024);
  });

  it.each([
    [
      'comes to no end with messages that nobody asked for',
      `* 2 FETCH (UID 2 FLAGS () ${WHOLE})\r\n`,
    ],
    ['speaks one byte after the other', '*'],
  ])('is ended when it %s', async (_, piece) => {
    let timer: NodeJS.Timeout | undefined;
    const begun = Promise.withResolvers<void>();
    said = {
      'UID FETCH': (socket) => {
        const speak = (): boolean => socket.write(piece);
        timer = setInterval(speak, 1);
        socket.once('close', () => clearInterval(timer));
        begun.resolve();
        return NEVER_ENDS;
      },
    };
    const outcome = session.fetch([1]).catch((error: unknown) => error);
    await begun.promise;
    clock.advance(600_000);
    expect(await outcome).toBeInstanceOf(Error);
  });

  it('takes no uid that is none', async () => {
    said = {
      'UID SEARCH': (socket) => socket.write('* SEARCH 3 0 4294967296 99999999999999999 2 2\r\n'),
    };
    expect(await session.uidsAfter(1)).toEqual([2, 3]);
  });
});
