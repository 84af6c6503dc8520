import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AGENT, pidsIn } from '../support/command-turn.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { isGone } from '../support/process-state.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { ServiceProcess } from '../support/service-process.ts';

const TOKEN = 'the-hook-token-of-the-tests';
const OPERATOR = 'the-operator-token-of-the-tests';
const PAYLOAD = { message: 'Where is the station?', deliver: false, wakeMode: 'next-heartbeat' };
const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, SERVICE_ONLY: 'of the service' };
// As a service in a process of its own has it.
process.env['SERVICE_ONLY'] = env.SERVICE_ONLY;

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function configure(runner: object, agent: object = {}): void {
  dir.write('.env', 'API_KEY=sk-of-the-dotenv-file').write('gateway.json5', {
    gateway: { auth: { token: OPERATOR }, shutdownSeconds: 0 },
    hooks: { enabled: true, token: TOKEN, defaultSessionKey: 'hook:e2e' },
    agents: { list: [{ id: 'main', ...agent, runner: { type: 'command', ...runner } }] },
  });
}

function service(runner: object, agent?: object): Promise<ServedGateway> {
  configure(runner, agent);
  return ServedGateway.start(dir.path, env);
}

async function ask(gateway: ServedGateway, over: object = {}): Promise<string> {
  const { body } = await gateway.post('/hooks/agent', { ...PAYLOAD, ...over });
  return String(body['eventId']);
}

async function ended(gateway: ServedGateway, eventId: string) {
  return eventually('the run ends', async () => {
    const { body } = await gateway.get(`/ops/api/events/${eventId}`);
    const [run] = body['runs'] as { status: string; reply: string; error: string }[];
    return run !== undefined && !['queued', 'running'].includes(run.status) && run;
  });
}

const stubbornRunner = () => ({
  command: process.execPath,
  args: [AGENT, 'stubborn', join(dir.path, 'pids')],
});

describe('an agent that is a program', () => {
  it('runs in its workspace with .env variables and its contract, and nothing of the service', async () => {
    const args = [AGENT, 'tell'];
    const runner = { command: process.execPath, args, output: 'json', env: ['API_KEY'] };
    await using gateway = await service(runner, { workspace: 'agents/main' });
    const { status, reply } = await ended(gateway, await ask(gateway));
    expect(status).toBe('succeeded');
    const received = JSON.parse(reply) as {
      cwd: string;
      env: Record<string, string>;
      input: string;
    };
    expect(received.cwd).toBe(join(dir.path, 'agents', 'main'));
    expect(statSync(received.cwd).mode & 0o777).toBe(0o700);
    expect(received.env).toMatchObject({
      API_KEY: 'sk-of-the-dotenv-file',
      AGENT_HOOKS_AGENT: 'main',
    });
    expect(JSON.parse(received.env['AGENT_HOOKS_CONTRACT'] ?? '')).toEqual({
      trust: 'untrusted',
      verifiedBy: 'token',
      allowedTools: [],
      mayDeliverTo: null,
    });
    expect(JSON.stringify(received.env)).not.toMatch(/of the service|GATEWAY|token-of-the-tests/);
    expect(received.input).toContain('Where is the station?');
  });

  it('ends at the deadline of its run, with all that it started', async () => {
    await using gateway = await service(stubbornRunner());
    const eventId = await ask(gateway, { timeoutSeconds: 3 });
    expect(await ended(gateway, eventId)).toMatchObject({ status: 'timed-out' });
    const pids = await pidsIn(join(dir.path, 'pids'));
    await eventually('all are gone', () => pids.every(isGone));
  });

  it('ends with the service, though that is signalled twice', async () => {
    configure(stubbornRunner());
    await using gateway = await ServiceProcess.listening(dir.path, env);
    await gateway.ask('/hooks/agent', { token: TOKEN, body: PAYLOAD });
    const pids = await pidsIn(join(dir.path, 'pids'));
    await gateway.insist();
    await eventually('all are gone', () => pids.every(isGone));
  });
});
