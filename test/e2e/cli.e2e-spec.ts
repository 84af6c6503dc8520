import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hooksCall } from '../support/cli-call.ts';
import { HOOKS, hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';

const run = promisify(execFile);

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function hooks(...args: string[]): ReturnType<typeof hooksCall> {
  return hooksCall(args, { cwd: dir.path });
}

describe('hooks', () => {
  it('prints the version of the package', async () => {
    const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(text) as { version: string };
    expect(await hooksCommand(['--version'], { cwd: dir.path })).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it('alone shows its help and fails as a wrong usage', async () => {
    const { code, stdout, stderr } = await hooks();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: hooks');
    expect(stderr).toContain('config check');
  });

  it.each([
    [['confg', 'check'], "unknown command 'confg'", 'did you mean "hooks config"?'],
    [['config', 'chek'], "unknown command 'chek'", 'did you mean "hooks config check"?'],
    [['config', 'check', '--jsn'], "unknown option '--jsn'", 'did you mean "--json"?'],
    [['mail', 'run', '--url', 'x'], '--url is not the address of a service', 'Write it as'],
    [['config', 'check', 'x'], 'too many arguments', 'see "hooks config check --help"'],
  ])('%j is wrong usage with a way out', async (args, message, hint) => {
    const { code, stdout, stderr } = await hooks(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain(hint);
  });

  it('advises what has to be typed where it was begun by npx', async () => {
    const env = { npm_lifecycle_event: 'npx' };
    const place = { cwd: dir.path, env };
    const { stderr } = await hooksCall(['config', 'chek'], place);
    expect(stderr).toContain('did you mean "npx hooks config check"?');
    const { stdout } = await hooksCall(['config', '--help'], place);
    expect(stdout).toContain('\n  npx hooks config check\n');
    const { stdout: schema } = await hooksCall(['config', 'schema'], place);
    expect(schema).toBe((await hooks('config', 'schema')).stdout);
  });

  it('says errors as JSON when the result was to be JSON', async () => {
    const { code, stdout, stderr } = await hooks('config', 'check', '--json', '--jsn');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { message: "unknown option '--jsn'", hint: 'did you mean "--json"?' },
    });
  });
});

describe('hooks whose result', () => {
  /** What bash says of `hooks config schema` with its output somewhere else. */
  async function piped(rest: string): Promise<{ stdout: string; stderr: string }> {
    const script = `"${process.execPath}" "${HOOKS}" config schema ${rest}`;
    return run('bash', ['-c', script], { cwd: dir.path });
  }

  it('is read only in part has not failed', async () => {
    const { stdout, stderr } = await piped('| head -c 1; echo " ${PIPESTATUS[0]}"');
    expect({ stdout, stderr }).toEqual({ stdout: '{ 0\n', stderr: '' });
  });

  it('is whole although nobody reads what is said beside it', async () => {
    const { stdout } = await piped('--no-such 3>&1 2>&1 >&3 | true; echo "${PIPESTATUS[0]}"');
    expect(stdout).toBe('2\n');
  });

  it('cannot be written says so and fails', async () => {
    const { stdout, stderr } = await piped('> /dev/full; echo $?');
    expect(stdout).toBe('1\n');
    expect(stderr).toBe('error: the result cannot be written (ENOSPC)\n');
  });
});

describe('hooks config check', () => {
  it('calls the demo fine and leaves no trace', async () => {
    const { code, stdout, stderr } = await hooks('config', 'check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('fine');
    expect(await readdir(dir.path)).toEqual([]);
  });

  it('lists every problem, fails, and leaves no trace', async () => {
    dir.write('gateway.json5', {
      gateway: { port: 'x' },
      hooks: { enabled: true, token: '${NO_SUCH_VARIABLE}' },
    });
    const { code, stdout, stderr } = await hooks('config', 'check');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('2 problems');
    expect(stdout).toContain('gateway.port must be ');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'hooks.token names the variable NO_SUCH_VARIABLE',
    );
    expect(await readdir(dir.path)).toEqual(['gateway.json5']);
  });

  it('prints problems and warnings as one JSON document', async () => {
    dir.write('gateway.json5', { gateway: { host: '0.0.0.0' }, hooks: { enabled: false } });
    const { code, stdout } = await hooks('config', 'check', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      problems: [],
      warnings: [{ key: 'gateway.host' }, { key: 'hooks.enabled' }],
    });
  });

  it('says where the syntax is wrong', async () => {
    dir.write('gateway.json5', '{ hooks: ');
    const { code, stdout } = await hooks('config', 'check');
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('gateway.json5 is not valid JSON5 (line 1');
  });

  it.each([
    ['gateway.json5', 'gateway.json5'],
    ['data/operator-token', 'store.dir'],
  ])('says that %s cannot be read as a problem like any other', async (name, key) => {
    mkdirSync(join(dir.path, name), { recursive: true });
    const { code, stdout } = await hooks('config', 'check', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [{ key }] });
  });

  it('ends although a transform was compiled', async () => {
    mkdirSync(join(dir.path, 'transforms'));
    dir.write('transforms/m.ts', 'export default (): null => null;').write('gateway.json5', {
      hooks: { mappings: [{ id: 'm', transform: { module: 'm.ts' } }] },
    });
    const ending = await hooksCommand(['config', 'check'], { cwd: dir.path });
    expect(ending).toMatchObject({ code: 0, stderr: '' });
  });

  it('says that the configuration directory does not exist', async () => {
    const env = { GATEWAY_CONFIG_DIR: 'nowhere' };
    const { code, stderr } = await hooksCall(['config', 'check'], { cwd: dir.path, env });
    expect(code).toBe(1);
    expect(stderr).toContain('GATEWAY_CONFIG_DIR names no directory');
  });
});
