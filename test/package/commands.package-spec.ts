import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { atLast } from '../support/eventually.ts';
import { KEYS, TypedTerminal } from '../support/typed-terminal.ts';
import { ROOT, TARBALL, newDirectory, run, userEnvironment } from './support/packed.ts';

let directory: string;
beforeAll(async () => (directory = await newDirectory()));
afterAll(() => rm(directory, { recursive: true, force: true }));

async function copyOfCheckout(name: string): Promise<string> {
  const place = join(directory, name);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT });
  for (const path of stdout.split('\0').filter((path) => path && existsSync(join(ROOT, path)))) {
    await mkdir(join(place, dirname(path)), { recursive: true });
    await cp(join(ROOT, path), join(place, path));
  }
  return place;
}

async function lives(program: string, args: readonly string[], cwd: string): Promise<unknown> {
  const env = { ...userEnvironment(), GATEWAY_PORT: '0' };
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} does not start`);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)));
  try {
    const url = await atLast(
      'the service listens',
      () => /Listening on (?<url>\S+)/.exec(output)?.groups?.['url'],
    );
    const { status } = await fetch(`${url}/health/live`);
    process.kill(pid, 'SIGTERM');
    await closed;
    return { status, code: child.exitCode, isOrderly: output.includes('finishing what runs') };
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')} said:\n${output}`, { cause: error });
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
  }
}

it('a clean checkout starts with npm start, which builds it', async () => {
  const checkout = await copyOfCheckout('checkout');
  // `npm ci` made them: it is the first step of .ci/run.
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  expect(await lives('npm', ['start'], checkout)).toMatchObject({ status: 200, isOrderly: true });
});

it('a built checkout starts after npm ci --omit=dev', async () => {
  const checkout = await copyOfCheckout('production');
  await cp(join(ROOT, 'dist'), join(checkout, 'dist'), { recursive: true });
  await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], checkout);
  expect(existsSync(join(checkout, 'node_modules/grammy'))).toBe(false);
  expect(existsSync(join(checkout, 'node_modules/typescript'))).toBe(false);
  expect(await lives('npm', ['start'], checkout)).toMatchObject({ status: 200, isOrderly: true });
});

async function asks(command: readonly [string, ...string[]], cwd: string): Promise<void> {
  using terminal = new TypedTerminal(['setup'], cwd, userEnvironment(), command);
  await terminal.answer('Which model answers?', KEYS.ctrlC);
  expect(await terminal.ended()).toBe(130);
}

it('installed into an empty directory, hooks setup asks its first question', async () => {
  const place = join(directory, 'empty');
  await mkdir(place);
  await run('npm', ['install', '--no-audit', TARBALL], place);
  await asks(['npx', 'hooks'], place);
});

describe('installed globally from the packed file', () => {
  let hooks: string;
  beforeAll(async () => {
    const prefix = join(directory, 'global');
    await run('npm', ['install', '-g', '--no-audit', '--prefix', prefix, TARBALL], directory);
    hooks = join(prefix, 'bin/hooks');
  });

  it('hooks --help says what it can do', async () => {
    const { stdout } = await run(hooks, ['--help'], directory);
    expect(stdout).toContain('start');
    expect(stdout).toContain('doctor');
  });

  it('hooks setup asks its first question', async () => {
    const place = join(directory, 'setup');
    await mkdir(place);
    await asks([hooks], place);
  });

  it('hooks start runs the service, and SIGTERM ends it', async () => {
    const place = join(directory, 'gateway');
    await mkdir(place);
    expect(await lives(hooks, ['start'], place)).toEqual({ status: 200, code: 0, isOrderly: true });
    expect(await readFile(join(place, 'data/hook-token'), 'utf8')).not.toBe('');
  });
});
