import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const BLOCK = fileURLToPath(new URL('../support/no-sockets.ts', import.meta.url));
const env = { NODE_OPTIONS: `--no-warnings --import=${BLOCK}` };

/** Everything that would speak to somebody. */
const OUTWARD = {
  hooks: {
    enabled: true,
    presets: ['mail'],
    token: TOKEN,
    mail: {
      account: 'me@example.com',
      host: 'imap.example.com',
      auth: { password: 'the-password-of-a-mailbox' },
    },
    mappings: [
      { id: 'check', messageTemplate: '{{ host }} was down', approve: { reply: true } },
      { id: 'made', transform: { module: 'made.mjs' } },
      { id: 'told', action: 'deliver', messageTemplate: '{{ text }}', channel: 'chan_2' },
    ],
  },
  agents: {
    list: [
      {
        id: 'main',
        default: true,
        tools: { mcp: { files: { url: 'https://mcp.example.com/mcp' } } },
      },
    ],
    defaults: {
      model: 'own/large',
      heartbeat: { every: '1m' },
    },
  },
  models: {
    providers: {
      own: { type: 'openai-compatible', baseUrl: 'https://models.example.com/v1', apiKey: 'a-key' },
    },
  },
  channels: {
    chan_2: { provider: 'telegram', token: '123:telegram-token-of-the-test', to: '5' },
    chan_3: { provider: 'discord', token: 'discord-token-of-the-test', to: '12345678901234567' },
  },
  store: { dir: './other' },
};

describe('hooks simulate, where no socket can be opened', () => {
  let old: ConfigDirectory;
  let next: ConfigDirectory;
  beforeEach(async () => {
    const mappings = ['check', 'made', 'told'].map((id) => ({ id, messageTemplate: '{{ host }}' }));
    const present = { hooks: { enabled: true, token: TOKEN, mappings }, store: { dir: './data' } };
    const agents = { defaults: { runner: { type: 'demo' } } };
    old = new ConfigDirectory().write('gateway.json5', { ...present, agents });
    next = new ConfigDirectory().write('gateway.json5', OUTWARD);
    next.writeTransform('made.mjs', `export default () => ({ message: 'made' });`);
    const hooks = await Hooks.start({
      mappings,
      defaultSessionKey: undefined,
      ledger: sqliteLedger({ dir: join(old.path, 'data') }),
    });
    for (const path of ['check', 'made', 'told']) {
      const { eventId } = await hooks.ask(`/${path}`, { host: 'db1', text: 'hello' });
      await hooks.ended(eventId);
    }
    await hooks.ask('/wake', { text: 'wake up', mode: 'now' });
    await hooks.close();
  });
  afterEach(() => {
    old[Symbol.dispose]();
    next[Symbol.dispose]();
  });

  const opens = (code: string): Promise<string> =>
    new Promise((resolve) => {
      const args = ['--input-type=module', '-e', code];
      execFile(process.execPath, args, { env }, (_error, _out, stderr) => resolve(stderr.trim()));
    });

  it.each([
    [`await fetch('http://127.0.0.1:9999')`, 'SOCKET TCP.connect'],
    [`(await import('node:net')).connect('/tmp/a.sock')`, 'SOCKET Pipe.connect'],
    [`await (await import('node:dns/promises')).lookup('example.com')`, 'SOCKET dns.lookup'],
    [`(await import('node:dgram')).createSocket('udp4').send('x', 9999)`, 'SOCKET UDP.bind'],
    [
      `new (await import('node:worker_threads')).Worker('fetch("http://127.0.0.1:9999")', { eval: true })`,
      'SOCKET TCP.connect',
    ],
  ])('(none can: %s)', async (code, said) => {
    expect(await opens(code)).toBe(said);
  });

  it('says what changes, writes nothing and ends with 1', async () => {
    const stored = () => readFileSync(join(old.path, 'data', 'ledger.db'));
    const before = stored();
    const args = ['simulate', '--config', next.path, '--json'];
    const { code, stdout, stderr } = await hooksCommand(args, { cwd: old.path, env });
    expect(stderr).toBe('');
    expect(code).toBe(1);
    const { changed, after, examples } = JSON.parse(stdout);
    expect(changed).toBe(3);
    expect(after).toMatchObject({ accepted: 4, runs: 2, unknown: 2, wakes: 1 });
    expect(examples[1].changes).toContainEqual({
      what: 'run 1, prompt',
      before: expect.stringContaining('db1'),
      after: expect.stringContaining('made'),
    });
    expect(stored().equals(before)).toBe(true);
  });

  it('ends with 2 where it cannot say, and with 0 where nothing changes', async () => {
    const at = (...args: string[]) => hooksCommand(['simulate', ...args], { cwd: old.path, env });
    const same = await at('--config', '.');
    expect(same).toMatchObject({ code: 0, stderr: '' });
    expect(same.stdout).toMatch(/^4 events from .*: nothing changes$/m);
    expect(await at()).toMatchObject({ code: 2, stderr: expect.stringContaining('--config') });
    next.write('gateway.json5', { hooks: { mapings: [] } });
    expect(await at('--config', next.path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mapings'),
    });
    expect(await at('--config', join(next.path, 'nowhere'))).toMatchObject({ code: 2 });
    old.write('gateway.json5', {
      hooks: { enabled: true, token: TOKEN },
      store: { dir: './none' },
    });
    expect(await at('--config', '.')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none cannot be used: there is none'),
    });
  });
});
