import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPTIONAL_PACKAGES } from '../../src/platform/optional-package.ts';
import { nodeRefusal } from '../../src/platform/node-version.ts';
import type { Occupied } from './support/occupied.ts';
import { occupied } from './support/occupied.ts';
import {
  FACES,
  NEST,
  ROOT,
  TAKEN,
  TARBALL,
  beginProject,
  manifest,
  newDirectory,
  pinned,
  run,
  runToItsEnd,
} from './support/packed.ts';

const SUPPORT = join(ROOT, 'test/package/support');
const VITEST = '5.1.1';
/** Oldest and newest line of Node that are too old, each with its own idea of what is missing. */
const OLD_NODES = ['20.20.2', '22.23.2'];

let directory: string;
let project: string;
let nestAlone: Occupied;
let withHooks: Occupied;

const install = (args: readonly string[] = [], into = project) =>
  run('npm', ['install', '--strict-peer-deps', '--no-audit', '--no-fund', ...args], into);

beforeAll(async () => {
  directory = await newDirectory();
  project = join(directory, 'project');
  await mkdir(project);
  await beginProject(project, NEST);
  await install();
  nestAlone = await occupied(project);
  await install([TARBALL]);
  withHooks = await occupied(project);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('installed by a strict npm', () => {
  it('adds at most 22 packages and 50 MB to those of Nest', () => {
    expect(withHooks.packages - nestAlone.packages).toBeLessThanOrEqual(22);
    expect(withHooks.megabytes - nestAlone.megabytes).toBeLessThanOrEqual(50);
  });

  it('adds no package that only some people need', () => {
    const found = Object.keys(OPTIONAL_PACKAGES).filter((name) =>
      existsSync(join(project, 'node_modules', name)),
    );
    expect(found).toEqual([]);
  });

  it('boots and takes requests', async () => {
    await copyFile(join(SUPPORT, 'app.js'), join(project, 'app.js'));
    const { stdout } = await run(process.execPath, ['app.js'], project);
    expect(JSON.parse(stdout)).toEqual(TAKEN);
  });

  it('boots and takes requests with Nest 11', async () => {
    const older = join(directory, 'nest-11');
    await mkdir(older);
    const ranges = Object.entries(NEST).map(([name, range]) => [name, range.split(' || ')[0]!]);
    await beginProject(older, Object.fromEntries(ranges));
    await install([TARBALL], older);
    const core = join(older, 'node_modules/@nestjs/core/package.json');
    expect(JSON.parse(await readFile(core, 'utf8')).version).toMatch(/^11\./);
    await copyFile(join(SUPPORT, 'app.js'), join(older, 'app.js'));
    const { stdout } = await run(process.execPath, ['app.js'], older);
    expect(JSON.parse(stdout)).toEqual(TAKEN);
  });

  it('keeps the names of its classes, which hosts read in logs', async () => {
    const script =
      "import('nestjs-agent-hooks').then((face) => console.log(face.HooksSettings.name))";
    const { stdout } = await run(process.execPath, ['--eval', script], project);
    expect(stdout).toBe('HooksSettings\n');
  });

  it('brings the command hooks', async () => {
    const { stdout } = await run('npx', ['hooks', '--version'], project);
    expect(stdout).toBe(`${manifest.version}\n`);
    const check = await run('npx', ['hooks', 'config', 'check'], project);
    expect(check.stdout).toContain('fine');
    const names = ['ai', '@ai-sdk/openai-compatible', 'grammy'] as const;
    const command = `npm i [-g] ${names.map((name) => `${name}@${OPTIONAL_PACKAGES[name]}`).join(' ')}`;
    const configuration = {
      hooks: { enabled: true, token: 'a-token-of-good-length-for-a-test' },
      agents: { defaults: { model: 'local/small' } },
      models: { providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } } },
      channels: { chan_2: { token: '1:a-token-of-good-length', to: '1' } },
    };
    await writeFile(join(project, 'gateway.json5'), JSON.stringify(configuration), { mode: 0o600 });
    const { stdout: warned } = await run('npx', ['hooks', 'config', 'check'], project);
    // Lines are wrapped for a person; --json gives the command as it is typed.
    expect(warned.replaceAll(/\s+/g, ' ')).toContain(command);
    const asked = ['node_modules/.bin/hooks', 'doctor', '--offline', '--json'];
    const doctor = await runToItsEnd(process.execPath, asked, project);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining(command) });
    await rm(join(project, 'gateway.json5'));
    const schema = await run('npx', ['hooks', 'config', 'schema'], project);
    expect(JSON.parse(schema.stdout)).toHaveProperty('properties.hooks');
  });
});

describe('in a project of TypeScript', () => {
  const options = {
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    types: ['node'],
    noEmit: true,
  };
  const resolutions = {
    nodenext: { module: 'nodenext' },
    bundler: { module: 'esnext', moduleResolution: 'bundler' },
    node10: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  };

  beforeAll(() => install(['--save-dev', ...pinned('typescript', '@types/node')]), 300_000);

  it.each(Object.entries(resolutions))(
    'every face is typed without skipLibCheck, as %s resolves it',
    async (name, resolution) => {
      const place = join(project, name);
      await mkdir(place);
      await copyFile(join(ROOT, 'test/package/consumer.ts.txt'), join(place, 'consumer.ts'));
      const imports = FACES.map((face, index) => `export * as face${index} from '${face}';\n`);
      await writeFile(join(place, 'faces.ts'), imports.join(''));
      await writeFile(
        join(place, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...options, ...resolution } }),
      );
      const tsc = join(project, 'node_modules/typescript/bin/tsc');
      await run(process.execPath, [tsc, '-p', name], project);
    },
  );
});

describe("a host's own suite, without our set-up file", () => {
  beforeAll(
    () => install(['--save-dev', ...pinned('@nestjs/testing'), `vitest@${VITEST}`]),
    300_000,
  );

  it('passes in Jest', async () => {
    await copyFile(join(SUPPORT, 'suite.js'), join(project, 'gateway.jest.js'));
    const config = { testEnvironment: 'node', transform: {}, testMatch: ['**/*.jest.js'] };
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const { stderr } = await run(
      process.execPath,
      ['--experimental-vm-modules', jest, '--rootDir', project, '--config', JSON.stringify(config)],
      project,
    );
    expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
  });

  it('passes in Vitest', async () => {
    await copyFile(join(SUPPORT, 'suite.js'), join(project, 'gateway.vitest.js'));
    const vitest = join(project, 'node_modules/vitest/vitest.mjs');
    const args = [
      'run',
      '--globals',
      '--silent',
      '--reporter',
      'json',
      '--outputFile',
      'passed.json',
    ];
    const config = join(project, 'vitest.config.js');
    await writeFile(config, "export default { test: { include: ['*.vitest.js'] } };\n");
    await run(process.execPath, [vitest, ...args], project);
    const report: unknown = JSON.parse(await readFile(join(project, 'passed.json'), 'utf8'));
    expect(report).toMatchObject({ success: true, numPassedTests: 1 });
  });
});

describe.each(OLD_NODES)('on Node %s', (version) => {
  let node: string;
  beforeAll(async () => {
    const place = join(directory, version);
    await mkdir(place);
    await writeFile(
      join(place, 'package.json'),
      JSON.stringify({ private: true, allowScripts: { node: true } }),
    );
    await run('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], place);
    node = join(place, 'node_modules/node/bin/node');
  });

  const sentence = nodeRefusal(version, 'install a newer Node', 'The package nestjs-agent-hooks');

  it.each(FACES.filter((face) => !face.endsWith('/transform')))(
    'the import of %s ends with one sentence',
    async (face) => {
      const script = `import('${face}').catch((error) => console.log(error.message))`;
      const { stdout, stderr } = await runToItsEnd(node, ['--eval', script], project);
      expect({ stdout, stderr }).toEqual({ stdout: `${sentence}\n`, stderr: '' });
    },
  );

  it('the command ends with one sentence', async () => {
    const hooks = join(project, 'node_modules/nestjs-agent-hooks/dist/cli/hooks.js');
    const { code, stdout, stderr } = await runToItsEnd(node, [hooks, '--help'], project);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^This service needs Node 24\.15 or newer and was started on Node .+\n$/,
    );
    expect(stderr).toContain(version);
  });
});
