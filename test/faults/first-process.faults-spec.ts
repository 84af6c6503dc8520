import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { ServiceProcess } from '../support/service-process.ts';

// The service as the first process of a container (deploy/Dockerfile): the system ignores every signal to it for which it
// has no handler, and those that it sends itself, SIGKILL among them.

const TOKEN = 'hook-token-of-the-fault-suite';

let dir: ConfigDirectory;
let model: OpenAiServer;
beforeEach(async () => {
  dir = new ConfigDirectory();
  model = await startOpenAiServer();
});
afterEach(async () => {
  dir[Symbol.dispose]();
  await model.close();
});

class FirstProcess extends ServiceProcess {
  constructor() {
    const script = ['-pf', '--mount-proc', '--kill-child', process.execPath, HOOKS, 'start'];
    super(dir.path, {}, 'unshare', script);
  }

  /** To the service itself, from outside, as `docker stop` does. */
  override signal(signal: NodeJS.Signals): void {
    const file = `/proc/${super.pid}/task/${super.pid}/children`;
    const child = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (child > 0) process.kill(child, signal);
    else super.signal(signal);
  }
}

it('ends with 0 at a signal while it starts', async () => {
  await using database = createServer((socket) => socket.on('error', () => {}).resume());
  await once(database.listen(0, '127.0.0.1'), 'listening');
  const { port } = database.address() as AddressInfo;
  const store = { postgres: { url: `postgres://hooks:x@127.0.0.1:${port}/hooks` } };
  dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN }, store });
  await using service = new FirstProcess();
  await once(database, 'connection');
  service.signal('SIGTERM');
  expect(await service.ended()).toMatchObject({ code: 0, stderr: '' });
  expect(service.logged('SIGTERM: the start is broken off')).toBeDefined();
});

it('ends with 0 at a signal while it listens', async () => {
  await using service = new FirstProcess();
  await service.listens();
  service.signal('SIGINT');
  expect(await service.ended()).toMatchObject({ code: 0, stderr: '' });
  expect(service.logged('SIGINT: finishing what runs')).toBeDefined();
});

it('ends at once at a second signal', async () => {
  const hang = Promise.withResolvers<void>();
  model.next({ after: hang.promise });
  dir.write('gateway.json5', {
    gateway: { shutdownSeconds: 60 },
    hooks: { enabled: true, token: TOKEN },
    agents: { defaults: { model: 'slow/x', heartbeat: { every: '0m' } } },
    models: { providers: { slow: { baseUrl: model.baseUrl } } },
  });
  await using service = new FirstProcess();
  await service.listens();
  await service.ask('/hooks/agent', { token: TOKEN, body: { message: 'x' } });
  await eventually('the agent is asked', () => model.requests.length === 1);
  expect((await service.insist()).code).toBe(143);
  hang.resolve();
});
