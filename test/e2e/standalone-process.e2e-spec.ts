import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { nodeRefusal } from '../../src/platform/node-version.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { MAIN, ServiceProcess } from '../support/service-process.ts';

const TOKEN = 'the-hook-token-of-the-tests';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function oldNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node']
    .filter((path) => existsSync(path))
    .find((path) => {
      const version = execFileSync(path, ['-p', 'process.versions.node']).toString().trim();
      return nodeRefusal(version) !== undefined;
    });
}

async function sentenceOn(node: string | undefined): Promise<string> {
  if (node === undefined) return `${nodeRefusal('20.20.2')}\n`;
  await using service = new ServiceProcess(dir.path, {}, node);
  const { code, stderr } = await service.ended();
  return code === 1 ? stderr : `ended with ${code}`;
}

async function listeningServer(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { server, port: address.port };
}

describe('the service refuses to start', () => {
  it('on a Node that is too old, in one sentence', async () => {
    const sentence = await sentenceOn(oldNode());
    expect(sentence).toMatch(
      /^This service needs Node 24\.15 or newer and was started on Node .*\n$/,
    );
  });

  it('with a wrong configuration, with every problem and without a trace', async () => {
    dir.write('gateway.json5', {
      gateway: { port: 'x' },
      hooks: { enabled: true, token: '${NO_SUCH_VARIABLE}' },
    });
    await using service = new ServiceProcess(dir.path, { GATEWAY_PORT: '' });
    const { code, stdout, stderr } = await service.ended();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('gateway.port must be ');
    expect(stderr).toContain('hooks.token names the variable NO_SUCH_VARIABLE');
    expect(stderr).not.toContain('    at ');
    expect(existsSync(join(dir.path, 'data'))).toBe(false);
  });

  it('on a port that is in use, and leaves no socket of the operator', async () => {
    dir.write('gateway.json5', { ops: { listen: 'unix:ops.sock' } });
    const { server: other, port } = await listeningServer();
    await using service = new ServiceProcess(dir.path, { GATEWAY_PORT: String(port) });
    const { code, stderr } = await service.ended();
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^The service cannot listen: 127.0.0.1:${port} is in use.*\n$`),
    );
    expect(existsSync(join(dir.path, 'ops.sock'))).toBe(false);
  });

  it('on a data directory that another process uses', async () => {
    await using first = await ServedGateway.start(dir.path);
    await using second = new ServiceProcess(dir.path);
    const { code, stdout, stderr } = await second.ended();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The service cannot start: the ledger .* another process uses it.*\n$/);
    expect((await first.post('/hooks/wake', { text: 'x' })).status).toBe(200);
  });
});

describe('the service ends', () => {
  it('with 1 when its data directory is removed, and answers nothing into it', async () => {
    dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN } });
    await using service = await ServiceProcess.listening(dir.path);
    const wake = () => service.ask('/hooks/wake', { token: TOKEN, body: { text: 'x' } });
    expect((await wake()).status).toBe(200);
    const data = join(dir.path, 'data');
    renameSync(data, `${data}-moved`);
    // It ends a second after it notices: whoever asks later than that finds nobody.
    const refused = await wake().catch(() => 'nobody');
    expect([
      'nobody',
      { status: 503, body: expect.objectContaining({ code: 'store_unavailable' }) },
    ]).toContainEqual(refused);
    expect((await service.ended()).code).toBe(1);
    // Of the lock's file, of the ledger's where a step was just being written, or of a thread that was to begin.
    const [first] = service.logs.filter(({ level }) => level === 50);
    expect(first).toMatchObject({ msg: expect.stringContaining(data) });
    renameSync(`${data}-moved`, data);
    await using again = await ServedGateway.start(dir.path);
    expect((await again.get('/ops/api/events')).body['events']).toHaveLength(1);
  });
});

it('the service stops although somebody is silent or slow', async () => {
  dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN } });
  await using service = await ServedGateway.start(dir.path);
  const { port, hostname } = new URL(service.url);
  const head = 'POST /hooks/wake HTTP/1.1\r\nHost: x\r\n';
  const sockets = await Promise.all(
    [`${head}X-A: `, `${head}Content-Length: 60000\r\n\r\nabc`].map(async (start) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.write(start, () => resolve()));
      return socket;
    }),
  );
  await service.post('/hooks/wake', { text: 'x' });
  await service.stop();
  for (const socket of sockets) socket.destroy();
});

it('the service drops connections beyond its limit of open files, says so once and goes on', async () => {
  dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN } });
  const script = ['-c', 'ulimit -n 96; exec "$0" "$1"', process.execPath, MAIN];
  await using service = new ServiceProcess(dir.path, {}, '/bin/sh', script);
  const line = await eventually('the service listens', () => service.logged('listening'));
  service.url = String(line['url']);
  const { port, hostname } = new URL(service.url);
  const sockets = Array.from({ length: 120 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.any(sockets.map((socket) => once(socket, 'close')));
  await eventually('it is told', () => service.logged('connections are dropped'));
  expect(service.logs.filter(({ msg }) => String(msg).includes('dropped'))).toHaveLength(1);
  for (const socket of sockets) socket.destroy();
  await eventually('there is room again', async () => {
    const answer = await service.ask('/health/ready').catch(() => undefined);
    return answer?.status === 200;
  });
  const wake = await service.ask('/hooks/wake', { token: TOKEN, body: { text: 'x' } });
  expect(wake.status).toBe(200);
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
});
