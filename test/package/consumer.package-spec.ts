import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
const PEERS = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@nestjs/testing',
  'fastify',
  'reflect-metadata',
  'rxjs',
  'typescript',
  '@types/node',
];

let consumer: string;

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'hooks-consumer-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', consumer], {
    cwd: ROOT,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const dependencies = Object.fromEntries(PEERS.map((name) => [name, devDependencies[name]]));
  await writeFile(
    join(consumer, 'package.json'),
    JSON.stringify({
      type: 'module',
      private: true,
      dependencies: { ...dependencies, 'nestjs-agent-hooks': `file:./${filename}` },
    }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: consumer });
  await mkdir(join(consumer, 'src'));
  await cp(join(ROOT, 'test/package/consumer.ts.txt'), join(consumer, 'src/consumer.ts'));
  await cp(join(ROOT, 'test/package/consumer-tsconfig.json'), join(consumer, 'tsconfig.json'));
}, 300_000);

afterAll(() => rm(consumer, { recursive: true, force: true }));

describe('the packed module in a consumer project', () => {
  it('is typed for a strict TypeScript project', async () => {
    const tsc = join(consumer, 'node_modules/typescript/bin/tsc');
    await expect(run(process.execPath, [tsc, '-p', '.'], { cwd: consumer })).resolves.toBeDefined();
  }, 120_000);

  it('takes a wake and says so in its story', async () => {
    const { stdout } = await run(process.execPath, ['dist/consumer.js'], { cwd: consumer });
    expect(JSON.parse(stdout)).toEqual({ status: 200, hook: 'wake', event: 'done' });
  }, 60_000);

  it('brings the command hooks', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    // The consumer has no Node of its own: npx runs the command with the first one of PATH.
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
    const npx = await run('npx', ['hooks', '--version'], { cwd: consumer, env });
    expect(npx.stdout).toBe(`${version}\n`);
    const check = await run('npx', ['hooks', 'config', 'check'], { cwd: consumer, env });
    expect(check.stdout).toContain('fine');
    const schema = await run('npx', ['hooks', 'config', 'schema'], { cwd: consumer, env });
    expect(JSON.parse(schema.stdout)).toHaveProperty('$defs.HooksOptions');
  }, 60_000);

  it('brings no test, no source map and no file of the service into the package', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT });
    const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { files: { path: string }[] },
    ];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain('dist/index.js');
    expect(paths.filter((path) => /\.spec\.|^test\/|^data\/|\.env$/.test(path))).toEqual([]);
  }, 120_000);
});
