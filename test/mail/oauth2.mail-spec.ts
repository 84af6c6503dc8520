import { Logger } from '@nestjs/common';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/clocks.ts';
import { ACCOUNTS, Dovecot } from './dovecot.ts';
import { Lmtp, letter } from './lmtp.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { TokenServer } from './token-server.ts';
import { Watched } from './watched.ts';

const REFRESH_TOKEN = 'refresh-token-that-nobody-may-see';
const CLIENT_SECRET = 'client-secret-that-nobody-may-see';

let tokens: TokenServer;
let dovecot: Dovecot;
let lmtp: Lmtp;
let used = 0;

beforeAll(async () => {
  Logger.overrideLogger(false);
  tokens = await TokenServer.start();
  dovecot = await Dovecot.start({ tokenInfoUrl: `${tokens.url}/info?access_token=` });
  lmtp = await Lmtp.connect(dovecot.ports.lmtp);
});

afterAll(async () => {
  lmtp[Symbol.dispose]();
  await dovecot[Symbol.asyncDispose]();
  await tokens[Symbol.asyncDispose]();
});

beforeEach(() => {
  tokens.asked.length = 0;
  tokens.good.clear();
  tokens.reply = () => tokens.fresh();
  tokens.account = ACCOUNTS[used] ?? '';
  used += 1;
});

function prepared(port: number): Promise<Watched> {
  const tokenUrl = `${tokens.url}/token`;
  const oauth2 = { clientId: 'id', clientSecret: CLIENT_SECRET, refreshToken: REFRESH_TOKEN };
  return Watched.prepare(tokens.account, port, { auth: { oauth2: { ...oauth2, tokenUrl } } });
}

describe('OAuth2', () => {
  it('logs in with an access token that it got by refresh', async () => {
    await using watched = await prepared(dovecot.ports.imap);
    watched.begin();
    await watched.is('watching');
    await lmtp.deliver(tokens.account, letter(tokens.account));
    await watched.accepts(1);
    expect(tokens.asked.map((form) => Object.fromEntries(form))).toEqual([
      {
        grant_type: 'refresh_token',
        client_id: 'id',
        client_secret: CLIENT_SECRET,
        refresh_token: REFRESH_TOKEN,
      },
    ]);
  });

  it('gets a new token, once, when the server refuses the one it has', async () => {
    await using proxy = await TcpProxy.start(dovecot.ports.imap);
    await using watched = await prepared(proxy.port);
    watched.begin();
    await watched.is('watching');
    tokens.good.clear();
    proxy.cut();
    await watched.is('disconnected');
    proxy.mend();
    await watched.is('watching');
    expect(tokens.asked).toHaveLength(2);
  });
});

describe('OAuth2 whose refresh token has expired', () => {
  it('is one clear state, told once, and over when it is renewed', async () => {
    tokens.reply = () => ({ status: 400, body: { error: 'invalid_grant' } });
    await using watched = await prepared(dovecot.ports.imap);
    const clock = new ManualClock(Date.now());
    watched.clock = clock;
    watched.begin();
    await watched.is('credentials-expired');
    await eventually('the session is told', () => watched.hook.received.length > 0);
    expect(watched.watcher?.report().mailboxes[0]?.lastError?.message).toContain('invalid_grant');
    const asked = tokens.asked.length;
    tokens.reply = () => tokens.fresh();
    clock.advance(299_999);
    expect(tokens.asked).toHaveLength(asked);
    clock.advance(1);
    await watched.is('watching');
    expect(watched.hook.received).toHaveLength(1);
  });

  it('is told from an endpoint in trouble, which is asked again by itself', async () => {
    let trouble = 2;
    tokens.reply = () => {
      trouble -= 1;
      return trouble >= 0 ? { status: 503, body: {} } : tokens.fresh();
    };
    await using watched = await prepared(dovecot.ports.imap);
    watched.begin();
    await watched.is('disconnected');
    await watched.is('watching');
    expect(watched.hook.received).toHaveLength(0);
  });

  it('leaves no secret in what an operator or the session is shown', async () => {
    tokens.reply = () => ({ status: 400, body: { error: `invalid ${REFRESH_TOKEN}` } });
    await using watched = await prepared(dovecot.ports.imap);
    watched.begin();
    await watched.is('credentials-expired');
    await eventually('the session is told', () => watched.hook.received.length > 0);
    const shown = JSON.stringify([watched.watcher?.report(), watched.hook.received]);
    expect(shown).not.toContain(REFRESH_TOKEN);
    expect(shown).not.toContain(CLIENT_SECRET);
  });
});
