import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DIST = new URL('../../dist/', import.meta.url).href;
const MAIL = ['imapflow', 'mailparser', 'html-to-text', 'css-tree', 'css-select'].map(inModules);
const CHANNELS = ['grammy', '@discordjs/rest', '@slack/web-api'].map(inModules);

function inModules(name: string): string {
  return `/node_modules/${name}/`;
}

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
  for (const packages of [unwanted, ...MAIL, ...CHANNELS]) {
    expect(files.filter((file) => file.match(packages))).toEqual([]);
  }
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

it('channels import their libraries with the first message', async () => {
  const settings = { token: 't', apiRoot: 'http://127.0.0.1:1' };
  const FULL = {
    whatsapp: { ...settings, phoneNumberId: '1' },
    telegram: settings,
    discord: settings,
    slack: settings,
    mattermost: settings,
    signal: { ...settings, account: '+491700000000' },
    imessage: { apiRoot: settings.apiRoot, password: 'p' },
    msteams: { apiRoot: settings.apiRoot, appId: 'a', appSecret: 's' },
    webhook: {
      url: settings.apiRoot,
      secrets: [`whsec_${Buffer.alloc(24).toString('base64')}`],
      allowPrivate: true,
    },
    github: { ...settings, repositories: ['*'] },
    gitlab: { ...settings, repositories: ['*'] },
    gitea: { ...settings, repositories: ['*'] },
    linear: settings,
    jira: { ...settings, account: 'a', accountId: 'b', projects: ['*'] },
  };
  const made = `
const { makeChannel } = await import('${DIST}adapters/channels/providers.js');
const channels = Object.entries(${JSON.stringify(FULL)}).map(([name, given]) => makeChannel(name, given));
for (const channel of channels) channel.parts('Hello');
`;
  const sent = `${made}
const message = { to: '1', text: 'Hello', idempotencyKey: 'k' };
await Promise.allSettled(channels.map((channel) => channel.send(message, AbortSignal.timeout(60_000))));
`;
  for (const [code, imported] of [
    [made, []],
    [sent, CHANNELS],
  ] as const) {
    const files = await filesReadBy(code);
    expect(CHANNELS.filter((name) => files.some((file) => file.includes(name)))).toEqual(imported);
  }
});
