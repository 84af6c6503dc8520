import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOOKS, hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { SystemdStandIn } from '../support/systemd.ts';

// As one user; test/real has the unit of the machine, which needs root, and what the real systemd says of both.

let dir: ConfigDirectory;
let systemd: SystemdStandIn;
let unit: string;
beforeEach(() => {
  dir = new ConfigDirectory();
  unit = join(dir.path, 'home/.config/systemd/user/hooks.service');
  mkdirSync(join(dir.path, 'systemd'));
  systemd = new SystemdStandIn(join(dir.path, 'systemd'), unit);
});
afterEach(() => dir[Symbol.dispose]());

const service = (...args: readonly string[]) => {
  const env = { HOME: join(dir.path, 'home'), PATH: `${systemd.bin}:/usr/bin:/bin` };
  return hooksCommand(['service', ...args], { cwd: dir.path, env });
};
const written = () => readFileSync(unit, 'utf8');

const INSTALLING = [
  'systemctl --user daemon-reload',
  'systemctl --user enable hooks.service',
  'systemctl --user restart hooks.service',
];

it('is started by the systemd of the user, with the Node and the package that are here', async () => {
  const { code, stdout, stderr } = await service('install', '--user');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `${unit}: new\nIt runs in ${dir.path}, and starts with you.\n`,
  });
  expect(systemd.changes).toEqual(INSTALLING);
  expect(written()).toContain(`\nExecStart=${process.execPath} ${HOOKS} start\n`);
  expect(written()).toContain(`\nWorkingDirectory=${dir.path}\n`);
  expect(written()).toContain(
    `\nEnvironment=PATH=${systemd.bin}:/usr/bin:/bin NODE_ENV=production\n`,
  );
  expect(written()).toContain('\nWantedBy=default.target\n');
  expect(stderr).toContain('sudo loginctl enable-linger');
  expect(stderr).toContain('journalctl --user -u hooks -f');
});

it('says nothing of lingering to a user who lingers', async () => {
  systemd.say('linger', 'yes');
  expect((await service('install', '--user')).stderr).not.toContain('linger');
});

it('changes nothing when it is called again', async () => {
  await service('install', '--user');
  const { code, stdout, stderr } = await service('install', '--user');
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${unit}: as it was\n`, stderr: '' });
  expect(systemd.changes.slice(3)).toEqual([
    'systemctl --user enable hooks.service',
    'systemctl --user start hooks.service',
  ]);
});

it('says line by line what it changed of a unit that was another', async () => {
  await service('install', '--user');
  writeFileSync(unit, written().replace('RestartSec=2', 'RestartSec=9'));
  const { stdout } = await service('install', '--user');
  expect(stdout).toContain(`${unit}: changed\n- RestartSec=9\n+ RestartSec=2\n`);
  expect(systemd.changes.slice(3)).toEqual(INSTALLING);
});

it('writes paths as units have to have them', async () => {
  const strange = join(dir.path, 'a 100%');
  mkdirSync(strange);
  const env = { HOME: dir.path, PATH: '/opt/a "b"/bin' };
  const { stdout } = await hooksCommand(['service', 'install', '--user', '--dry-run'], {
    cwd: strange,
    env,
  });
  expect(stdout).toContain(`\nWorkingDirectory=${dir.path}/a 100%%\n`);
  expect(stdout).toContain(String.raw`Environment="PATH=/opt/a \"b\"/bin" NODE_ENV=production`);
});

it('with --dry-run prints the unit, and does nothing', async () => {
  const { code, stdout } = await service('install', '--user', '--dry-run');
  expect(code).toBe(0);
  expect(systemd.changes).toEqual([]);
  expect(existsSync(unit)).toBe(false);
  await service('install', '--user');
  expect(stdout).toBe(written());
});

describe.each(['install', 'uninstall', 'status'])('hooks service %s', (command) => {
  it('says what to do where no systemd runs, and does nothing', async () => {
    systemd.say('running', 'offline');
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, '# as it was\n');
    const { code, stdout, stderr } = await service(command, '--user');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('systemd does not answer to this user');
    expect(stderr).toContain('sudo hooks service install');
    expect(systemd.changes).toEqual([]);
    expect(written()).toBe('# as it was\n');
  });
});

it('hands on why it could not be started, and where to look', async () => {
  systemd.say('fails', '');
  const { code, stderr } = await service('install', '--user');
  expect(code).toBe(1);
  expect(stderr).toContain('Job for hooks.service failed because');
  expect(stderr).toContain('journalctl --user -u hooks -n 20');
});

describe('status', () => {
  it('is 3 where it is not installed', async () => {
    const { code, stderr } = await service('status', '--user');
    expect(code).toBe(3);
    expect(stderr).toContain(`there is no ${unit}`);
    expect(stderr).toContain('hooks service install');
  });

  it('is 0 where it runs', async () => {
    await service('install', '--user');
    const { code, stdout } = await service('status', '--user');
    const line = 'hooks.service is active (running) and enabled; restarts: 0\n';
    expect({ code, stdout }).toEqual({ code: 0, stdout: line });
    const { stdout: json } = await service('status', '--user', '--json');
    expect(JSON.parse(json)).toEqual({
      unit,
      isCurrent: true,
      active: 'active',
      sub: 'running',
      enabled: 'enabled',
      restarts: 0,
    });
  });

  it('is 3 where it ended, and names a unit of another version', async () => {
    await service('install', '--user');
    systemd.say('active', 'activating').say('sub', 'auto-restart');
    writeFileSync(unit, written().replace('RestartSec=2', 'RestartSec=9'));
    const { code, stdout, stderr } = await service('status', '--user');
    expect(code).toBe(3);
    expect(stdout).toContain('hooks.service is activating (auto-restart)');
    expect(stdout).toContain('is not what this version has: hooks service install');
    expect(stderr).toContain('journalctl --user -u hooks -n 20');
  });
});

describe('uninstall', () => {
  it('stops it and takes the unit away, and leaves what it had', async () => {
    dir.write('gateway.json5', '{}');
    await service('install', '--user');
    const { code, stdout } = await service('uninstall', '--user');
    expect(code).toBe(0);
    expect(stdout).toContain('Stopped');
    expect(systemd.changes.slice(3)).toEqual([
      'systemctl --user disable --now hooks.service',
      'systemctl --user daemon-reload',
    ]);
    expect(existsSync(unit)).toBe(false);
    expect(systemd.isEnabled).toBe(false);
    expect(existsSync(join(dir.path, 'gateway.json5'))).toBe(true);
  });

  it('does nothing where there is none', async () => {
    const { code, stdout } = await service('uninstall', '--user');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `There is no ${unit}: nothing was done.\n`,
    });
    expect(systemd.changes).toEqual([]);
  });
});
