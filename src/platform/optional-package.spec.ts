import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OPTIONAL_PACKAGES, loadInRange, loadOptionalPackage } from './optional-package.ts';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'optional-'))));
afterEach(() => rmSync(directory, { recursive: true }));

/** Puts a package into a node_modules of its own. */
function install(name: string, version: string, source = `export const version = '${version}';`) {
  const root = join(directory, 'node_modules', name);
  mkdirSync(root, { recursive: true });
  const manifest = { name, version, type: 'module', exports: './index.js' };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(root, 'index.js'), source);
}

/** Loads as a module in that directory would. */
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

  it('that lacks one of its own parts is not called missing', async () => {
    install('sdk', '1.0.0', 'import "./part.js";');
    await expect(load('sdk', '^1.0.0')).rejects.not.toMatchObject({ name: 'OptionalPackageError' });
  });

  it('that was bundled has no package.json, and is taken as it is', async () => {
    const from = pathToFileURL(join(directory, 'app.js')).href;
    const bundled = { version: 'unknown' };
    expect(await loadInRange('sdk', '^1.0.0', async () => bundled, from)).toBe(bundled);
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
