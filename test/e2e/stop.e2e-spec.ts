import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { askAt } from '../support/http-question.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import type { OpenAiServer } from '../support/openai-server.ts';
import { LineLog } from '../support/secret-free-log.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { MAIN, ServiceProcess } from '../support/service-process.ts';

const TOKEN = 'the-hook-token-of-the-tests';
const OPERATOR = 'the-operator-token-of-the-tests';
const isClosed = (status: number) => status !== 200;
/** As in hooks-engine.ts. */
const LEDGER_IS_SLOW_MS = 5000;
const WAITS = { GATEWAY_WAIT_FOR_LOCK: '1' };

let dir: ConfigDirectory;
let model: OpenAiServer;
let release: () => void;

function configure(shutdownSeconds: number): void {
  dir.write('gateway.json5', {
    gateway: { auth: { token: OPERATOR }, shutdownSeconds },
    hooks: { enabled: true, token: TOKEN },
    agents: { defaults: { model: 'slow/x', heartbeat: { every: '0m' } } },
    models: { providers: { slow: { baseUrl: model.baseUrl } } },
  });
}

/** @returns the id of its event */
async function run(message: string, { url }: { url: string }): Promise<string> {
  const asked = { method: 'POST', token: TOKEN, body: { message } };
  const { status, body } = await askAt(url, '/hooks/agent', asked);
  expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } });
  return String(body['eventId']);
}

/** A run that ends when it is released. */
async function hang(service: { url: string }): Promise<void> {
  const released = Promise.withResolvers<void>();
  release = released.resolve;
  model.next({ after: released.promise });
  await run('first', service);
  await eventually('the agent is asked', () => model.requests.length === 1);
}

async function startWithRun(): Promise<ServedGateway> {
  configure(60);
  const service = await ServedGateway.start(dir.path);
  await hang(service);
  return service;
}

/** The status of a wake; 0: nobody answered. */
async function wake({ url }: { url: string }): Promise<number> {
  const body = { text: 'x', mode: 'next-heartbeat' };
  const asked = askAt(url, '/hooks/wake', { method: 'POST', token: TOKEN, body });
  return asked.then(
    ({ status }) => status,
    () => 0,
  );
}

const stopBegins = ({ url }: { url: string }) =>
  eventually('the stop has begun', async () => {
    const { status, body } = await askAt(url, '/health/ready');
    return status === 503 && body['code'] === 'stopping';
  });

beforeEach(async () => {
  dir = new ConfigDirectory();
  release = () => {};
  model = await startOpenAiServer();
});
afterEach(async () => {
  release();
  await model.close();
  dir[Symbol.dispose]();
});

describe('A stop while a run is under way', () => {
  it('goes on accepting, begins nothing, ends with the run, and leaves the rest to the next one', async () => {
    configure(60);
    await using service = await ServiceProcess.listening(dir.path);
    await hang(service);
    service.signal('SIGTERM');
    await stopBegins(service);
    const second = await run('second', service);
    expect((await askAt(service.url, '/health/live')).status).toBe(200);
    expect(model.requests).toHaveLength(1);
    release();
    expect(await service.ended()).toMatchObject({ code: 0, stderr: '' });
    expect(model.requests).toHaveLength(1);
    await using next = await ServedGateway.start(dir.path);
    await eventually('what came last is done', async () => {
      return (await next.get(`/ops/api/events/${second}`)).body['status'] === 'done';
    });
  });
});

describe('A stop', () => {
  it('ends at once, with 143, when something has not closed 5 s after the time of runs', async () => {
    configure(0);
    mkdirSync(join(dir.path, 'data'), { mode: 0o700 });
    // What is read from it comes never, and the stop waits for it.
    execFileSync('mkfifo', [join(dir.path, 'data/token-uses.json')]);
    await using service = await ServiceProcess.listening(dir.path);
    service.signal('SIGTERM');
    expect(await service.ended()).toMatchObject({ code: 143, stderr: '' });
    expect(service.logged('not everything has closed in 5 s')).toMatchObject({ level: 50 });
  });

  it('begins when the shell ends that npm has started the service with', async () => {
    configure(0);
    const env = { npm_lifecycle_event: 'start' };
    const script = ['-c', '"$0" "$1"; true', process.execPath, MAIN];
    await using service = new ServiceProcess(dir.path, env, '/bin/sh', script);
    await service.listens();
    service.signal('SIGTERM');
    // Its output ends with the service itself.
    expect(await service.ended()).toMatchObject({ stderr: '' });
    expect(service.logged('SIGTERM: finishing what runs')).toBeDefined();
  });
});

describe('A second service on the same data and port', () => {
  it('waits for the first one, says so once, and leaves senders alone for no longer than it takes to take over', async () => {
    await using service = await startWithRun();
    configure(59);
    const env = { GATEWAY_PORT: new URL(service.url).port };
    const script = [HOOKS, 'start', '--wait-for-lock'];
    await using next = new ServiceProcess(dir.path, env, process.execPath, script);
    await eventually('it waits', () => next.logged('waiting until it has ended'));
    const begun = performance.now();
    const stopped = service.stop();
    await stopBegins(service);
    const during = await run('during the stop', service);
    // However long the run hangs: longer than a start otherwise waits for its ledger before it listens.
    await eventually('it has waited longer', async () => {
      expect(await wake(service)).toBe(200);
      return performance.now() - begun > LEDGER_IS_SLOW_MS + 1000;
    });
    release();
    const statuses: number[] = [];
    await eventually('senders are answered by the next one', async () => {
      statuses.push(await wake(service));
      return next.logged('listening') ?? next.hasEnded;
    });
    await stopped;
    expect(next.logged('listening')).toMatchObject({ url: service.url });
    expect(await wake(service)).toBe(200);
    // The door was closed once, between the two.
    const closed = statuses.slice(
      statuses.findIndex(isClosed),
      statuses.findLastIndex(isClosed) + 1,
    );
    expect(closed).not.toContain(200);
    const asked = { token: OPERATOR };
    expect((await askAt(service.url, `/ops/api/events/${during}`, asked)).status).toBe(200);
    expect(next.logs.filter(({ msg }) => /waiting until/.test(String(msg)))).toHaveLength(1);
  });

  it('of two that wait, takes over alone: the other waits for it', async () => {
    configure(0);
    await using first = await ServedGateway.start(dir.path);
    const log = new LineLog();
    const listening: ServedGateway[] = [];
    const both = [1, 2].map(async () => {
      listening.push(await ServedGateway.start(dir.path, WAITS, log));
    });
    const waiting = () => log.lines.filter((line) => line.includes('waiting until')).length;
    await eventually('both wait', () => waiting() === 2);
    expect(listening).toEqual([]);
    await first.stop();
    await Promise.race(both);
    expect(await wake(listening[0]!)).toBe(200);
    expect(listening).toHaveLength(1);
    await listening[0]!.stop();
    await Promise.all(both);
    await listening[1]!.stop();
  });

  it('ends at a signal while it waits', async () => {
    await using service = await startWithRun();
    await using next = new ServiceProcess(dir.path, WAITS);
    await eventually('it waits', () => next.logged('waiting until it has ended'));
    next.signal('SIGTERM');
    expect((await next.ended()).code).toBe(0);
    expect(next.logged('SIGTERM: the start is broken off')).toBeDefined();
    expect(await wake(service)).toBe(200);
    release();
  });
});
