import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hooksCall } from '../support/cli-call.ts';

const run = promisify(execFile);
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-completion-'));
  const { stdout } = await hooksCall(['completion', 'bash'], { cwd: dir });
  await writeFile(join(dir, 'hooks.bash'), stdout);
  await writeFile(join(dir, 'payload.json'), '{}');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What bash offers when Tab is pressed at the end of the words. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `
    source ./hooks.bash
    complete -p hooks >/dev/null || exit 9
    COMP_WORDS=(hooks "$@"); COMP_CWORD=$#
    _hooks
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', ...words], { cwd: dir });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('hooks completion bash', () => {
  it('offers the commands', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['start', 'config', '--help']));
  });

  it('offers those that begin with what is typed', async () => {
    expect(await offered('con')).toEqual(['console', 'config']);
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
    const { stdout } = await run('bash', ['--norc', '-c', script], { cwd: dir });
    expect(stdout).toBe('function\n');
  });
});

describe('hooks completion', () => {
  it('is wrong usage for a shell that it does not know', async () => {
    const { code, stdout, stderr } = await hooksCall(['completion', 'csh'], { cwd: dir });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('known are bash, zsh, fish');
  });

  it.each(['zsh', 'fish'])('prints a script for %s that names every command', async (shell) => {
    const { code, stdout } = await hooksCall(['completion', shell], { cwd: dir });
    expect(code).toBe(0);
    for (const name of ['start', 'config', 'check', 'token', '--json']) {
      expect(stdout).toContain(name.replace(/^--/, ''));
    }
  });
});
