// The servers that are measured side by side, and the requests that they get.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { NUMBER } from './load.mjs';
import { Server } from './server.mjs';

export const TOKEN = 'bench-token-that-is-long-enough-0123';
const SECRET = 'bench-secret-that-is-long-enough-0123';
const BODY_BYTES = 300;
export const HERE = resolve(import.meta.dirname, '..');

/** A bare Fastify. @returns {Promise<Server>} */
export function startFloor() {
  return Server.start('floor', join(import.meta.dirname, 'floor.mjs'));
}

/** A bare Nest application on Fastify, and threads that do nothing. */
export function startNest({ idleThreads = 0 } = {}) {
  const env = { IDLE_THREADS: String(idleThreads) };
  return Server.start('nest', join(import.meta.dirname, 'nest-floor.mjs'), { env });
}

/**
 * The service, from a checkout that is built.
 * @param mappings of its hooks.
 * @param gateway URL of the gateway that its agents are run by; absent: nothing runs.
 * @param store absent: without search, which is followed up when a load is over, and measured by itself (search.mjs).
 * @param dir with an earlier ledger; absent: an empty one that is removed with the server.
 */
export function startService({
  checkout = HERE,
  gateway,
  store,
  dir,
  // Other builds may be too old for signatures; they are compared by wakes and runs.
  hasMappings = checkout === HERE,
  mappings = hasMappings ? mappingsToMeasure() : [],
} = {}) {
  // Nor do they know this key.
  const ownStore = checkout === HERE ? { search: false, ...store } : store;
  const settings = { ...configuration(mappings, gateway), store: ownStore };
  const files = { 'gateway.json5': JSON.stringify(settings) };
  return Server.start('service', join(checkout, 'dist/main.js'), { files, dir });
}

export const OPERATOR_TOKEN = 'bench-operator-token-0123456789';

function mappingsToMeasure() {
  const mapping = { action: 'wake', wakeMode: 'next-heartbeat', textTemplate: '{{ text }}' };
  const verify = { scheme: 'github', secrets: [SECRET] };
  return [
    { id: 'mapped', ...mapping },
    { id: 'signed', ...mapping, verify },
  ];
}

function configuration(mappings, gateway) {
  const runner = gateway && { type: 'http', baseUrl: `${gateway}/v1` };
  return {
    gateway: { auth: { token: OPERATOR_TOKEN } },
    hooks: {
      enabled: true,
      token: TOKEN,
      // Forgets at once, so that every refusal is a 401.
      authFailures: { limit: 1000, windowSeconds: 0.001, lockSeconds: 0.001 },
      mappings,
    },
    agents: {
      defaults: { maxSystemEvents: 100_000_000, heartbeat: { every: '0m' }, runner },
    },
  };
}

/**
 * A gateway that takes every turn and never answers. So what is accepted waits in the queue, and accepting it is all that
 * is measured.
 */
export async function startSilentGateway() {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

/** Of so many bytes, filled up in `field`; no two alike. */
function body(field, fields = {}, bytes = BODY_BYTES) {
  const json = (filler) =>
    JSON.stringify({ ...fields, [field]: `Build ${NUMBER} of main failed: ${filler}` });
  const missing = bytes - json('').length + NUMBER.length - '1000000000'.length;
  return json('x'.repeat(missing));
}

function headers(token) {
  return { 'content-type': 'application/json', authorization: `Bearer ${token}` };
}

export function sign(text) {
  return `sha256=${createHmac('sha256', SECRET).update(text).digest('hex')}`;
}

/** The same mapped request: with a token, and signed. */
export function mapped(bytes, path = '/hooks/mapped') {
  return { path, headers: headers(TOKEN), body: body('text', {}, bytes) };
}

export function signed(bytes) {
  return {
    path: '/hooks/signed',
    headers: { 'content-type': 'application/json' },
    body: body('text', {}, bytes),
    signature: { header: 'x-hub-signature-256', sign },
  };
}

/** By name; of 300 bytes each. */
export const REQUESTS = {
  later: { headers: headers(TOKEN), body: body('text', { mode: 'next-heartbeat' }) },
  now: { headers: headers(TOKEN), body: body('text', { mode: 'now' }) },
  agent: {
    path: '/hooks/agent',
    headers: headers(TOKEN),
    body: body('message', { deliver: false }),
  },
  mapped: mapped(),
  signed: signed(),
  refused: {
    headers: headers('wrong'),
    body: body('text', { mode: 'next-heartbeat' }),
    status: 401,
  },
};
