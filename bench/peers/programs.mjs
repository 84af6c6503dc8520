// The programs that take webhooks, each set up to do the least that makes it answer an authorized POST to /hooks/wake. All
// run on the Node of this project, but for the one that is not a Node program.
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Server } from '../server.mjs';
import { HERE, REQUESTS, TOKEN, startFloor, startNest, startService } from '../services.mjs';
import { fromDebian, fromNpm } from './install.mjs';
import { askOperator, searchFiles } from './kept.mjs';

/** A dependency of OpenClaw's WhatsApp channel that comes from a Git repository; no channel is switched on here. */
const LIBSIGNAL = 'libsignal';

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} does what a 200 of it means.
 * @property {(folder: string) => Promise<{ version: string, home: string }>} install
 * @property {(home: string, dir: string) => Promise<Server>} start in a directory that outlives the server.
 * @property {(server: Server, accepted: readonly Accepted[]) => Promise<number>} [kept] how many it still has after it
 * was killed and started again; absent: it is not asked.
 * @property {number} [seconds] most seconds of load at a time
 */

/** @type {readonly Program[]} */
export const PROGRAMS = [
  {
    name: 'bare Fastify',
    does: 'parses the JSON and answers',
    install: () => dependency('fastify'),
    start: () => startFloor(),
  },
  {
    name: 'bare Nest behind a guard',
    does: 'compares a token, parses the JSON and answers',
    install: () => dependency('@nestjs/core'),
    start: () => startNest(),
  },
  {
    name: 'nestjs-agent-hooks',
    does: 'the event is on disk, fsynced; its turn comes with the next heartbeat',
    install: () => ({ version: versionIn(HERE), home: HERE }),
    start: (home, dir) => startService({ checkout: home, dir }),
    kept: askOperator,
  },
  openClaw('2026.3.2'),
  openClaw('latest'),
  {
    name: 'Node-RED',
    does: 'a flow of three nodes has run: HTTP in, a switch on the token, HTTP response',
    install: (folder) => fromNpm(folder, 'node-red'),
    start: startNodeRed,
    kept: searchFiles,
  },
  {
    name: 'webhook (Debian)',
    does: 'a program will be started, here /bin/true; what it keeps is its own matter',
    // Long after the answers it is still busy starting programs.
    seconds: 1,
    install: (folder) => fromDebian(folder, 'webhook'),
    start: startWebhook,
    kept: searchFiles,
  },
];

function versionIn(home) {
  return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version;
}

function dependency(name) {
  return { version: versionIn(join(HERE, 'node_modules', name)), home: HERE };
}

/** @returns {Program} */
function openClaw(version) {
  return {
    name: version === 'latest' ? 'OpenClaw, newest' : 'OpenClaw',
    does: 'the system event waits for the next heartbeat',
    install: (folder) => fromNpm(folder, 'openclaw', { version, absent: [LIBSIGNAL] }),
    start: startOpenClaw,
    kept: searchFiles,
  };
}

/** Hooks on, everything else off that can be: channels, plugins, cron, heartbeats, its control page. */
async function startOpenClaw(home, dir) {
  const port = await freePort();
  const configuration = {
    gateway: {
      mode: 'local',
      bind: 'loopback',
      port,
      auth: { mode: 'token', token: 'bench-token-of-the-gateway-itself' },
      controlUi: { enabled: false },
    },
    hooks: { enabled: true, token: TOKEN, path: '/hooks' },
    agents: {
      defaults: {
        workspace: join(dir, 'workspace'),
        skipBootstrap: true,
        heartbeat: { every: '0m' },
      },
    },
    plugins: { enabled: false },
    cron: { enabled: false },
    update: { checkOnStart: false },
    logging: { file: join(dir, 'openclaw.log') },
  };
  mkdirSync(join(dir, '.openclaw'), { recursive: true });
  writeFileSync(join(dir, '.openclaw/openclaw.json'), JSON.stringify(configuration));
  const command = [process.execPath, join(home, 'openclaw.mjs'), 'gateway', 'run'];
  // As its docs/gateway/embedding.md advises those who start it from a program.
  const quiet = {
    OPENCLAW_DISABLE_BONJOUR: '1',
    OPENCLAW_NO_RESPAWN: '1',
    OPENCLAW_SKIP_CHANNELS: '1',
  };
  const env = { HOME: dir, TMPDIR: dir, ...quiet };
  return Server.startOn(port, 'openclaw', command, { dir, env, isReady: answers });
}

async function startNodeRed(home, dir) {
  const port = await freePort();
  const authorized = { t: 'eq', v: `Bearer ${TOKEN}`, vt: 'str' };
  const flows = [
    { id: 'tab', type: 'tab', label: 'hooks' },
    { id: 'in', z: 'tab', type: 'http in', url: '/hooks/wake', method: 'post', wires: [['token']] },
    {
      id: 'token',
      z: 'tab',
      type: 'switch',
      property: 'req.headers.authorization',
      propertyType: 'msg',
      rules: [authorized, { t: 'else' }],
      outputs: 2,
      wires: [['accepted'], ['refused']],
    },
    { id: 'accepted', z: 'tab', type: 'http response', statusCode: '200', wires: [] },
    { id: 'refused', z: 'tab', type: 'http response', statusCode: '401', wires: [] },
  ];
  const settings = {
    uiHost: '127.0.0.1',
    uiPort: port,
    httpAdminRoot: false,
    flowFile: 'flows.json',
    telemetry: { enabled: false, updateNotification: false },
  };
  const files = {
    'flows.json': JSON.stringify(flows),
    'settings.js': `module.exports = ${JSON.stringify(settings)}`,
  };
  const command = [process.execPath, join(home, 'red.js'), '-u', dir, '-s', 'settings.js'];
  return Server.startOn(port, 'node-red', command, { dir, files, isReady: answers });
}

async function startWebhook(home, dir) {
  const port = await freePort();
  const value = `Bearer ${TOKEN}`;
  const header = { source: 'header', name: 'Authorization' };
  const hook = {
    id: 'wake',
    'execute-command': '/bin/true',
    'trigger-rule': { match: { type: 'value', value, parameter: header } },
    'trigger-rule-mismatch-http-response-code': 401,
  };
  const files = { 'hooks.json': JSON.stringify([hook]) };
  const where = ['-ip', '127.0.0.1', '-port', String(port), '-hooks', 'hooks.json'];
  const command = [join(home, 'usr/bin/webhook'), ...where];
  return Server.startOn(port, 'webhook', command, { dir, files, isReady: answers });
}

/** It takes the request that is measured. */
async function answers(url) {
  const { headers, body } = REQUESTS.later;
  const request = { method: 'POST', headers, body };
  const answer = await fetch(`${url}/hooks/wake`, request).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
