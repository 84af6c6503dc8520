import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../../test/support/clocks.ts';
import { eventually } from '../../test/support/eventually.ts';
import { resolveMail } from './options.ts';
import { MailWatcher } from './watcher.ts';

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

describe('MailWatcher', () => {
  it('is degraded once a mailbox has been away for a minute', async () => {
    await using over = new AsyncDisposableStack();
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    over.defer(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const auth = { password: 'x' };
    const { value: mail } = resolveMail({ account: 'me@x.example', auth, host: '127.0.0.1', port });
    const dir = mkdtempSync(join(tmpdir(), 'mail-watcher-'));
    over.defer(() => rmSync(dir, { recursive: true }));
    const clock = new ManualClock();
    const target = () => ({ url: 'http://127.0.0.1:9', token: 't', maxBodyBytes: 1 });
    const watcher = new MailWatcher({ mail, dir, target, clock });
    over.defer(() => watcher.stop());
    watcher.start();
    await eventually('it is away', () => watcher.report().state === 'disconnected');
    clock.advance(59_999);
    expect(watcher.report()).toMatchObject({ state: 'disconnected', isDegraded: false });
    clock.advance(1);
    expect(watcher.report()).toMatchObject({ state: 'disconnected', isDegraded: true });
  });
});
