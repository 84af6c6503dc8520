import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../../test/support/clocks.ts';
import { ScriptedServer } from '../../test/support/scripted-server.ts';
import { HookClient } from './hook-client.ts';
import { MailLogin } from './login.ts';
import { resolveMail } from './options.ts';
import { openMailMemory } from './memory-file.ts';
import type { MailMemory } from './memory.ts';

const ACCOUNT = { account: 'me@x.example', host: 'imap.x.example' };
const { value: MAIL } = resolveMail({ ...ACCOUNT, auth: { password: 'x' } });
const REFUSED = Object.assign(new Error('no'), { authenticationFailed: true });
const hook = new HookClient(() => ({ url: 'http://127.0.0.1:9', token: 't', maxBodyBytes: 1 }));

let dir: string;
let store: MailMemory;
let clock: ManualClock;
let login: MailLogin;
let stop: AbortController;
let logger: Logger;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mail-account-'));
  store = openMailMemory(dir);
  clock = new ManualClock();
  stop = new AbortController();
  logger = new Logger();
  logger.log = logger.error = (): void => {};
  login = new MailLogin(MAIL, { store, hook, clock, logger });
});

afterEach(() => {
  stop.abort();
  store.close();
  rmSync(dir, { recursive: true });
});

async function refused(): Promise<never> {
  throw REFUSED;
}

describe('MailLogin', () => {
  it('keeps a login although its store cannot be written: nobody else could close it', async () => {
    store.endOutage = () => {
      throw new Error('database or disk is full');
    };
    const { signal } = stop;
    await expect(login.logIn(async () => 'connected', signal)).resolves.toBe('connected');
  });

  it('says that credentials are refused although its store cannot be written', async () => {
    store.beginOutage = () => {
      throw new Error('database or disk is full');
    };
    await expect(login.logIn(refused, stop.signal)).rejects.toBe(REFUSED);
    expect(login.refusal).toContain('refused');
  });

  it('tells of the outage that began before it', async () => {
    const post = jest.spyOn(hook, 'post');
    await login.logIn(refused, stop.signal).catch(() => {});
    const key = `mail-outage-${store.beginOutage(ACCOUNT.account).id}`;
    expect(post.mock.calls[0]?.[3]).toEqual({ 'idempotency-key': key });
  });

  it('waits five minutes after a refusal, also when the clock is set back by years', async () => {
    await login.logIn(refused, stop.signal).catch(() => {});
    clock.jump(-10 * 365 * 86_400_000);
    const again = login.logIn(async () => 'connected', stop.signal);
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(300_000);
    expect(await Promise.race([again, new Promise((end) => setImmediate(end, 'waits'))])).toBe(
      'connected',
    );
  });
});

describe('MailLogin by a refresh token that the provider rotates', () => {
  let provider: ScriptedServer;
  let rotated: string[];
  let begin: () => MailLogin;

  beforeEach(async () => {
    rotated = [];
    provider = new ScriptedServer(() => {
      const body = { access_token: 'access', refresh_token: 'second' };
      return { status: 200, headers: {}, chunks: [JSON.stringify(body)] };
    });
    await provider.listen();
    const oauth2 = { clientId: 'id', refreshToken: 'first', tokenUrl: `${provider.origin}/token` };
    const { value: mail } = resolveMail({ ...ACCOUNT, auth: { oauth2 } });
    const onRotated = (token: string): void => void rotated.push(token);
    begin = () => new MailLogin(mail, { store, hook, clock, logger, onRotated });
    login = begin();
  });

  afterEach(() => provider.close());

  it('keeps the new one, hands it out, and begins with it the next time', async () => {
    await login.logIn(async () => 'connected', stop.signal);
    expect(store.refreshToken('first')).toBe('second');
    expect(rotated).toEqual(['second']);
    await begin().logIn(async () => 'connected', stop.signal);
    expect((await provider.request(2)).body).toMatchObject({ refresh_token: 'second' });
  });

  it('logs in although its store cannot be written', async () => {
    store.saveRefreshToken = () => {
      throw new Error('database or disk is full');
    };
    await expect(login.logIn(async (shown) => shown, stop.signal)).resolves.toEqual({
      accessToken: 'access',
    });
    expect(rotated).toEqual(['second']);
  });
});
