import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hooksCall } from '../support/cli-call.ts';
import { HOOKS, hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';

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

let bashDir: string;
beforeAll(async () => {
  bashDir = await mkdtemp(join(tmpdir(), 'hooks-completion-'));
  const { stdout } = await hooksCall(['completion', 'bash'], { cwd: bashDir });
  await writeFile(join(bashDir, 'hooks.bash'), stdout);
  await writeFile(join(bashDir, 'payload.json'), '{}');
});
afterAll(() => rm(bashDir, { recursive: true, force: true }));

async function offered(...words: string[]): Promise<string[]> {
  const script = `
    source ./hooks.bash
    complete -p hooks >/dev/null || exit 9
    COMP_WORDS=(hooks "$@"); COMP_CWORD=$#
    _hooks
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd: bashDir,
  });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('hooks completion bash', () => {
  it('offers the commands', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['start', 'config', '--help']));
  });

  it('offers those that begin with what is typed', async () => {
    expect(await offered('con')).toEqual(['config']);
  });

  it('offers sub-commands and their options where they stand', async () => {
    expect(await offered('config', 'ch')).toEqual(['check']);
    expect(await offered('config', 'check', '--j')).toEqual(['--json']);
    expect(await offered('config', 'check', '--json', '')).toEqual(['--json', '--help', '-h']);
  });

  it('is silent where nothing is known', async () => {
    expect(await offered('completion', 'zzz')).toEqual([]);
  });

  it('leaves the rest of the shell alone', async () => {
    const script = 'set -eu; before=$(set | wc -l); source ./hooks.bash; type -t _hooks';
    const { stdout } = await run('bash', ['--norc', '-c', script], { cwd: bashDir });
    expect(stdout).toBe('function\n');
  });
});

describe('hooks completion', () => {
  it('is wrong usage for a shell that it does not know', async () => {
    const { code, stdout, stderr } = await hooks('completion', 'csh');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('known are bash, zsh, fish');
  });

  it.each(['zsh', 'fish'])('prints a script for %s that names every command', async (shell) => {
    const { code, stdout } = await hooks('completion', shell);
    expect(code).toBe(0);
    for (const name of ['start', 'config', 'check', 'token', '--json']) {
      expect(stdout).toContain(name.replace(/^--/, ''));
    }
  });
});

const START = [HOOKS, 'start'];

describe('hooks start', () => {
  it('serves, shows the demo as npm start does, and ends in good order', async () => {
    await using service = await ServiceProcess.listening(dir.path, {}, START);
    const token = (await readFile(join(dir.path, 'data/hook-token'), 'utf8')).trim();
    const answer = await service.ask('/hooks/wake', { token, body: { text: 'x' } });
    expect(answer.status).toBe(200);
    expect(service.stdout).toContain('Wake the agent:');
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});
