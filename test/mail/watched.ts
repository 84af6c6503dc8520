import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MailWatcher, resolveMail } from '../../src/mail/index.ts';
import type { MailOptions } from '../../src/mail/index.ts';
import type { Clock } from '../../src/hooks/ports/clock.ts';
import { atLast } from '../support/eventually.ts';
import { PASSWORD } from './dovecot.ts';
import { HookServer } from './hook-server.ts';

export const HOOK_TOKEN = 'hook-token-of-the-mail-suite';

export class Watched implements AsyncDisposable {
  maxBodyBytes = 262_144;
  /** The watcher's; the system's unless a test sets it. */
  clock: Clock | undefined;
  watcher: MailWatcher | undefined;

  private constructor(
    readonly hook: HookServer,
    readonly dir: string,
    readonly mail: MailOptions,
  ) {}

  static async prepare(account: string, port: number, more: object = {}): Promise<Watched> {
    const { value, problems } = resolveMail({
      account,
      host: '127.0.0.1',
      port,
      secure: false,
      auth: { password: PASSWORD },
      ...more,
    });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    const dir = mkdtempSync(join(tmpdir(), 'mail-'));
    return new Watched(await HookServer.start(), dir, value);
  }

  static async start(account: string, port: number, more: object = {}): Promise<Watched> {
    const watched = await Watched.prepare(account, port, more);
    watched.begin();
    await watched.is('watching');
    return watched;
  }

  begin(): void {
    this.watcher = new MailWatcher({
      mail: this.mail,
      dir: this.dir,
      ...(this.clock !== undefined && { clock: this.clock }),
      target: () => ({
        url: this.hook.url,
        token: HOOK_TOKEN,
        maxBodyBytes: this.maxBodyBytes,
      }),
    });
    this.watcher.start();
  }

  async is(state: string): Promise<void> {
    await atLast(
      `the watcher is ${state} (${JSON.stringify(this.watcher?.report())})`,
      () => this.watcher?.report().state === state,
    );
  }

  async accepts(count: number): Promise<void> {
    await atLast(`${count} messages`, () => this.hook.accepted.length >= count);
  }

  async end(): Promise<void> {
    await this.watcher?.stop();
    this.watcher = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.hook[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
