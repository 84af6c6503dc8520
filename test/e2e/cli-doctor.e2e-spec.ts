import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { GOOD_TOKEN } from '../support/doctor-directory.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function doctor(...args: string[]): ReturnType<typeof hooksCall> {
  return hooksCall(['doctor', ...args], { cwd: dir.path });
}

describe('hooks doctor', () => {
  it('finds no error in the demo and leaves no trace', async () => {
    const { code, stdout, stderr } = await doctor('--offline');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^0 errors, 0 warnings, \d+ info, \d+ ok$/m);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it('fails when there is an error, with what to do', async () => {
    dir.write('.env', `HOOK=${GOOD_TOKEN}`).write('gateway.json5', {
      hooks: { enabled: true, token: '${HOOK}' },
    });
    chmodSync(join(dir.path, '.env'), 0o644);
    const { code, stdout } = await doctor('--offline', '--json');
    expect(code).toBe(1);
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: object[] };
    expect(ok).toBe(false);
    expect(findings).toContainEqual({
      check: 'files',
      severity: 'error',
      what: `${join(dir.path, '.env')} can be read by other users`,
      fix: `chmod go-rwx '${join(dir.path, '.env')}'`,
    });
    expect(stdout).not.toContain(GOOD_TOKEN);
  });

  it('examines a configuration that cannot be parsed as far as it can', async () => {
    dir.write('gateway.json5', '{');
    const { code, stdout } = await doctor();
    expect(code).toBe(1);
    expect(stdout).toContain('error   configuration: gateway.json5 is not valid JSON5');
    expect(stdout).toContain('ok      node: Node ');
  });
});
