import { cpSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sign } from '@octokit/webhooks-methods';
import { bodyOf, readSample } from '../../src/hooks/senders/index.ts';
import { HOOKS, hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { askAt } from '../support/http-question.ts';
import { TOKEN as HOST_TOKEN, openIngress } from '../support/ingress-host.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { bySlack } from '../support/signed.ts';

const OPERATOR = 'the-operator-token-of-the-tests';
const SECRET = 'the-secret-that-github-signs-with';
const TOKEN = 'sixteen-letters!';
const STRANGER = '203.0.113.9';
const SENDER = '198.51.100.7';

let dir: ConfigDirectory;
let outside: ConfigDirectory;
beforeEach(() => {
  dir = new ConfigDirectory().write('gateway.json5', {
    gateway: { auth: { token: OPERATOR }, port: 0 },
    hooks: {
      enabled: true,
      token: TOKEN,
      presets: ['github', 'slack'],
      mappings: [
        { id: 'github', verify: { secrets: [SECRET] } },
        { id: 'slack', verify: { secrets: [SECRET] } },
      ],
    },
    agents: { defaults: { runner: { type: 'demo' } } },
  });
  outside = new ConfigDirectory();
});
afterEach(() => {
  dir[Symbol.dispose]();
  outside[Symbol.dispose]();
});

const command = (cwd: string, args: readonly string[]): ServiceProcess =>
  new ServiceProcess(cwd, {}, process.execPath, [HOOKS, ...args]);

/** A relay, and where it takes requests. */
async function startRelay(port = '0', ...more: readonly string[]): Promise<ServiceProcess> {
  const relay = command(outside.path, ['relay', '--port', port, ...more]);
  relay.url = await eventually('the relay listens', () => {
    if (relay.hasEnded) throw new Error(relay.stderr);
    return /^Relaying (http:\S+)\/hooks$/m.exec(relay.stdout)?.[1];
  });
  return relay;
}

/** A listener that is connected. */
async function startListener(
  relay: ServiceProcess,
  ...more: readonly string[]
): Promise<ServiceProcess> {
  const file = join(outside.path, 'relay-secret');
  const args = ['listen', '--relay', relay.url, '--secret-file', file, ...more];
  const listener = command(dir.path, args);
  await eventually('the listener is connected', () => {
    if (listener.hasEnded) throw new Error(listener.stderr);
    return listener.stderr.includes('connected to');
  });
  return listener;
}

/** A service that a relay reaches. */
async function startAll() {
  await using started = new AsyncDisposableStack();
  const service = started.use(await ServiceProcess.listening(dir.path));
  const relay = started.use(await startRelay());
  started.use(await startListener(relay));
  const ends = started.move();
  return { service, relay, [Symbol.asyncDispose]: () => ends.disposeAsync() };
}

/** As the proxy before the relay hands it on. */
function post(
  relay: ServiceProcess,
  path: string,
  raw: string,
  headers: Record<string, string>,
  from = SENDER,
) {
  const own = { 'content-type': 'application/json', 'x-forwarded-for': from };
  const sent = { method: 'POST', raw, headers: { ...own, ...headers }, isDocumented: false };
  return askAt(relay.url, path, sent);
}

const SAMPLE = readSample('github', 'issues.opened')!;

/** As GitHub sends it. */
async function deliver(relay: ServiceProcess) {
  const body = bodyOf(SAMPLE);
  const signature = await sign(SECRET, body);
  return post(relay, '/hooks/github', body, {
    ...SAMPLE.headers,
    'X-Hub-Signature-256': signature,
  });
}

const wake = (relay: ServiceProcess, token: string, from: string) =>
  post(relay, '/hooks/wake', '{"text":"hello"}', { authorization: `Bearer ${token}` }, from);

describe('a service without a public address', () => {
  it('takes what GitHub signs from a relay, as from GitHub itself, and says the same to it', async () => {
    await using all = await startAll();
    const { service, relay } = all;
    const { status, body } = await deliver(relay);
    expect([status, body['ok']]).toEqual([200, true]);
    const { body: event } = await service.ask(`/ops/api/events/${String(body['eventId'])}`, {
      token: OPERATOR,
    });
    expect(event).toMatchObject({
      hook: 'github',
      request: { client: SENDER, verifiedBy: 'github' },
    });
    const again = await deliver(relay);
    expect(again.body).toMatchObject({ eventId: body['eventId'] });
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    const forged = await post(relay, '/hooks/github', '{}', {
      'x-hub-signature-256': await sign('of-somebody-else', '{}'),
    });
    expect(forged).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
  });

  it('locks out the stranger that guesses, and nobody else behind the same relay', async () => {
    await using all = await startAll();
    const { relay } = all;
    for (let guess = 0; guess < 30; guess += 1) await wake(relay, 'a-wrong-token', STRANGER);
    const locked = await wake(relay, 'a-wrong-token', STRANGER);
    expect(locked).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    expect(await wake(relay, TOKEN, SENDER)).toMatchObject({ status: 200 });
    expect(await wake(relay, 'a-wrong-token', STRANGER)).toMatchObject({ status: 429 });
  });

  it('is told away while it is: 503 with Retry-After, and nothing is lost once it is back', async () => {
    await using relay = await startRelay();
    const port = new URL(relay.url).port;
    const away = { status: 503, body: { code: 'listener_away' }, headers: { 'retry-after': '30' } };
    expect(await deliver(relay)).toMatchObject(away);
    await using listener = await startListener(relay);
    // The listener is there, its service is not.
    expect(await deliver(relay)).toMatchObject(away);
    await using service = await ServiceProcess.listening(dir.path);
    expect(await deliver(relay)).toMatchObject({ status: 200 });
    await relay.stop();
    await using next = await startRelay(port);
    await eventually(
      'the listener connects again',
      async () => (await deliver(next)).status === 200,
    );
    expect(await listener.stop()).toMatchObject({ code: 0 });
    await eventually('the relay knows', () => next.stderr.includes('is gone'));
    expect(await deliver(next)).toMatchObject(away);
    expect(await next.stop()).toMatchObject({ code: 0 });
    await service.stop();
  });

  it('shows a relay its hooks and nothing else, even one that means harm', async () => {
    await using service = await ServiceProcess.listening(dir.path);
    const at = `unix:${join(dir.path, 'data', 'hooks.sock')}`;
    for (const path of ['/ops/api/status', '/console/', '/', '/health/live', '/ops/metrics']) {
      expect(await askAt(at, path, { token: OPERATOR, isDocumented: false })).toMatchObject({
        status: 404,
      });
    }
    expect((await askAt(at, '/hooks/wake', { isDocumented: false })).status).toBe(405);
    await service.stop();
  });
});

/** As Slack sends it at that time: it counts for five minutes. */
function slack(at: number): readonly [body: string, headers: Record<string, string>] {
  const body = bodyOf(readSample('slack', 'app_mention')!);
  return [body, bySlack(SECRET, body, at)];
}

const TEN_MINUTES = 600_000;

/** What a relay keeps here, as if it had come earlier. */
function age(ms: number): void {
  const at = join(outside.path, 'relay-kept');
  for (const name of readdirSync(at)) {
    const [head = '', ...body] = readFileSync(join(at, name), 'utf8').split('\n');
    const { receivedAt, ...rest } = JSON.parse(head);
    const aged = JSON.stringify({ ...rest, receivedAt: Number(receivedAt) - ms });
    writeFileSync(join(at, name), [aged, ...body].join('\n'));
  }
}

const kept = (): string[] => readdirSync(join(outside.path, 'relay-kept'));
const nothingIsKept = () => eventually('everything is handed on', () => kept().length === 0);

async function eventsOf(service: ServiceProcess): Promise<unknown[]> {
  const { body } = await service.ask('/ops/api/events', { token: OPERATOR });
  return (body['events'] as { hook: string }[]).map(({ hook }) => hook);
}

describe('a relay that keeps', () => {
  const KEPT = { status: 200, body: { ok: true, kept: true } };
  const KEEP = ['--keep', '16'];

  it('has a service that was away take in all of it, once and in order, by the time when it came', async () => {
    await using relay = await startRelay('0', ...KEEP);
    const { port } = new URL(relay.url);
    const [body, headers] = slack(Date.now() - TEN_MINUTES);
    expect(await wake(relay, TOKEN, SENDER)).toMatchObject(KEPT);
    expect(await post(relay, '/hooks/slack', body, headers)).toMatchObject(KEPT);
    expect(await deliver(relay)).toMatchObject(KEPT);
    expect(await wake(relay, 'a-wrong-token', STRANGER)).toMatchObject(KEPT);
    relay.signal('SIGKILL');
    await relay.ended();
    age(TEN_MINUTES);
    const copy = join(outside.path, 'copy');
    cpSync(join(outside.path, 'relay-kept'), copy, { recursive: true });
    await using service = await ServiceProcess.listening(dir.path);
    await using again = await startRelay(port, ...KEEP);
    expect(again.stderr).toContain('4 kept requests wait for the listener');
    await using listener = await startListener(again);
    await nothingIsKept();
    expect(await eventsOf(service)).toEqual(['github', 'slack', 'wake']);
    expect(again.stderr).toContain(
      `/hooks/wake from ${STRANGER} is dropped; refused: 401 unauthorized`,
    );
    const repeated = await deliver(again);
    expect(repeated.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    // A kill between the answer of the service and the end of the files.
    again.signal('SIGKILL');
    await again.ended();
    cpSync(copy, join(outside.path, 'relay-kept'), { recursive: true });
    await using last = await startRelay(port, ...KEEP);
    await nothingIsKept();
    expect(await eventsOf(service)).toEqual(['github', 'slack', 'wake']);
    expect(await last.stop()).toMatchObject({ code: 0 });
    await listener.stop();
    await service.stop();
  });

  it('alone is believed about how long it had something, by its own socket, for three days', async () => {
    await using all = await startAll();
    const [body, headers] = slack(Date.now() - TEN_MINUTES);
    const socket = (name: string) => `unix:${join(dir.path, 'data', name)}`;
    const asked = (at: string, receipt: string) => {
      const own = { 'content-type': 'application/json', 'x-relay-receipt': receipt };
      const sent = { method: 'POST', raw: body, headers: { ...headers, ...own } };
      return askAt(at, '/hooks/slack', sent);
    };
    const stale = { status: 401, body: { code: 'invalid_signature' } };
    const receipt = `0123456789abcdef ${TEN_MINUTES}`;
    for (const at of [all.relay.url, all.service.url, socket('hooks.sock')]) {
      expect(await asked(at, receipt)).toMatchObject(stale);
    }
    const others = [`-${TEN_MINUTES}`, '0', `${73 * 3_600_000}`, `${TEN_MINUTES} 1`, 'NaN'];
    for (const ms of others) {
      expect(await asked(socket('relay.sock'), `0123456789abcdef ${ms}`)).toMatchObject(stale);
    }
    expect(await eventsOf(all.service)).toEqual([]);
    expect(await asked(socket('relay.sock'), receipt)).toMatchObject({ status: 200 });
  });
});

describe('an application that embeds the hooks', () => {
  it('is listened for at a port of its machine, with the address of the sender', async () => {
    const host = await openIngress({ options: { trustedProxies: ['127.0.0.1'] } });
    try {
      await using relay = await startRelay();
      await using listener = await startListener(relay, '--to', `${host.url}/hooks`);
      expect(await wake(relay, HOST_TOKEN, SENDER)).toMatchObject({ status: 200 });
      expect(host.intake.requests).toMatchObject([{ name: 'wake', client: SENDER }]);
      const guessed = await wake(relay, 'a-wrong-token', STRANGER);
      expect(guessed).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(await post(relay, '/ops/api/status', '{}', {})).toMatchObject({ status: 404 });
      await listener.stop();
    } finally {
      await host.close();
    }
  });

  it.each(['http://192.0.2.1:3000/hooks', 'https://127.0.0.1/hooks', 'http://127.0.0.1:3000', 'x'])(
    'is not listened for at %s',
    async (to) => {
      const env = { HOOKS_RELAY_SECRET: 'w'.repeat(43) };
      const args = ['listen', '--relay', 'https://relay.example.com', '--to', to];
      const { code, stderr } = await hooksCommand(args, { cwd: dir.path, env });
      expect(code).toBe(2);
      expect(stderr).toContain('--to must be a URL on this machine');
    },
  );
});

describe('the secret of a relay', () => {
  it('is made once, for its user alone, and shown nowhere', async () => {
    await using relay = await startRelay();
    const file = join(outside.path, 'relay-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).size).toBe(44);
    const { stdout, stderr } = await relay.stop();
    expect(`${stdout}${stderr}`).not.toMatch(/[\w-]{43}/);
  });

  it('is shown to no relay over a network without TLS, and a wrong one ends the listener', async () => {
    const env = { HOOKS_RELAY_SECRET: 'w'.repeat(43) };
    const plain = await hooksCommand(['listen', '--relay', 'http://relay.example.com'], {
      cwd: dir.path,
      env,
    });
    expect(plain.code).toBe(2);
    expect(plain.stderr).toContain('without TLS');
    await using relay = await startRelay();
    const wrong = await hooksCommand(['listen', '--relay', relay.url], { cwd: dir.path, env });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('does not know this secret');
    expect(relay.stderr).not.toContain('is connected');
    const short = { HOOKS_RELAY_SECRET: 'too-short' };
    const guessable = await hooksCommand(['listen', '--relay', relay.url], {
      cwd: dir.path,
      env: short,
    });
    expect(guessable).toMatchObject({ code: 2 });
    expect(guessable.stderr).not.toContain('too-short');
  });
});
