import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { putLedger } from '../support/kept-ledgers.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { MAIN, ServiceProcess } from '../support/service-process.ts';

const HOOK = { enabled: true, token: 'the-hook-token-of-the-tests' };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function signalledAfter(listening: string, script: readonly string[] = [MAIN]): ServiceProcess {
  const code = `
    const signal = () => process.nextTick(() => process.kill(process.pid, 'SIGTERM'));
    process.${listening};`;
  const preload = `data:text/javascript,${encodeURIComponent(code)}`;
  return new ServiceProcess(dir.path, {}, process.execPath, ['--import', preload, ...script]);
}

async function expectBrokenOff(service: ServiceProcess): Promise<void> {
  expect(await service.ended()).toMatchObject({ code: 0, stderr: '' });
  expect(service.logs.map(({ msg }) => msg)).toEqual([
    'SIGTERM: the start is broken off, and nothing was begun.',
  ]);
}

async function silentDatabase() {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const store = { postgres: { url: `postgres://hooks:x@127.0.0.1:${port}/hooks` } };
  dir.write('gateway.json5', { hooks: HOOK, store });
  return server;
}

describe('A signal ends a start with 0', () => {
  it.each([
    ['main.js', [MAIN]],
    ['hooks start', [HOOKS, 'start']],
  ])('from the first line of %s on, before anything is read', async (_, script) => {
    dir.write('gateway.json5', { hooks: { ...HOOK, token: '${NO_SUCH_VARIABLE}' } });
    const listening = `on('newListener', (name) => name === 'SIGTERM' && signal())`;
    await using service = signalledAfter(listening, script);
    await expectBrokenOff(service);
    expect(existsSync(join(dir.path, 'data'))).toBe(false);
  });

  it('while a transform is compiled', async () => {
    // It never answers, and ends as the bundler does: when whoever asked it has.
    dir.write('bundler', `#!/bin/sh\ntouch '${dir.path}/begun'\nwhile read -r _; do :; done\n`);
    chmodSync(join(dir.path, 'bundler'), 0o700);
    dir.writeTransform('t.ts', 'export default () => null;');
    const mappings = [{ id: 't', transform: { module: 't.ts' } }];
    dir.write('gateway.json5', { hooks: { ...HOOK, mappings } });
    const env = { ESBUILD_BINARY_PATH: join(dir.path, 'bundler') };
    await using service = new ServiceProcess(dir.path, env);
    await eventually('it is asked', () => existsSync(join(dir.path, 'begun')));
    service.signal('SIGTERM');
    await expectBrokenOff(service);
  });

  it('while a database does not answer', async () => {
    await using server = await silentDatabase();
    await using service = new ServiceProcess(dir.path);
    await once(server, 'connection');
    service.signal('SIGTERM');
    await expectBrokenOff(service);
  });

  it('while a ledger is upgraded, which the next one does', async () => {
    putLedger(join(dir.path, 'data'));
    // The thread that upgrades it is the first.
    await using service = signalledAfter(`once('worker', signal)`);
    await expectBrokenOff(service);
    await using next = await ServedGateway.start(dir.path);
    expect(next.log.lines.join('\n')).toContain('10 events');
  });
});

it('a database that never answers ends the service in one sentence, though it listens by then', async () => {
  await using server = await silentDatabase();
  await using service = new ServiceProcess(dir.path);
  const { code, stderr } = await service.ended();
  expect({ code, isListening: server.listening }).toEqual({ code: 1, isListening: true });
  expect(service.logged('listening')).toBeDefined();
  expect(stderr).toMatch(/^The service cannot start: .* the database does not answer; .*\n$/);
});
