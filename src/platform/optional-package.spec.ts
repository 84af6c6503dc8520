import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  OPTIONAL_PACKAGES,
  installCommand,
  loadInRange,
  loadOptionalPackage,
  missingPackages,
} from './optional-package.ts';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'optional-'))));
afterEach(() => rmSync(directory, { recursive: true }));

function install(
  name: string,
  version: string,
  source = `export const version = '${version}';`,
  parts: readonly string[] = [],
) {
  const root = join(directory, 'node_modules', name);
  mkdirSync(root, { recursive: true });
  const dependencies = Object.fromEntries(parts.map((part) => [part, '*']));
  const manifest = { name, version, type: 'module', exports: './index.js', dependencies };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(root, 'index.js'), source);
}

async function load(name: string, range: string): Promise<unknown> {
  const entry = join(directory, 'node_modules', name, 'index.js');
  const from = pathToFileURL(join(directory, 'app.js')).href;
  return loadInRange(name, range, () => import(entry), from);
}

describe('an optional package', () => {
  it('is imported, whatever its exports hide', async () => {
    install('@fake/sdk', '1.46.2');
    expect(await load('@fake/sdk', '^1.46.0')).toMatchObject({ version: '1.46.2' });
  });

  it('that is missing is named, with what to type', async () => {
    writeFileSync(join(directory, 'package.json'), '{"name":"nestjs-agent-hooks"}');
    writeFileSync(join(directory, 'app.js'), '');
    await expect(load('@fake/sdk', '^1.46.0')).rejects.toMatchObject({
      name: 'OptionalPackageError',
      message:
        'the package @fake/sdk is not installed, install it with: npm i [-g] @fake/sdk@^1.46.0',
    });
  });

  it.each([
    ['1.46.0', '^1.46.0', true],
    ['1.47.0', '^1.46.3', true],
    ['1.46.10', '^1.46.9', true],
    ['1.46.0-beta.1', '^1.46.0', true],
    ['1.45.9', '^1.46.0', false],
    ['1.46.2', '^1.46.3', false],
    ['2.0.0', '^1.46.0', false],
    ['0.9.0', '^1.46.0', false],
    ['0.15.4', '^0.15.1', true],
    ['0.16.0', '^0.15.1', false],
    ['0.0.4', '^0.0.3', false],
  ])('of version %s for %s: %s', async (version, range, fits) => {
    install('sdk', version);
    const loading = load('sdk', range).then(
      () => 'loaded',
      (error: Error) => error.message,
    );
    const refused = `the package sdk is installed as ${version}, install it with: npm i [-g] sdk@${range}`;
    expect(await loading).toBe(fits ? 'loaded' : refused);
  });

  it('that breaks while it is imported says so itself', async () => {
    install('sdk', '1.0.0', 'throw new Error("broken inside");');
    await expect(load('sdk', '^1.0.0')).rejects.toThrow('broken inside');
  });

  it('that lacks one of its own files is not called missing', async () => {
    install('sdk', '1.0.0', 'import "./part.js";');
    await expect(load('sdk', '^1.0.0')).rejects.toThrow(
      /^the package sdk was not found when it was first needed: restart the service/,
    );
  });

  it('that npm has not finished is not imported', async () => {
    install('sdk', '1.0.0', undefined, ['part']);
    const unfinished =
      'the package sdk is installed without its part part, install it with: npm i [-g] sdk@^1.0.0';
    await expect(load('sdk', '^1.0.0')).rejects.toThrow(unfinished);
    install('part', '1.0.0', undefined, ['sdk']);
    expect(await load('sdk', '^1.0.0')).toMatchObject({ version: '1.0.0' });
  });

  it.each(['package', 'part'])(
    'that is installed while the process runs is taken without a restart (%s)',
    async (late) => {
      if (late === 'part') install('sdk', '1.0.0', 'export * from "part";', ['part']);
      mkdirSync(join(directory, 'node_modules', 'other'), { recursive: true });
      writeFileSync(join(directory, 'package.json'), '{"name":"nestjs-agent-hooks"}');
      const optional = new URL('./optional-package.ts', import.meta.url).href;
      const program = `
        import { loadInRange } from ${JSON.stringify(optional)};
        const load = () =>
          loadInRange('sdk', '^1.0.0', () => import('./uses-sdk.mjs'), import.meta.url)
            .then(({ version }) => version, ({ message }) => message);
        console.log(await load());
        process.stdin.once('data', async () => { console.log(await load()); process.exit(); });`;
      writeFileSync(join(directory, 'uses-sdk.mjs'), 'export * from "sdk";');
      writeFileSync(join(directory, 'app.mjs'), program);
      const child = spawn(process.execPath, [join(directory, 'app.mjs')]);
      const said = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
      const state = late === 'part' ? 'installed without its part part' : 'not installed';
      expect((await said.next()).value).toContain(`the package sdk is ${state}`);
      if (late === 'part') install('part', '2.0.0');
      else install('sdk', '1.0.0');
      child.stdin.write('again');
      expect((await said.next()).value).toBe(late === 'part' ? '2.0.0\n' : '1.0.0\n');
    },
  );

  it('that was bundled has no package.json, and is taken as it is', async () => {
    const from = pathToFileURL(join(directory, 'app.js')).href;
    const bundled = { version: 'unknown' };
    expect(await loadInRange('sdk', '^1.0.0', async () => bundled, from)).toBe(bundled);
  });
});

describe('several packages', () => {
  it('that are missing, or too old, are installed by one command', () => {
    install('ai', '7.1.0');
    install('grammy', '1.2.0');
    const from = pathToFileURL(join(directory, 'app.js')).href;
    const missing = missingPackages(['ai', 'grammy', 'pg'], from);
    expect(missing).toEqual(['grammy', 'pg']);
    expect(installCommand(missing)).toBe(
      `npm i [-g] grammy@${OPTIONAL_PACKAGES.grammy} pg@${OPTIONAL_PACKAGES.pg}`,
    );
  });
});

describe('the table of optional packages', () => {
  it('holds caret ranges only', () => {
    for (const range of Object.values(OPTIONAL_PACKAGES))
      expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
  });

  it('fits what this checkout has installed', async () => {
    for (const name of Object.keys(OPTIONAL_PACKAGES) as (keyof typeof OPTIONAL_PACKAGES)[]) {
      expect(await loadOptionalPackage(name, async () => name)).toBe(name);
    }
  });
});
