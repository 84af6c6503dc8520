// What the service takes beside CPU: bytes written, the ledger's size, memory, the time to start.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { load, median } from './load.mjs';
import { REQUESTS, startNest, startService } from './services.mjs';

/** Until what a start leaves behind was collected. */
const IDLE_MS = 3000;
const STARTS = 5;

/**
 * Disk and memory of a service with an empty ledger, under wakes of 300 bytes at 16 connections.
 * @returns bytes per stored wake (`written`, `stored`), and MB resident of the service and of a bare Nest application that
 * has as many threads: `idle`, `loaded`, `peak`.
 */
export async function footprint(seconds, { checkout } = {}) {
  const nest = await startNest({ idleThreads: 2 });
  const service = await startService({ checkout });
  await delay(IDLE_MS);
  const idle = { service: service.residentMb(), nest: nest.residentMb() };
  await load(nest, REQUESTS.later, { connections: 16, seconds });
  const written = service.writtenBytes();
  const { requests } = await load(service, REQUESTS.later, { connections: 16, seconds });
  const result = {
    written: (service.writtenBytes() - written) / requests,
    idle,
    loaded: { service: service.residentMb(), nest: nest.residentMb() },
    peak: { service: service.peakMb(), nest: nest.peakMb() },
  };
  await nest.stop();
  const dir = join(service.dir, 'data');
  return { ...result, stored: await stopAndMeasure(service, dir, requests) };
}

/** Bytes of the ledger per event once its log is part of it; the search index apart, where there is one. */
async function stopAndMeasure(service, dir, events) {
  let bytes;
  const measure = () => {
    const files = readdirSync(dir).filter((name) => name.startsWith('ledger.db'));
    bytes = files.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
    bytes -= searchIndexBytes(join(dir, 'ledger.db'));
  };
  await service.stop('SIGTERM', measure);
  return bytes / events;
}

function searchIndexBytes(file) {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const sql = "SELECT coalesce(sum(pgsize), 0) AS bytes FROM dbstat WHERE name LIKE '%search%'";
    return Number(db.prepare(sql).get().bytes);
  } finally {
    db.close();
  }
}

/** Milliseconds from the start of a process to its first 200, medians of alternating starts; the first warms the caches. */
export async function startTimes() {
  const service = [];
  const nest = [];
  for (let n = 0; n <= STARTS; n += 1) {
    nest.push(await startTime(() => startNest()));
    service.push(await startTime(() => startService()));
  }
  return { service: median(service.slice(1)), nest: median(nest.slice(1)) };
}

/** @param start begins a server. */
export async function startTime(start) {
  const began = performance.now();
  const server = await start();
  await firstAnswer(server);
  const took = performance.now() - began;
  await server.stop();
  return took;
}

async function firstAnswer(server) {
  const { headers, body } = REQUESTS.later;
  const answer = await fetch(`${server.url}/hooks/wake`, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`the first answer was ${answer.status}`);
}
