import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, HooksSettings } from '../../src/hooks/index.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import { Hooks } from '../support/hooks.ts';
import { TransformFiles, startWithTransform } from '../support/transforms.ts';

let files: TransformFiles;
let hooks: Hooks | undefined;

beforeEach(() => (files = new TransformFiles().transform(named('first'))));
afterEach(async () => {
  await hooks?.close();
  hooks = undefined;
  files[Symbol.dispose]();
});

function named(name: string): string {
  return `export default () => ({ name: '${name}' });\n`;
}

async function refusal(given: Partial<HooksModuleOptions>): Promise<string> {
  const module = 'never started';
  try {
    hooks = await Hooks.start({ configDir: files.path, ...given });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return module;
}

const through = (module: string, more: object = {}): Partial<HooksModuleOptions> => ({
  mappings: [{ id: 'm', transform: { module } }],
  ...more,
});

async function nameOf(running: Hooks): Promise<unknown> {
  const { eventId, status } = await running.ask('/t', {});
  if (status !== 200) return status;
  return (await running.details(eventId)).actions[0]?.['name'];
}

describe('transform.module is refused at the start, naming mapping and key', () => {
  it.each([
    ['..', '../t.ts'],
    ['.. inside', 'lib/../../t.ts'],
    ['absolute', '/etc/passwd'],
    ['absolute, back out of it', 'ABSOLUTE/../../t.ts'],
    ['absolute beside it', 'ABSOLUTE-evil/t.ts'],
    ['a file URL inside', 'file://ABSOLUTE/t.ts'],
    ['~', '~/t.ts'],
    ['a file URL', 'file:///etc/passwd'],
    ['a data URL', 'data:text/javascript,export default 1'],
    ['an http URL', 'http://127.0.0.1/t.js'],
    ['node:', 'node:fs'],
    ['a drive letter', 'C:\\t.ts'],
    ['a drive letter with a slash', 'c:/t.ts'],
    ['a backslash', '..\\t.ts'],
    ['<root>-evil', '../transforms-evil/t.ts'],
  ])('%s', async (_, module) => {
    files.write('t.ts', named('outside')).write('transforms-evil/t.ts', named('evil'));
    const written = module.replace('ABSOLUTE', join(files.path, 'transforms'));
    const message = await refusal(through(written));
    expect(message).toContain('  mappings[0].transform.module of mapping "m" names');
    expect(message).toMatch(/inside the transforms directory|leads out of the transforms/);
    expect(message.replaceAll(written, '')).not.toContain(files.path);
  });

  it.each([
    ['a file that is not there', 'none.ts', /names no file in the transforms directory/],
    ['a directory', 'lib', /names no file in the transforms directory/],
    ['another kind of file', 'data.json', /only .js, .mjs, .ts, .mts can be loaded/],
  ])('%s', async (_, module, problem) => {
    files.write('transforms/lib/a.ts', '').write('transforms/data.json', '{}');
    expect(await refusal(through(module))).toMatch(problem);
  });

  it('a link that leads out, of the module, a directory or an import', async () => {
    files.write('out/t.ts', named('outside')).write('transforms/i.ts', `export * from './link/t';`);
    symlinkSync(join(files.path, 'out/t.ts'), join(files.path, 'transforms/l.ts'));
    symlinkSync(join(files.path, 'out'), join(files.path, 'transforms/link'));
    const inside = (name: string): string => join(files.path, 'transforms', name);
    for (const module of ['l.ts', 'link/t.ts', 'i.ts', inside('l.ts'), inside('link/t.ts')]) {
      expect(await refusal(through(module))).toContain('is a link that leads out');
    }
  });

  it('an import of a package, a built-in module or a URL, with file, line and column', async () => {
    for (const from of ['node:fs', 'fs', 'lodash', 'http://x/y.js', '/etc/passwd', '#inside']) {
      files.transform(`\nimport x from '${from}';\nexport default () => x;`);
      expect(await refusal(through('t.ts'))).toMatch(/t\.ts:2:15: ".*" is no relative path/);
    }
    files.transform(`export default () => import('node:fs');`);
    expect(await refusal(through('t.ts'))).toContain('t.ts:1:');
  });

  it('code that does not compile, with file, line and column', async () => {
    files.write('transforms/lib/broken.ts', `export const a = 1;\nexport const = 2;\n`);
    files.transform(`export * from './lib/broken';\nexport default () => null;`);
    expect(await refusal(through('t.ts'))).toMatch(/lib\/broken\.ts:2:14: Expected identifier/);
  });

  it('a module without the export', async () => {
    files.transform('export const other = () => null;');
    expect(await refusal(through('t.ts'))).toContain('t.ts, which must export default a function');
  });
});

describe('hooks.transformsDir', () => {
  it.each(['..', '../transforms-evil', '/etc', '~', 'file:///x', 'a/../../b'])(
    '%s is refused',
    async (transformsDir) => {
      expect(await refusal({ transformsDir })).toContain('  transformsDir must stay inside');
    },
  );

  it('is refused when a link leads out, or when it is not there', async () => {
    symlinkSync('/tmp', join(files.path, 'transforms/link'));
    expect(await refusal(through('t.ts', { transformsDir: 'link' }))).toContain('leads out');
    expect(await refusal(through('t.ts', { transformsDir: 'none' }))).toContain('no directory');
  });

  it('is relative to the root or absolute inside it, and the new root of modules', async () => {
    files.write('transforms/mine/t.ts', named('mine')).write('transforms/up.ts', named('up'));
    for (const transformsDir of ['mine', join(files.path, 'transforms/mine')]) {
      hooks = await startWithTransform(files, {}, { transformsDir });
      expect(await nameOf(hooks)).toBe('mine');
      await hooks.close();
      hooks = undefined;
    }
    expect(await refusal(through('../up.ts', { transformsDir: 'mine' }))).toContain('leads out');
  });
});

describe('transform.module', () => {
  it.each([
    ['absolute', 'directory/transforms/t.ts', named('first')],
    ['absolute, by a link to the directory', 'linked/transforms/t.ts', named('first')],
    ['without its extension', undefined, named('first')],
    ['a CommonJS module', undefined, `module.exports = () => ({ name: 'first' });`],
  ])('may be %s', async (_, absolute, text) => {
    files.write('directory/transforms/t.ts', text);
    symlinkSync(join(files.path, 'directory'), join(files.path, 'linked'));
    const module = absolute === undefined ? 't' : join(files.path, absolute);
    const configDir = join(files.path, 'directory');
    hooks = await startWithTransform(files, { transform: { module } }, { configDir });
    expect(await nameOf(hooks)).toBe('first');
  });

  it('is refused from the next request on where a directory of an absolute one becomes a link that leads out', async () => {
    files.write('out/t.ts', named('outside')).write('transforms/lib/t.ts', named('first'));
    const module = join(files.path, 'transforms/lib/t.ts');
    hooks = await startWithTransform(files, { transform: { module } });
    expect(await nameOf(hooks)).toBe('first');
    rmSync(join(files.path, 'transforms/lib'), { recursive: true });
    symlinkSync(join(files.path, 'out'), join(files.path, 'transforms/lib'));
    expect(await nameOf(hooks)).toBe(500);
  });
});

describe('an edited transform', () => {
  it('serves the very next request, an edited import too', async () => {
    files.write('transforms/lib.ts', `export const name = 'one';`);
    files.transform(`import { name } from './lib'; export default () => ({ name });`);
    hooks = await startWithTransform(files);
    expect(await nameOf(hooks)).toBe('one');
    files.write('transforms/lib.ts', `export const name = 'two';`);
    expect(await nameOf(hooks)).toBe('two');
    files.transform(named('three'));
    expect(await nameOf(hooks)).toBe('three');
  });

  it('that does not compile leaves the last good version, and says so in log, details and answer', async () => {
    hooks = await startWithTransform(files);
    files.transform('export default () => ({ name: ;');
    const answer = await hooks.ask('/t', {});
    expect(answer).toMatchObject({
      status: 200,
      warnings: [expect.stringContaining('does not compile; the version before it was used')],
    });
    const { actions, console } = await hooks.details(answer['eventId']);
    expect(actions[0]?.['name']).toBe('first');
    expect(console[0]).toMatch(/the last good version ran: .*t\.ts:1:\d+: Unexpected ";"/);
    expect(hooks.log.lines.join('\n')).toMatch(/t\.ts:1:\d+: Unexpected .*; the last good/);
    files.transform(named('mended'));
    expect(await nameOf(hooks)).toBe('mended');
  });

  it('that is gone leaves the last good version until it is back', async () => {
    hooks = await startWithTransform(files);
    unlinkSync(join(files.path, 'transforms/t.ts'));
    expect(await nameOf(hooks)).toBe('first');
    files.transform(named('back'));
    expect(await nameOf(hooks)).toBe('back');
  });

  it('that became a link out of the directory is refused and not followed', async () => {
    files.write('out.ts', named('outside'));
    hooks = await startWithTransform(files);
    expect(await nameOf(hooks)).toBe('first');
    unlinkSync(join(files.path, 'transforms/t.ts'));
    symlinkSync(join(files.path, 'out.ts'), join(files.path, 'transforms/t.ts'));
    expect(await nameOf(hooks)).toBe(500);
    expect(hooks.log.lines.join('\n')).toContain('refused module');
  });

  it('whose directory became a link elsewhere is refused and not followed', async () => {
    files.write('other/t.ts', named('outside'));
    hooks = await startWithTransform(files);
    const dir = join(files.path, 'transforms');
    renameSync(dir, join(files.path, 'was'));
    symlinkSync(join(files.path, 'other'), dir);
    expect(await nameOf(hooks)).toBe(500);
    rmSync(dir);
    mkdirSync(dir);
    files.transform(named('back'));
    expect(await nameOf(hooks)).toBe('back');
  });
});

describe('a reload of the configuration', () => {
  it('with a transform that is refused leaves the old configuration in force', async () => {
    hooks = await startWithTransform(files);
    const settings = hooks.app.get(HooksSettings);
    const { hooks: before, ...rest } = settings.current;
    const { token, enabled, defaultSessionKey } = before;
    const replaced = settings.replace({
      token,
      enabled,
      defaultSessionKey,
      configDir: rest.configDir,
      mappings: [{ id: 't', transform: { module: '../out.ts' } }],
    });
    await expect(replaced).rejects.toThrow('of mapping "t" names ../out.ts');
    expect(await nameOf(hooks)).toBe('first');
  });
});
