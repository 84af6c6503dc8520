import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { MAIN, ServiceProcess } from '../support/service-process.ts';

const TOKEN = 'the-hook-token-of-the-tests';
/** Long enough that a door which is closed all the while is noticed. */
const STOP_SECONDS = 6;
const isClosed = (status: number) => status !== 200;
const OPERATOR = 'the-operator-token-of-the-tests';

let dir: ConfigDirectory;
let model: OpenAiServer;
let service: ServiceProcess;
let release: () => void;

async function startWithRun(shutdownSeconds: number): Promise<void> {
  const released = Promise.withResolvers<void>();
  release = released.resolve;
  configure(shutdownSeconds);
  service = await ServiceProcess.listening(dir.path);
  model.next({ after: released.promise });
  await run('first');
  await eventually('the agent is asked', () => model.requests.length === 1);
}

function configure(shutdownSeconds: number): void {
  dir.write('gateway.json5', {
    gateway: { auth: { token: OPERATOR }, shutdownSeconds },
    hooks: { enabled: true, token: TOKEN },
    agents: { defaults: { model: 'slow/x', heartbeat: { every: '0m' } } },
    models: { providers: { slow: { baseUrl: model.baseUrl } } },
  });
}

/** The status of a wake; 0: nobody answered. */
async function wake(): Promise<number> {
  const body = { text: 'x', mode: 'next-heartbeat' };
  const asked = service.ask('/hooks/wake', { token: TOKEN, body });
  return asked.then(
    ({ status }) => status,
    () => 0,
  );
}

async function run(message: string, of = service): Promise<string> {
  const { status, body } = await of.ask('/hooks/agent', { token: TOKEN, body: { message } });
  expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } });
  return String(body['eventId']);
}

async function signalled(): Promise<void> {
  service.signal('SIGTERM');
  await eventually('the stop has begun', async () => {
    const { status, body } = await service.ask('/health/ready');
    return status === 503 && body['code'] === 'stopping';
  });
}

beforeEach(async () => {
  dir = new ConfigDirectory();
  release = () => {};
  model = await startOpenAiServer();
});
afterEach(async () => {
  release();
  await service[Symbol.asyncDispose]();
  await model.close();
  dir[Symbol.dispose]();
});

describe('A stop while a run is under way', () => {
  it('goes on accepting, begins nothing, ends with the run, and leaves the rest to the next one', async () => {
    await startWithRun(60);
    await signalled();
    const second = await run('second');
    expect((await service.ask('/health/live')).status).toBe(200);
    expect(model.requests).toHaveLength(1);
    release();
    expect(await service.ended()).toMatchObject({ code: 0, stderr: '' });
    expect(model.requests).toHaveLength(1);
    await using next = await ServiceProcess.listening(dir.path);
    await eventually('what came last is done', async () => {
      const { body } = await next.ask(`/ops/api/events/${second}`, { token: OPERATOR });
      return body['status'] === 'done';
    });
  });

  it('ends when its time is over', async () => {
    await startWithRun(1);
    service.signal('SIGTERM');
    expect((await service.ended()).code).toBe(0);
  });

  it('ends at once at a second signal', async () => {
    await startWithRun(60);
    await signalled();
    // By itself, or while it does so by one more signal; a shell says 143 of both.
    expect([143, null]).toContain((await service.insist()).code);
  });

  it('ends in order at one Ctrl-C, which npm passes on once more', async () => {
    await startWithRun(60);
    for (const _ of ['terminal', 'npm']) service.signal('SIGINT');
    await eventually('the stop has begun', () => service.logged('SIGINT: finishing what runs'));
    release();
    expect(await service.ended()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('A stop', () => {
  it('ends at once, with 143, when something has not closed 5 s after the time of runs', async () => {
    configure(0);
    mkdirSync(join(dir.path, 'data'), { mode: 0o700 });
    // What is read from it comes never, and the stop waits for it.
    execFileSync('mkfifo', [join(dir.path, 'data/token-uses.json')]);
    service = await ServiceProcess.listening(dir.path);
    service.signal('SIGTERM');
    expect(await service.ended()).toMatchObject({ code: 143, stderr: '' });
    expect(service.logged('not everything has closed in 5 s')).toMatchObject({ level: 50 });
  });

  it('begins when the shell ends that npm has started the service with', async () => {
    configure(0);
    const script = ['-c', '"$0" "$1"; true', process.execPath, MAIN];
    service = new ServiceProcess(dir.path, { npm_lifecycle_event: 'start' }, '/bin/sh', script);
    await service.listens();
    service.signal('SIGTERM');
    // Its output ends with the service itself.
    expect(await service.ended()).toMatchObject({ stderr: '' });
    expect(service.logged('SIGTERM: finishing what runs')).toBeDefined();
  });
});

describe('A second service on the same data and port', () => {
  it('waits for the first one, says so once, and takes over when it has ended', async () => {
    await startWithRun(60);
    const { port } = new URL(service.url);
    await using next = new ServiceProcess(
      dir.path,
      { GATEWAY_PORT: port, GATEWAY_WAIT_FOR_LOCK: '1' },
      process.execPath,
    );
    await eventually('it waits', () => next.logged('waiting until it has ended'));
    await signalled();
    const during = await run('during the stop');
    release();
    expect(await service.ended()).toMatchObject({ code: 0 });
    const line = await eventually('it listens', () => next.logged('listening'));
    next.url = String(line['url']);
    expect(next.url).toBe(service.url);
    const { status } = await next.ask(`/ops/api/events/${during}`, { token: OPERATOR });
    expect(status).toBe(200);
    expect(next.logs.filter(({ msg }) => /waiting until/.test(String(msg)))).toHaveLength(1);
  });

  it('with another configuration leaves senders alone for a moment, however long a run hangs', async () => {
    await startWithRun(STOP_SECONDS);
    configure(60);
    await using next = new ServiceProcess(
      dir.path,
      { GATEWAY_PORT: new URL(service.url).port },
      process.execPath,
      [HOOKS, 'start', '--wait-for-lock'],
    );
    await eventually('it waits', () => next.logged('waiting until it has ended'));
    service.signal('SIGTERM');
    const signalledAt = performance.now();
    let openMs = 0;
    const statuses: number[] = [];
    await eventually('senders are answered by the next one', async () => {
      const status = await wake();
      if (!statuses.some(isClosed)) openMs = performance.now() - signalledAt;
      statuses.push(status);
      return next.logged('listening') && service.hasEnded;
    });
    expect(await wake()).toBe(200);
    // One knocks all the while. The door was closed once, between the two, and by far not for the whole stop.
    expect(openMs).toBeGreaterThan((STOP_SECONDS * 1000) / 2);
    const between = statuses.slice(
      statuses.findIndex(isClosed),
      statuses.findLastIndex(isClosed) + 1,
    );
    expect(between.filter((status) => status === 200)).toEqual([]);
  });

  it('of two that wait, takes over alone: the other waits for it', async () => {
    dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN } });
    await using first = await ServiceProcess.listening(dir.path);
    const waits = { GATEWAY_WAIT_FOR_LOCK: '1' };
    await using second = new ServiceProcess(dir.path, waits);
    await using third = new ServiceProcess(dir.path, waits);
    const both = [second, third];
    await eventually('both wait', () => both.every((one) => one.logged('waiting until')));
    expect(await first.stop()).toMatchObject({ code: 0 });
    const next = await eventually('one listens', () => both.find((one) => one.logged('listening')));
    const [other] = both.filter((one) => one !== next);
    expect(other?.logged('listening')).toBeUndefined();
    expect(await next.stop()).toMatchObject({ code: 0 });
    await eventually('the other listens', () => other?.logged('listening'));
  });

  it('ends at a signal while it waits', async () => {
    await startWithRun(60);
    await using next = new ServiceProcess(dir.path, { GATEWAY_WAIT_FOR_LOCK: '1' });
    await eventually('it waits', () => next.logged('waiting until it has ended'));
    next.signal('SIGTERM');
    expect((await next.ended()).code).toBe(0);
    expect(next.logged('SIGTERM: the start is broken off')).toBeDefined();
    expect((await service.ask('/health/ready')).status).toBe(200);
  });
});
