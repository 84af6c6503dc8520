import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { HookClient } from './hook-client.ts';
import { MailAccount } from './mail-account.ts';
import { MailStore } from './mail-store.ts';
import { resolveMail } from './resolve-mail.ts';

const { value: MAIL } = resolveMail({
  account: 'me@x.example',
  host: 'imap.x.example',
  auth: { password: 'x' },
});
const REFUSED = Object.assign(new Error('no'), { authenticationFailed: true });
const hook = new HookClient(() => ({ url: 'http://127.0.0.1:9', token: 't', maxBodyBytes: 1 }));

let dir: string;
let store: MailStore;
let clock: ManualClock;
let account: MailAccount;
let stop: AbortController;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mail-account-'));
  store = MailStore.open(dir);
  clock = new ManualClock();
  stop = new AbortController();
  const logger = new Logger();
  logger.log = logger.error = (): void => {};
  account = new MailAccount(MAIL, { store, hook, clock, logger });
});

afterEach(() => {
  stop.abort();
  store.close();
  rmSync(dir, { recursive: true });
});

async function refused(): Promise<never> {
  throw REFUSED;
}

describe('MailAccount', () => {
  it('keeps a login although its store cannot be written: nobody else could close it', async () => {
    store.outageOver = () => {
      throw new Error('database or disk is full');
    };
    const { signal } = stop;
    await expect(account.login(async () => 'connected', signal)).resolves.toBe('connected');
  });

  it('says that credentials are refused although its store cannot be written', async () => {
    store.outage = () => {
      throw new Error('database or disk is full');
    };
    await expect(account.login(refused, stop.signal)).rejects.toBe(REFUSED);
    expect(account.refusal).toContain('refused');
  });

  it('waits five minutes after a refusal, also when the clock is set back by years', async () => {
    await account.login(refused, stop.signal).catch(() => {});
    clock.advance(-10 * 365 * 86_400_000);
    const again = account.login(async () => 'connected', stop.signal);
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(300_000);
    expect(await Promise.race([again, new Promise((end) => setImmediate(end, 'waits'))])).toBe(
      'connected',
    );
  });
});
