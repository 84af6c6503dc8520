import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DIST = new URL('../../dist/', import.meta.url).href;

async function filesReadBy(code: string): Promise<string[]> {
  const script = `
import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
const files = [];
registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
${code}
writeSync(2, '\\n' + JSON.stringify(files));
process.exit();
`;
  const args = ['--input-type=module', '-e', script];
  const { stderr } = await run(process.execPath, args, { cwd: directory });
  return JSON.parse(stderr.split('\n').at(-1)!);
}

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'hooks-imports-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

it('a start reads few files of ours, and nothing that only some configurations need', async () => {
  const files = await filesReadBy(`
const { StopRequest } = await import('${DIST}platform/stop-request.js');
const stop = new StopRequest();
const { start } = await import('${DIST}service/start.js');
const env = { GATEWAY_CONFIG_DIR: process.cwd(), GATEWAY_PORT: '0' };
await start({ env, cwd: process.cwd(), stop });
`);
  const ours = files.filter((file) => file.startsWith(DIST));
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.length).toBeLessThanOrEqual(20);
  const code = ours.map((file) => readFileSync(new URL(file), 'utf8')).join('');
  expect(code).toContain('ledger.db');
  expect(code).not.toContain('pg_advisory_xact_lock');
  const unwanted =
    /\/node_modules\/(?:class-validator|libphonenumber-js|uuid|esbuild|quickjs-wasi)\//;
  expect(files.filter((file) => unwanted.test(file))).toEqual([]);
});

it('a command reads few files, and nothing of what serves requests', async () => {
  const files = await filesReadBy(`
const { runCli } = await import('${DIST}cli/run-cli.js');
const { env, stdin, stdout, stderr } = process;
await runCli({ args: ['config', 'check'], env, cwd: process.cwd(), streams: { stdin, stdout, stderr } });
`);
  const ours = files.filter((file) => file.startsWith(DIST));
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.length).toBeLessThanOrEqual(30);
  const unwanted = /\/node_modules\/(?:@nestjs\/(?!common\/)|fastify|class-validator)/;
  expect(files.filter((file) => unwanted.test(file))).toEqual([]);
});
