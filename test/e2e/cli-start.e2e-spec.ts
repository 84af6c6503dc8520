import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOOKS } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';

const START = [HOOKS, 'start'];

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('hooks start', () => {
  it('serves, shows the demo as npm start does, and ends in good order', async () => {
    await using service = await ServiceProcess.listening(dir.path, {}, START);
    const token = (await readFile(join(dir.path, 'data/hook-token'), 'utf8')).trim();
    const answer = await service.ask('/hooks/wake', { token, body: { text: 'x' } });
    expect(answer.status).toBe(200);
    expect(service.stdout).toContain('Wake the agent:');
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('refuses a wrong configuration with every problem', async () => {
    dir.write('gateway.json5', { gateway: { port: 'x' }, hooks: { enabled: true } });
    await using service = new ServiceProcess(dir.path, { GATEWAY_PORT: '' }, undefined, START);
    const { code, stdout, stderr } = await service.ended();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('gateway.port must be ');
    expect(stderr).toContain('hooks.token is required');
  });
});
