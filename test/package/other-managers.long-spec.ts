import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NEST, ROOT, TAKEN, TARBALL, beginProject, newDirectory, run } from './support/packed.ts';

const MANAGERS = ['pnpm@12.21.0', '@yarnpkg/cli-dist@4.18.1'];

let directory: string;
/** Where the package managers are: neither has to be on the machine. */
let managers: string;

beforeAll(async () => {
  directory = await newDirectory();
  managers = join(directory, 'managers');
  await mkdir(managers);
  await beginProject(managers);
  await run('npm', ['install', '--no-audit', '--no-fund', ...MANAGERS], managers);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

async function projectOf(manager: string): Promise<string> {
  const project = join(directory, manager);
  await mkdir(project);
  await beginProject(project, NEST);
  for (const name of ['app.js', 'threads.js'])
    await copyFile(join(ROOT, 'test/package/support', name), join(project, name));
  return project;
}

async function wakeIn(project: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['app.js'], project);
  return JSON.parse(stdout);
}

describe('a Nest application boots and takes a wake', () => {
  it('installed by pnpm, as the README says', async () => {
    const project = await projectOf('pnpm');
    const pnpm = join(managers, 'node_modules/pnpm/bin/pnpm.mjs');
    const store = ['--store-dir', join(directory, 'store')];
    await run(
      process.execPath,
      [pnpm, 'add', '--allow-build=esbuild', '--strict-peer-dependencies', ...store, TARBALL],
      project,
    );
    expect(await wakeIn(project)).toEqual(TAKEN);
  });

  it.each([
    ['into node_modules', 'node-modules'],
    ['with Plug’n’Play', 'pnp'],
  ])('installed by Yarn %s', async (_how, nodeLinker) => {
    const project = await projectOf(`yarn-${nodeLinker}`);
    const yarn = join(managers, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
    // Yarn does not read npm's settings, a registry among them.
    const registry = (await run('npm', ['config', 'get', 'registry'], directory)).stdout.trim();
    const env = {
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ''),
      YARN_GLOBAL_FOLDER: join(directory, 'yarn-cache'),
      YARN_ENABLE_TELEMETRY: '0',
      // In CI it would refuse to write a first yarn.lock.
      YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    };
    await writeFile(join(project, '.yarnrc.yml'), `nodeLinker: ${nodeLinker}\n`);
    await writeFile(join(project, 'yarn.lock'), '');
    const runYarn = (...args: string[]) => run(process.execPath, [yarn, ...args], project, env);
    const { stdout } = await runYarn('add', `nestjs-agent-hooks@file:${TARBALL}`);
    // YN0002: a peer is missing, YN0060: one does not fit, YN0086: some are wrong.
    expect(stdout).not.toMatch(/YN00(?:02|60|86)/);
    const started = await runYarn('node', 'app.js');
    expect(JSON.parse(started.stdout)).toEqual(TAKEN);
    const threads = await runYarn('node', 'threads.js');
    expect(JSON.parse(threads.stdout)).toEqual({ transformed: 200, listed: 1 });
  });
});
