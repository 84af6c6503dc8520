// Builds dist when a source is newer than it. A service that runs from dist keeps its files under it otherwise.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';

const built = statSync('dist/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map(
  (name) => `src/${name}`,
);
// A directory is newer when something in it was removed.
const newest = [...sources, 'src', 'tsconfig.json', 'nest-cli.json', 'package-lock.json']
  .map((path) => statSync(path).mtimeMs)
  .reduce((latest, time) => Math.max(latest, time));

if (newest > built) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
