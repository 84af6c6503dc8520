import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GATEWAY_NAMES, HooksSettings } from '../../hooks/index.ts';
import { CapturedLogs } from '../../../test/support/captured-logs.ts';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { OperatedLedger } from '../../../test/support/operated-ledger.ts';
import { AuditTrail } from '../audit-trail.ts';
import { ConfigurationReload } from './reload.ts';
import { writeFragment } from './fragments.ts';
import { loadConfiguration } from './load.ts';
import { RunningConfiguration } from './reload.ts';

const OLD = 'the-old-token-of-good-length';
const NEW = 'the-new-token-of-good-length';
const withToken = (token: string): object => ({ hooks: { enabled: true, token } });

let dir: ConfigDirectory;
let ledger: OperatedLedger;
let logs: CapturedLogs;
let reload: ConfigurationReload | undefined;

beforeEach(() => {
  dir = new ConfigDirectory();
  ledger = new OperatedLedger();
  logs = new CapturedLogs();
});

afterEach(() => {
  reload?.onModuleDestroy();
  logs[Symbol.dispose]();
  dir[Symbol.dispose]();
});

async function serve(): Promise<{
  settings: HooksSettings;
  running: RunningConfiguration;
  token: () => unknown;
}> {
  const running = new RunningConfiguration(await loadConfiguration(dir.path, {}));
  const settings = new HooksSettings(running.started.hooks, GATEWAY_NAMES);
  const trail = new AuditTrail(ledger.operations, new ManualClock());
  reload = new ConfigurationReload(running, settings, {}, trail);
  reload.onApplicationBootstrap();
  return { settings, running, token: () => settings.current.hooks.token };
}

describe('ConfigurationReload', () => {
  it('applies a file that was written in place', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { token } = await serve();
    dir.write('gateway.json5', withToken(NEW));
    expect(await eventually('the new token is in force', () => token() === NEW)).toBe(true);
  });

  it('says which files changed, and no value', async () => {
    dir.write('gateway.json5', withToken('${HOOK}')).write('.env', `HOOK=${OLD}`);
    await serve();
    const change = async (): Promise<string | undefined> => {
      logs.lines.length = 0;
      await reload?.reload();
      return logs.find('is in force')?.replace(/^.*is in force/, '');
    };
    expect(await change()).toBe('.');
    dir.replace('.env', `HOOK=${NEW}`);
    writeFragment(dir.path, 'more', { hooks: { mappings: [{ id: 'a' }] } }, 'a test');
    expect(await change()).toBe(' (.env, gateway.d/more.json5).');
    expect(logs.lines.join('\n')).not.toContain(NEW);
    dir.remove('gateway.d/more.json5');
    expect(await change()).toBe(' (gateway.d/more.json5).');
  });

  describe('leaves in the audit', () => {
    it('which files changed', async () => {
      dir.write('gateway.json5', withToken('${HOOK}')).write('.env', `HOOK=${OLD}`);
      await serve();
      dir
        .write('gateway.json5', {
          hooks: { enabled: true, token: '${HOOK}', mappings: [{ id: 'b' }] },
        })
        .write('.env', `HOOK=${NEW}`);
      await reload?.reload();
      expect(ledger.audit).toEqual([
        {
          at: expect.any(Number),
          actor: 'files',
          client: null,
          operation: 'reload',
          subject: 'gateway.json5, .env',
          outcome: 'done',
          before: null,
          after: null,
          once: expect.any(String),
        },
      ]);
    });

    it('by the same name what several services do with the same files, by another what one does next', async () => {
      dir.write('gateway.json5', withToken(OLD));
      await serve();
      const first = reload;
      await serve();
      dir.write('gateway.json5', withToken(NEW));
      await Promise.all([first?.reload(), reload?.reload()]);
      first?.onModuleDestroy();
      dir.write('gateway.json5', withToken(OLD));
      await reload?.reload();
      const [last, ...together] = ledger.audit.map(({ once }) => once);
      expect(together).toHaveLength(2);
      expect(new Set(together).size).toBe(1);
      expect(together).not.toContain(last);
    });

    it('nothing of a reload that changes nothing, or that is refused', async () => {
      dir.write('gateway.json5', withToken(OLD));
      const { token } = await serve();
      await reload?.reload();
      dir.write('gateway.json5', withToken(''));
      await reload?.reload();
      expect(token()).toBe(OLD);
      expect(ledger.audit).toEqual([]);
    });

    it('a line of the log where the ledger cannot keep it, and is in force', async () => {
      dir.write('gateway.json5', withToken(OLD));
      const { token } = await serve();
      ledger.isHealthy = false;
      dir.write('gateway.json5', withToken(NEW));
      await reload?.reload();
      expect(token()).toBe(NEW);
      expect(logs.find('what an operator did is not in the ledger')).toContain('gateway.json5');
    });
  });

  it("applies the operator's tokens, too", async () => {
    const tokens = (operator: string, metrics?: string): object => ({
      ...withToken(OLD),
      gateway: { auth: { token: operator } },
      ops: { metricsToken: metrics },
    });
    dir.write('gateway.json5', tokens('the-first-operator-token'));
    const { settings, running } = await serve();
    dir.write('gateway.json5', tokens('the-second-operator-token', 'the-token-of-the-scraper'));
    await reload?.reload();
    expect(running.operatorTokens).toEqual({
      operator: 'the-second-operator-token',
      others: [],
      metrics: 'the-token-of-the-scraper',
    });
    expect(settings.current.gatewayAuthToken).toBe('the-second-operator-token');
    expect(logs.find('Only a restart')).toBeUndefined();
  });

  it('applies a file that an editor replaced, more than once', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { token } = await serve();
    dir.replace('gateway.json5', withToken(NEW));
    expect(await eventually('the new token is in force', () => token() === NEW)).toBe(true);
    dir.replace('gateway.json5', withToken(OLD));
    expect(await eventually('the old token is in force again', () => token() === OLD)).toBe(true);
  });

  it('applies a changed .env', async () => {
    dir.write('gateway.json5', withToken('${HOOK}')).write('.env', `HOOK=${OLD}`);
    const { token } = await serve();
    dir.replace('.env', `HOOK=${NEW}`);
    expect(await eventually('the new token is in force', () => token() === NEW)).toBe(true);
  });

  it('applies changed models to the runner', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { running } = await serve();
    const models = { providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } } };
    dir.replace('gateway.json5', { ...withToken(OLD), models });
    const local = await eventually('the provider is known', () => running.providers['local']);
    expect(local).toMatchObject({ type: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' });
  });

  it('reads again at SIGHUP', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { token } = await serve();
    dir.write('gateway.json5', withToken(NEW));
    process.emit('SIGHUP');
    expect(await eventually('the new token is in force', () => token() === NEW)).toBe(true);
  });

  it('keeps the configuration in force when the new one has problems, and logs every one', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { settings } = await serve();
    const before = settings.current;
    dir.write('gateway.json5', { hooks: { enabled: 1, token: NEW, colour: 'red' }, stores: {} });
    await reload?.reload();
    expect(settings.current).toBe(before);
    const problems = logs.lines.filter((line) => line.startsWith('error')).slice(1);
    expect(problems.map((line) => line.split(' ')[1])).toEqual([
      'stores',
      'hooks.colour',
      'hooks.enabled',
    ]);
  });

  it('looks again at refused files that are saved as they were: what they lacked may lie elsewhere', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { settings, token } = await serve();
    const missing = [{ key: 'hooks', message: 'needs a file that is not there' }];
    settings.addCheck(() => ({ problems: [...missing], warnings: [] }));
    dir.write('gateway.json5', withToken(NEW));
    await eventually('the refusal is logged', () => logs.find('that is not there'));
    missing.length = 0;
    dir.replace('gateway.json5', withToken(NEW));
    expect(await eventually('the new token is in force', () => token() === NEW)).toBe(true);
  });

  it('never turns into the demo when the file disappears', async () => {
    dir.write('gateway.json5', withToken(OLD)).write('.env', 'A=1');
    const { token } = await serve();
    dir.remove('gateway.json5');
    await reload?.reload();
    await reload?.reload();
    expect(token()).toBe(OLD);
    expect(logs.lines.filter((line) => line.includes('gateway.json5 is gone'))).toHaveLength(2);
  });

  it('applies fragments as they come and go, though their folder is made later', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { settings } = await serve();
    const limit = (): number => settings.current.hooks.authFailures.limit;
    const write = (value: number): unknown =>
      writeFragment(dir.path, 'a', { hooks: { authFailures: { limit: value } } }, 'a test');
    write(5);
    expect(await eventually('the fragment is in force', () => limit() === 5)).toBe(true);
    write(6);
    expect(await eventually('the changed one is in force', () => limit() === 6)).toBe(true);
    dir.remove('gateway.d/a.json5');
    expect(await eventually('the default is in force again', () => limit() === 20)).toBe(true);
  });

  it('applies a folder that is put in the place of another', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { settings } = await serve();
    const limit = (): number => settings.current.hooks.authFailures.limit;
    for (const value of [5, 6]) {
      const sections = { hooks: { authFailures: { limit: value } } };
      writeFragment(join(dir.path, `of-${value}`), 'a', sections, 'a test');
      rmSync(join(dir.path, 'gateway.d'), { recursive: true, force: true });
      renameSync(join(dir.path, `of-${value}/gateway.d`), join(dir.path, 'gateway.d'));
      expect(await eventually('the new folder is in force', () => limit() === value)).toBe(true);
    }
    writeFragment(dir.path, 'a', { hooks: { authFailures: { limit: 7 } } }, 'a test');
    expect(await eventually('its fragment is in force', () => limit() === 7)).toBe(true);
  });

  it.each(['', 'gateway.d'])('applies links that a volume swaps (%p)', async (mount) => {
    // As Kubernetes mounts a ConfigMap: files are links through `..data`, which alone is replaced.
    const at = (...names: string[]): string => join(dir.path, mount, ...names);
    const fragment = mount === '' ? 'gateway.d/a.json5' : 'a.json5';
    const swap = (version: string, value: number): void => {
      mkdirSync(dirname(at(version, fragment)), { recursive: true });
      const sections = { hooks: { authFailures: { limit: value } } };
      writeFileSync(at(version, fragment), JSON.stringify(sections));
      symlinkSync(version, at('..data_tmp'));
      renameSync(at('..data_tmp'), at('..data'));
    };
    dir.write('gateway.json5', withToken(OLD));
    swap('..1', 5);
    const link = mount === '' ? 'gateway.d' : 'a.json5';
    symlinkSync(join('..data', link), at(link));
    const { settings } = await serve();
    const limit = (): number => settings.current.hooks.authFailures.limit;
    expect(limit()).toBe(5);
    for (const value of [6, 7]) {
      swap(`..${value}`, value);
      expect(await eventually('the swapped one is in force', () => limit() === value)).toBe(true);
    }
  });

  describe('of a file that is a link into another directory', () => {
    const withKey = (key: string): object => ({
      hooks: { enabled: true, token: OLD, defaultSessionKey: key },
    });
    const fragment = (key: string): object => ({ hooks: { defaultSessionKey: key } });
    let elsewhere: ConfigDirectory;
    beforeEach(() => (elsewhere = new ConfigDirectory()));
    afterEach(() => elsewhere[Symbol.dispose]());

    async function follow(): Promise<(key: string) => Promise<boolean>> {
      const { settings } = await serve();
      const inForce = (): string | undefined => settings.current.hooks.defaultSessionKey;
      expect(inForce()).toBe('hook:1');
      return (key) => eventually(`${key} is in force`, () => inForce() === key);
    }

    it.each<[string, (key: string) => unknown]>([
      ['gateway.json5', withKey],
      ['.env', (key) => `KEY=${key}`],
      ['gateway.d/a.json5', fragment],
    ])('applies %s as it is edited in place, or replaced', async (file, content) => {
      dir.write('gateway.json5', withKey('${KEY}')).write('.env', 'KEY=hook:0');
      mkdirSync(join(dir.path, 'gateway.d'));
      rmSync(join(dir.path, file), { force: true });
      elsewhere.write('mine', content('hook:1'));
      symlinkSync(join(elsewhere.path, 'mine'), join(dir.path, file));
      const applied = await follow();
      elsewhere.write('mine', content('hook:2'));
      expect(await applied('hook:2')).toBe(true);
      elsewhere.replace('mine', content('hook:3'));
      expect(await applied('hook:3')).toBe(true);
      elsewhere.write('mine', content('hook:4'));
      expect(await applied('hook:4')).toBe(true);
    });

    it('applies what any link of a chain leads to, and goes on with its new end', async () => {
      using between = new ConfigDirectory();
      const first = join(elsewhere.path, 'first');
      const second = join(elsewhere.path, 'second');
      elsewhere.write('first', withKey('hook:1')).write('second', withKey('hook:2'));
      const link = join(between.path, 'link');
      symlinkSync(first, link);
      symlinkSync(link, join(dir.path, 'gateway.json5'));
      const applied = await follow();
      rmSync(link);
      symlinkSync(second, link);
      expect(await applied('hook:2')).toBe(true);
      elsewhere.write('second', withKey('hook:3'));
      expect(await applied('hook:3')).toBe(true);
    });

    it('applies what a directory on the way is swapped for', async () => {
      const release = (version: string, key: string): void => {
        mkdirSync(join(elsewhere.path, version));
        elsewhere.write(join(version, 'gateway.json5'), withKey(key));
        symlinkSync(version, join(elsewhere.path, 'next'));
        renameSync(join(elsewhere.path, 'next'), join(elsewhere.path, 'current'));
      };
      release('v1', 'hook:1');
      const target = join(elsewhere.path, 'current', 'gateway.json5');
      symlinkSync(target, join(dir.path, 'gateway.json5'));
      const applied = await follow();
      release('v2', 'hook:2');
      expect(await applied('hook:2')).toBe(true);
      elsewhere.write('v2/gateway.json5', withKey('hook:3'));
      expect(await applied('hook:3')).toBe(true);
    });

    it('ends with links that lead in a circle', async () => {
      dir.write('gateway.json5', withKey('hook:1'));
      const applied = await follow();
      symlinkSync('b', join(dir.path, 'a'));
      symlinkSync('a', join(dir.path, 'b'));
      rmSync(join(dir.path, 'gateway.json5'));
      symlinkSync('a', join(dir.path, 'gateway.json5'));
      await eventually('it is refused', () => logs.find('gateway.json5 cannot be read (ELOOP)'));
      dir.replace('gateway.json5', withKey('hook:2'));
      expect(await applied('hook:2')).toBe(true);
    });
  });

  it('never turns into the demo when the only fragment disappears', async () => {
    writeFragment(dir.path, 'a', {}, 'a test');
    const { settings } = await serve();
    dir.remove('gateway.d/a.json5');
    await reload?.reload();
    expect(settings.current.hooks.enabled).toBe(false);
    expect(logs.find('gateway.d/a.json5 is gone')).toBeDefined();
  });

  it('names the file of what the hooks module refuses, and takes its channels back', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { settings, running } = await serve();
    settings.addCheck(() => ({
      problems: [{ key: 'hooks.mappings[0]', message: 'is refused by a check' }],
      warnings: [],
    }));
    const channels = { chan_1: { provider: 'telegram', token: '1:a' } };
    writeFragment(dir.path, 'a', { hooks: { mappings: [{ id: 'a' }] }, channels }, 'a test');
    expect(
      await eventually('the refusal is logged', () => logs.find('is refused by a check')),
    ).toContain('gateway.d/a.json5: hooks.mappings[0] is refused');
    expect(running.channels.chan_1).toBeUndefined();
  });

  it('names what only a restart applies, and applies the rest', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { settings, running } = await serve();
    const sections = {
      gateway: {
        port: 1,
        shutdownSeconds: 1,
        trustedProxies: ['10.0.0.1'],
        auth: { token: 'another-operator-token-of-the-tests' },
      },
      hooks: { enabled: true, token: NEW, path: '/in' },
      channels: { chan_1: { provider: 'telegram', token: '1:a' } },
      store: { dir: 'state' },
      ops: { exposed: true, listen: 18_791, hosts: ['gateway.example.com'] },
    };
    dir.write('gateway.json5', sections);
    await reload?.reload();
    expect(settings.current.hooks).toMatchObject({ token: NEW, path: '/hooks' });
    expect(settings.current.trustedProxies).toEqual([]);
    expect(logs.find('Only a restart')).toContain(
      'gateway.port, gateway.trustedProxies, gateway.shutdownSeconds, hooks.path, store.dir, ops.listen, ops.exposed, ops.hosts',
    );
    expect(running.unapplied.restartFor).toContain('store.dir');
    expect(running.channels.chan_1?.provider.provider).toBe('telegram');
    dir.write('gateway.json5', withToken(OLD));
    await reload?.reload();
    expect(running.unapplied).toEqual({ restartFor: [], refused: [] });
  });

  it('remembers why the changed files were refused until they are mended', async () => {
    dir.write('gateway.json5', withToken(OLD));
    const { running } = await serve();
    dir.write('gateway.json5', { hooks: { enabled: true, token: NEW, nonsense: 1 } });
    await reload?.reload();
    expect(running.unapplied).toEqual({
      restartFor: [],
      refused: [{ key: 'hooks.nonsense', message: expect.stringContaining('not a known key') }],
    });
    dir.write('gateway.json5', withToken(NEW));
    await reload?.reload();
    expect(running.unapplied.refused).toEqual([]);
  });

  it('does not ask for a restart when a default is written out', async () => {
    dir.write('gateway.json5', withToken(OLD));
    await serve();
    dir.write('gateway.json5', {
      gateway: { host: '127.0.0.1', port: 18_790, trustedProxies: [] },
      hooks: { enabled: true, token: NEW, path: 'hooks/' },
      store: { dir: './data', payloadDays: 1 },
    });
    await reload?.reload();
    expect(logs.find('in force')).toBeDefined();
    expect(logs.find('Only a restart')).toBeUndefined();
  });
});
