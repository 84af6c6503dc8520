import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const MAPPING = {
  id: 'uptime-kuma',
  match: { path: 'uptime-kuma' },
  messageTemplate: 'up {{ text }}',
};

let dir: ConfigDirectory;
beforeEach(() => {
  dir = new ConfigDirectory();
  const hooks = { enabled: true, token: HOOK_TOKEN, mappings: [MAPPING] };
  dir.write('gateway.json5', { hooks, agents: { defaults: { runner: { type: 'demo' } } } });
});
afterEach(() => dir[Symbol.dispose]());

const fragment = (): string => join(dir.path, 'gateway.d', 'token-uptime-kuma.json5');

async function hooks(
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const { code, stdout, stderr } = await hooksCall(['token', ...args], { cwd: dir.path });
  return { code, out: stdout.trim(), err: stderr };
}

async function made(...args: string[]): Promise<string> {
  const { code, out } = await hooks('new', '--for', 'uptime-kuma', ...args);
  expect(code).toBe(0);
  return out;
}

describe('hooks token', () => {
  it('new --for prints the token once and keeps its digest alone', async () => {
    const token = await made();
    expect(token).toMatch(/^[\w-]{43}$/);
    const text = readFileSync(fragment(), 'utf8');
    expect(text).toContain('sha256:');
    expect(text).not.toContain(token);
    expect(statSync(fragment()).mode & 0o777).toBe(0o600);
  });

  it('list shows every token by its sender, and none itself', async () => {
    const token = await made('--hooks', 'uptime-kuma,wake', '--not-after', '2099-01-31');
    const { out } = await hooks('list', '--json');
    expect(JSON.parse(out)).toEqual({
      tokens: [
        expect.objectContaining({
          id: null,
          hooks: ['*'],
          file: 'gateway.json5',
          lastUsedAt: null,
        }),
        {
          id: 'uptime-kuma',
          secret: expect.stringMatching(/^[0-9a-f]{12}$/),
          hooks: ['uptime-kuma', 'wake'],
          notAfter: '2099-01-31T23:59:59.999Z',
          lastUsedAt: null,
          file: 'gateway.d/token-uptime-kuma.json5',
        },
      ],
    });
    const table = (await hooks('list')).out;
    expect(table).toMatch(/uptime-kuma +\w{12} +uptime-kuma, wake/);
    expect(out + table).not.toContain(token);
    expect(out + table).not.toContain(HOOK_TOKEN);
  });

  it('retire --old keeps the newest of several, retire alone ends the only one', async () => {
    await made();
    await made();
    const asked = await hooks('retire', 'uptime-kuma');
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('--old') });
    expect((await hooks('retire', 'uptime-kuma', '--old')).code).toBe(0);
    expect(readFileSync(fragment(), 'utf8').match(/sha256:/g)).toHaveLength(1);
    expect((await hooks('retire', 'uptime-kuma')).code).toBe(0);
    expect(existsSync(fragment())).toBe(false);
  });

  it.each<[string, string[], string]>([
    ['a sender that is no name', ['new', '--for', '../x'], 'cannot name a sender'],
    ['every hook', ['new', '--for', 'x', '--hooks', '*'], 'must name its hooks'],
    ['a day that is none', ['new', '--for', 'x', '--not-after', '2099-02-45'], 'is no date'],
    ['a day that is over', ['new', '--for', 'x', '--not-after', '2020-01-01'], 'is over already'],
    ['hooks of nobody', ['new', '--hooks', 'wake'], 'need --for'],
    ['nobody to retire', ['retire', 'x'], 'there is no sender "x"'],
  ])('refuses %s, and changes nothing', async (_title, args, sentence) => {
    const { code, out, err } = await hooks(...args);
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toContain(sentence);
    expect(existsSync(join(dir.path, 'gateway.d'))).toBe(false);
  });

  it('edits nobody else: a sender of gateway.json5 is changed there', async () => {
    const tokens = [{ id: 'ci', token: 'a-token-of-the-tests-for-ci', hooks: ['wake'] }];
    dir.write('gateway.json5', { hooks: { enabled: true, tokens } });
    expect(await hooks('new', '--for', 'ci')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('gateway.json5 has the sender "ci"'),
    });
    expect(await hooks('retire', 'ci')).toMatchObject({
      code: 1,
      err: expect.stringContaining('gateway.json5 has the sender "ci"'),
    });
  });
});

describe('a running service', () => {
  it('takes a new token in, keeps its last use over a stop, and forgets a retired one', async () => {
    const service = await ServedGateway.start(dir.path);
    const ask = async (hook: string, token: string): Promise<number> =>
      (await service.post(`/hooks/${hook}`, { text: 'x' }, { token })).status;
    try {
      const token = await made();
      await eventually('the token counts', async () =>
        (await ask('uptime-kuma', token)) === 200 ? true : undefined,
      );
      expect(await ask('wake', token)).toBe(401);
      const env = { GATEWAY_PORT: new URL(service.url).port };
      const listed = await hooksCall(['token', 'list', '--json'], { cwd: dir.path, env });
      expect(JSON.parse(listed.stdout).tokens).toMatchObject([
        { id: null, lastUsedAt: null },
        { id: 'uptime-kuma', lastUsedAt: expect.stringContaining('T') },
      ]);
      expect((await hooks('retire', 'uptime-kuma')).code).toBe(0);
      await eventually('the token no longer counts', async () =>
        (await ask('uptime-kuma', token)) === 401 ? true : undefined,
      );
      expect(await ask('uptime-kuma', HOOK_TOKEN)).toBe(200);
    } finally {
      await service.stop();
    }
    const { tokens } = JSON.parse((await hooks('list', '--json')).out);
    expect(tokens).toMatchObject([{ id: null, lastUsedAt: expect.stringContaining('T') }]);

    // The id was used: whoever gets it next is told from a new sender by nobody.
    const again = await hooks('new', '--for', 'uptime-kuma');
    const INHERITED =
      /uptime-kuma had other secrets until \d{4}-\d\d-\d\d, .*: a new sender gets a new id/;
    expect(again).toMatchObject({ code: 0, err: expect.stringMatching(INHERITED) });
    expect((await hooks('new', '--for', 'another')).err).not.toContain('a new sender');
    const doctor = await hooksCall(['doctor', '--offline', '--json'], { cwd: dir.path });
    expect(doctor.stdout).toMatch(INHERITED);
    const next = await ServedGateway.start(dir.path);
    await eventually('the service says so, too', () =>
      next.log.lines.join().includes('a new sender gets a new id'),
    );
    await next.stop();
  });
});

describe('hooks token of operators', () => {
  const file = (): string => join(dir.path, 'gateway.d', 'operator-ana.json5');
  const newFor = (...args: string[]) => hooks('new', '--operator', 'ana', ...args);

  it('new --operator prints a token once, keeps its digest, and a second takes its place', async () => {
    const { code, out, err } = await newFor('--role', 'read');
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('ana may read') });
    expect(out).toMatch(/^[\w-]{43}$/);
    const text = readFileSync(file(), 'utf8');
    expect(text).toMatch(/id: 'ana',[^]*role: 'read',[^]*token: 'sha256:[0-9a-f]{64}'/);
    expect(text).not.toContain(out);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const second = await newFor('--role', 'configure', '--json');
    expect(second.err).toContain('the token before counts no more');
    expect(JSON.parse(second.out)).toEqual({
      token: expect.any(String),
      id: 'ana',
      role: 'configure',
      file: 'gateway.d/operator-ana.json5',
    });
    expect(readFileSync(file(), 'utf8')).not.toContain(text.match(/sha256:\w+/)![0]);
    expect(await hooks('retire', 'ana', '--operator')).toMatchObject({ code: 0 });
    expect(existsSync(file())).toBe(false);
    expect(await hooks('retire', 'ana', '--operator')).toMatchObject({ code: 1 });
  });

  it.each([
    ['a role that there is not', ['--role', 'root'], 2],
    ['no role', [], 2],
    ['hooks', ['--role', 'read', '--hooks', 'wake'], 2],
    ['an end that is over', ['--role', 'read', '--not-after', '2026-01-31'], 1],
    ['an end that is none', ['--role', 'read', '--not-after', 'soon'], 1],
  ])('refuses %s, and writes nothing', async (_, args, code) => {
    expect((await newFor(...args)).code).toBe(code);
    expect(existsSync(file())).toBe(false);
  });

  it('has an end where it is given one', async () => {
    expect((await newFor('--role', 'read', '--not-after', '2999-01-31')).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).toContain("notAfter: '2999-01-31'");
  });

  it('refuses names that the audit has for something else', async () => {
    const { code, err } = await hooks('new', '--operator', 'files', '--role', 'read');
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('choose another'),
    });
    expect(existsSync(join(dir.path, 'gateway.d', 'operator-files.json5'))).toBe(false);
  });

  it('is good for --token-file, as much as its role says', async () => {
    await using service = await ServedGateway.start(dir.path);
    const { out } = await newFor('--role', 'read');
    const tokenFile = join(dir.path, 'ana.token');
    writeFileSync(tokenFile, out, { mode: 0o600 });
    const as = async (...args: string[]) => {
      const options = ['--url', service.url, '--token-file', tokenFile];
      return hooksCall([...args, ...options], { cwd: dir.path });
    };
    const isIn = async () => (await as('events', 'list')).code === 0;
    expect(await eventually('the token is in force', isIn)).toBe(true);
    const { code, stderr } = await as('pause');
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs operate'),
    });
  });
});
