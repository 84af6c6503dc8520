// Puts other programs into a folder, never into the system; what is there already is used again.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 300_000;

/**
 * A package from npm, no script run.
 * @param absent names of dependencies that no registry has and that what is measured does not use; each becomes an empty
 * package.
 * @param instead versions of dependencies where the newest that fits is no good, by name
 * @returns its version and its own directory.
 */
export async function fromNpm(
  folder,
  name,
  { version = 'latest', absent = [], instead = {} } = {},
) {
  const dir = join(folder, `${name}-${version}`);
  const home = join(dir, 'node_modules', name);
  const manifest = join(home, 'package.json');
  const done = join(dir, 'installed');
  if (!existsSync(done)) {
    mkdirSync(dir, { recursive: true });
    const empty = absent.map((missing) => [missing, emptyPackage(dir, missing)]);
    const overrides = { ...instead, ...Object.fromEntries(empty) };
    const own = { private: true, dependencies: { [name]: version }, overrides };
    writeFileSync(join(dir, 'package.json'), JSON.stringify(own));
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', ['install', ...quiet], { cwd: dir, timeout: INSTALL_MS });
    writeFileSync(done, '');
  }
  return { version: JSON.parse(readFileSync(manifest, 'utf8')).version, home };
}

function emptyPackage(dir, name) {
  const home = join(dir, 'absent', name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version: '0.0.0' }));
  writeFileSync(join(home, 'index.js'), '');
  return `file:./absent/${name}`;
}

/** A package of Debian, unpacked. @returns its version and the directory that stands for `/`. */
export async function fromDebian(folder, name) {
  const root = join(folder, `${name}-debian`);
  mkdirSync(root, { recursive: true });
  const find = () => readdirSync(root).find((file) => file.endsWith('.deb'));
  if (find() === undefined) await run('apt-get', ['download', name], { cwd: root });
  const { stdout } = await run('dpkg-deb', ['-f', find(), 'Version'], { cwd: root });
  await run('dpkg-deb', ['-x', find(), '.'], { cwd: root });
  return { version: stdout.trim(), home: root };
}
