import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

let readme: string;
let dir: string;
let service: ChildProcess;
let origin: string;
let banner = '';

async function start(): Promise<string> {
  service = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
    cwd: dir,
    env: { PATH: process.env['PATH'], GATEWAY_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  const look = (data: Buffer): void => {
    banner += data.toString();
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0];
    if (found !== undefined && banner.includes('operator-token')) resolve(found);
  };
  service.stdout?.on('data', look);
  service.stderr?.on('data', look);
  return promise;
}

function blocks(language: string): string[] {
  const fence = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return Array.from(readme.matchAll(fence), (match) => match[1] ?? '');
}

async function execute(command: string): Promise<unknown> {
  const here = command.replaceAll('http://127.0.0.1:18790', origin);
  const { stdout } = await run('bash', ['-c', here], { cwd: dir });
  return JSON.parse(stdout);
}

beforeAll(async () => {
  readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  dir = await mkdtemp(join(tmpdir(), 'hooks-readme-'));
  origin = await start();
});

afterAll(async () => {
  service.kill('SIGTERM');
  await once(service, 'exit');
  await rm(dir, { recursive: true });
});

describe('README.md', () => {
  it('comes to its first request within 30 lines', () => {
    const lines = readme.split('\n');
    expect(lines.findIndex((line) => line.startsWith('curl'))).toBeLessThan(30);
  });

  it('has commands that do what the answers beside them say, and one that shows what became of them', async () => {
    const curls = blocks('sh').filter((block) => block.startsWith('curl'));
    const answers = blocks('json').map((block): Record<string, unknown> => JSON.parse(block));
    expect(curls).toHaveLength(3);
    for (const [index, shown] of answers.entries()) {
      const got = await execute(curls[index] ?? '');
      expect(Object.keys(got as object)).toEqual(Object.keys(shown));
      expect(got).toMatchObject({ ok: true });
    }
    const { events } = (await execute(curls[2] ?? '')) as { events: { hook: string }[] };
    expect(events.map(({ hook }) => hook)).toEqual(['agent', 'wake']);
  });

  it('prints the same requests at start, and no token', async () => {
    const token = await readFile(join(dir, 'data/hook-token'), 'utf8');
    expect(banner).toContain('$(cat data/hook-token)');
    expect(banner).toContain('/hooks/wake');
    expect(banner).toContain('/hooks/agent');
    expect(banner).not.toContain(token.trim());
  });
});
