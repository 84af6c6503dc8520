import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import JSON5 from 'json5';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';

const FRAGMENT = 'gateway.d/import.json5';
const TOKEN = 'the-hook-token-of-the-other-gateway';
const THEIRS = {
  hooks: {
    enabled: true,
    token: TOKEN,
    defaultSessionKey: 'hook:ingress',
    presets: ['gmail'],
    mappings: [
      { id: 'ci', match: { path: 'ci' }, messageTemplate: 'Build {{ id }}', channel: 'telegram' },
      { id: 'code', match: { path: 'code' }, transform: { module: 'code.js' } },
    ],
    gmail: { account: 'me@gmail.com', pushToken: 'their-push-token' },
  },
};

let dir: ConfigDirectory;
let theirs: ConfigDirectory;
beforeEach(() => {
  dir = new ConfigDirectory();
  theirs = new ConfigDirectory().write('openclaw.json', THEIRS);
});
afterEach(() => {
  dir[Symbol.dispose]();
  theirs[Symbol.dispose]();
});

function hooks(...args: string[]): ReturnType<typeof hooksCall> {
  return hooksCall(args, { cwd: dir.path });
}

function importing(...args: string[]): ReturnType<typeof hooksCall> {
  return hooks('import', join(theirs.path, 'openclaw.json'), ...args);
}

function written(name: string): string {
  return readFileSync(join(dir.path, name), 'utf8');
}

describe('hooks import', () => {
  it('shows what would be written and what is left, without a trace and without a secret', async () => {
    const { code, stdout, stderr } = await importing();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('gateway.json5 (new, mode 0600)');
    expect(stdout).toContain("+     token: '***',");
    expect(stdout).toContain('gateway.d/import.json5 (mode 0600)');
    expect(stdout).toContain("+         id: 'ci',");
    expect(stdout).toContain('telegram is chan_2 here');
    expect(stdout).toContain('copy the module into the transforms directory');
    expect(stdout).not.toMatch(new RegExp(`${TOKEN}|their-push-token`));
    expect(await readdir(dir.path)).toEqual([]);
  });

  it('writes what config check calls fine, and nothing more the second time', async () => {
    expect((await importing('--write')).code).toBe(0);
    expect((await hooks('config', 'check')).code).toBe(0);
    expect((await readdir(dir.path)).toSorted()).toEqual(['gateway.d', 'gateway.json5']);
    for (const name of ['gateway.json5', FRAGMENT]) {
      expect(statSync(join(dir.path, name)).mode & 0o777).toBe(0o600);
    }
    expect(JSON5.parse(written('gateway.json5'))).toEqual({
      hooks: { token: TOKEN, enabled: true, defaultSessionKey: 'hook:ingress' },
    });
    const once = written('gateway.json5') + written(FRAGMENT);
    expect((await importing('--write')).stderr).toContain('nothing to write');
    expect(written('gateway.json5') + written(FRAGMENT)).toBe(once);
  });

  it('shows no secret that it wrote in config show', async () => {
    await importing('--write');
    const { code, stdout } = await hooks('config', 'show');
    expect(code).toBe(0);
    expect(stdout).not.toContain(TOKEN);
    expect(stdout).toContain('// defaults, gateway.json5, gateway.d/import.json5\n  hooks:');
  });

  it('takes up a mapping with a transform once its module is there', async () => {
    await importing('--write');
    expect(written(FRAGMENT)).not.toContain('code.js');
    dir.writeTransform('code.js', 'export default () => null;');
    expect((await importing('--write')).code).toBe(0);
    expect(written(FRAGMENT)).toContain("module: 'code.js'");
  });

  it('keeps every byte of the gateway.json5 and the .env that are there', async () => {
    const text =
      "// ours\n{\n  hooks: {\n    path: '/in', // kept\n    token: '${OURS}',\n  },\n  /* last */\n}\n";
    dir.write('gateway.json5', text).write('.env', `OURS=${TOKEN}\n`);
    const { code, stdout } = await importing('--write');
    expect(code).toBe(0);
    expect(written('gateway.json5')).toBe(text);
    expect(written('.env')).toBe(`OURS=${TOKEN}\n`);
    // The token is the same, though it is written otherwise.
    expect(stdout).not.toContain('hooks.token');
    expect(JSON5.parse(written(FRAGMENT))).toMatchObject({
      hooks: { enabled: true, defaultSessionKey: 'hook:ingress', presets: ['mail'] },
    });
  });

  it('says what is written otherwise in gateway.json5, and never edits it', async () => {
    const text =
      "{ hooks: { token: 'written-out-and-long-enough-1', defaultSessionKey: 'hook:x' } }";
    dir.write('gateway.json5', text);
    const { code, stdout } = await importing('--write');
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '- hooks.token: gateway.json5 says something else, which is left as it is → change hooks.token there',
    );
    expect(stdout).toContain('hooks.defaultSessionKey: gateway.json5 says something else');
    expect(stdout).not.toMatch(new RegExp(`${TOKEN}|written-out`));
    expect(written('gateway.json5')).toBe(text);
    expect((await hooks('config', 'check')).code).toBe(0);
  });

  it('says what only a person can add to gateway.json5', async () => {
    dir.write('gateway.json5', '{ gateway: { port: 4711 } }');
    const { stdout } = await importing('--write');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /hooks\.token: is left out, since it would be refused: hooks\.token .* → add it by hand/,
    );
    expect(stdout).not.toContain(TOKEN);
    expect(written('gateway.json5')).toBe('{ gateway: { port: 4711 } }');
  });

  it('says a name of a file on one line, and steers nothing with it', async () => {
    const { code, stderr } = await hooks('import', 'no\nerror: such\u001b[2J\u009bfile');
    expect(code).toBe(1);
    expect(stderr.split('\n').filter((line) => line.startsWith('error:'))).toHaveLength(1);
    for (const sign of ['\u001b', '\u009b']) expect(stderr).not.toContain(sign);
  });

  it('prints one JSON document', async () => {
    const { code, stdout } = await importing('--json');
    const report = JSON.parse(stdout) as { notes: object[] };
    expect({ code, ...report }).toMatchObject({
      code: 0,
      file: join(dir.path, FRAGMENT),
      written: false,
      gateway: expect.stringContaining("token: '***'"),
      fragment: expect.stringContaining("id: 'ci'"),
      problems: [],
    });
    expect(report.notes.length).toBeGreaterThan(3);
    expect(stdout).not.toContain(TOKEN);
  });
});

describe('hooks import --write at a terminal', () => {
  it.each([
    ['y', true],
    ['n', false],
    [KEYS.ctrlC, false],
  ])('asks first; after %j it has written: %s', async (answer, isWritten) => {
    const file = join(theirs.path, 'openclaw.json');
    using terminal = new TypedTerminal(['import', file, '--write'], dir.path);
    await terminal.answer('Write this?', answer);
    expect(await terminal.ended()).toBe(answer === KEYS.ctrlC ? 130 : 0);
    expect(await readdir(dir.path)).toEqual(isWritten ? ['gateway.d', 'gateway.json5'] : []);
  });
});

describe('hooks import refuses', () => {
  it('to write a reference to a variable that nobody has set', async () => {
    theirs.write('openclaw.json', { hooks: { enabled: true, token: '${THEIR_TOKEN}' } });
    const { code, stderr } = await importing('--write');
    expect(code).toBe(1);
    expect(stderr).toContain('hooks.token names the variable THEIR_TOKEN');
    expect(await readdir(dir.path)).toEqual([]);
    dir.write('.env', `THEIR_TOKEN=${TOKEN}\n`);
    const { code: then, stdout } = await importing('--write');
    expect(then).toBe(0);
    expect(stdout).not.toContain(TOKEN);
    expect(JSON5.parse(written('gateway.json5'))).toMatchObject({
      hooks: { token: '${THEIR_TOKEN}' },
    });
  });

  it.each([
    ['no such file', undefined, 'ENOENT'],
    ['a broken file', '{ hooks: ', 'invalid end of input'],
    ['a file without hooks', { gateway: {} }, 'has no section "hooks"'],
    ['a section that is elsewhere', { hooks: { $include: './h.json' } }, '$include'],
  ])('%s', async (_, content, sentence) => {
    if (content === undefined) theirs.remove('openclaw.json');
    else theirs.write('openclaw.json', content);
    const { code, stdout, stderr } = await importing('--write');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(await readdir(dir.path)).toEqual([]);
  });

  it('to build on a gateway.json5 that has problems itself', async () => {
    dir.write('gateway.json5', '{ hooks: { nonsense: 1 } }');
    const { code, stderr } = await importing('--write');
    expect(code).toBe(1);
    expect(stderr).toContain('hooks config check');
    expect(written('gateway.json5')).toBe('{ hooks: { nonsense: 1 } }');
  });

  it('a command line without a file', async () => {
    expect((await hooks('import')).code).toBe(2);
  });
});
