// Builds dist when a source is newer than it. A service that runs from dist keeps its files under it otherwise.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';

const built = statSync('dist/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
// After `npm ci --omit=dev` there is no compiler: what was built before is what runs.
const canBuild = existsSync('node_modules/@nestjs/cli');
const sources = ['src', 'console'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => `${root}/${name}`),
);
// A directory is newer when something in it was removed.
const newest = [...sources, 'src', 'console', 'tsconfig.json', 'nest-cli.json', 'package-lock.json']
  .map((path) => statSync(path).mtimeMs)
  .reduce((latest, time) => Math.max(latest, time));

if (!canBuild && built === 0) {
  process.stderr.write(
    'There is no dist: run "npm ci && npm run build" before "npm ci --omit=dev".\n',
  );
  process.exitCode = 1;
} else if (canBuild && newest > built) {
  // By the npm that runs this script: on Windows `npm` is no program that could be started without a shell.
  const { npm_execpath: npm } = process.env;
  const [program, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const shell = npm === undefined && process.platform === 'win32';
  const { status, error } = spawnSync(program, [...args, 'run', '--silent', 'build'], {
    stdio: 'inherit',
    shell,
  });
  if (status !== 0) {
    const why = error === undefined ? '' : ` (npm could not be started: ${error.code})`;
    process.stderr.write(`The build failed${why}. Run "npm run build" to see why.\n`);
  }
  process.exitCode = status ?? 1;
}
