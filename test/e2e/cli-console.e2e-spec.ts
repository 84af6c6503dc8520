import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

const TOKEN = 'the-operator-token-of-the-tests';
const NOT_BUILT = { ok: false, error: 'The console is not built.', code: 'console_not_built' };

/** What stands where a service would: one with a console, or one without. */
let isBuilt: boolean;
let service: ScriptedServer;
let dir: ConfigDirectory;
beforeAll(async () => {
  service = new ScriptedServer(() => ({
    status: isBuilt ? 200 : 404,
    headers: { 'content-type': isBuilt ? 'text/html' : 'application/json' },
    chunks: [isBuilt ? '<!doctype html>' : JSON.stringify(NOT_BUILT)],
  }));
  await service.listen();
});
beforeEach(() => {
  dir = new ConfigDirectory();
  isBuilt = true;
});
afterEach(() => dir[Symbol.dispose]());
afterAll(() => service.close());

const hooks = (...args: string[]) =>
  hooksCall(['console', ...args], {
    cwd: dir.path,
    env: { GATEWAY_PORT: new URL(service.origin).port },
  });

describe('hooks console', () => {
  it('prints where it is, and where the token is, never the token', async () => {
    dir.write('gateway.json5', { gateway: { auth: { token: TOKEN } } });
    const { code, stdout, stderr } = await hooks();
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${service.origin}/console\n` });
    expect(stderr).toContain('gateway.auth.token');
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(service.requests.at(-1)).toMatchObject({ path: '/console' });
    expect(JSON.stringify(service.requests.at(-1))).not.toContain(TOKEN);
  });

  it('names the file of a token that the service made', async () => {
    dir.write('gateway.json5', {});
    mkdirSync(join(dir.path, 'data'));
    dir.write('data/operator-token', TOKEN);
    const { stdout } = await hooks('--json');
    expect(JSON.parse(stdout)).toEqual({
      url: `${service.origin}/console`,
      token: 'data/operator-token',
    });
  });

  it('says so where there is none', async () => {
    isBuilt = false;
    dir.write('gateway.json5', { gateway: { auth: { token: TOKEN } } });
    const { code, stdout, stderr } = await hooks();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The console is not built.');
  });
});
