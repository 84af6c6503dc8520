import { ConfigDirectory } from '../../test/support/config-directory.ts';
import { banner } from './start.ts';
import { loadConfiguration } from './configuration/load.ts';

const URL = 'http://127.0.0.1:18790';
const AT = { hooks: URL };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('banner', () => {
  it('gives full paths, quoted where the shell needs it, outside the working directory', async () => {
    const demo = {
      ...(await loadConfiguration(dir.path, {})),
      hookTokenFile: "/srv/it's here/hook-token",
    };
    const text = banner(demo, AT, '/usr');
    expect(text).toContain(String.raw`$(cat '/srv/it'\''s here/hook-token')`);
    expect(text.replaceAll("'", '')).toContain(`$(cat ${dir.path}/data/operator-token)`);
  });

  it('puts a variable where the operator chose the token', async () => {
    dir.write('gateway.json5', {
      hooks: { enabled: true, token: 'my-own-long-token-of-the-tests', path: 'in' },
    });
    const text = banner(await loadConfiguration(dir.path, {}), AT, dir.path);
    expect(text).toContain(`${URL}/in/wake -H "Authorization: Bearer $HOOK_TOKEN"`);
    expect(text).not.toContain('my-own-long');
  });

  it('asks the operator API where it is', async () => {
    const demo = await loadConfiguration(dir.path, {});
    const far = banner(demo, { ...AT, operator: 'http://127.0.0.1:18791' }, dir.path);
    expect(far).toContain('operator-token)" http://127.0.0.1:18791/ops/api/events\n');
    const socket = banner(demo, { ...AT, operator: "unix:/run/it's/ops.sock" }, dir.path);
    expect(socket).toContain(
      String.raw`--unix-socket '/run/it'\''s/ops.sock' http://localhost/ops/api/events`,
    );
    expect(socket).toContain(`${URL}/hooks/wake`);
  });

  it('says where the console is, and where its token, once there is one', async () => {
    const demo = await loadConfiguration(dir.path, {});
    expect(banner(demo, AT, dir.path, false)).not.toContain('/console');
    const text = banner(demo, AT, dir.path, true);
    expect(text).toContain(
      `Look at it; log in with the token in data/operator-token:\n  ${URL}/console\n`,
    );
    expect(text).not.toContain(demo.operatorToken);
    const chosen = { ...demo, operatorTokenFile: undefined };
    expect(banner(chosen, AT, dir.path, true)).toContain('with the token of gateway.auth:');
    const socket = banner(demo, { ...AT, operator: 'unix:/run/ops.sock' }, dir.path, true);
    expect(socket).not.toContain('/console');
  });

  it('says that hooks are off', async () => {
    dir.write('gateway.json5', {});
    const text = banner(await loadConfiguration(dir.path, {}), AT, dir.path);
    expect(text).toContain('Hooks are off');
    expect(text).not.toContain('/hooks/wake');
  });
});
