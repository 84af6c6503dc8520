// npm run bench:ledgers [-- --seconds 3 --rounds 5]: wakes that are accepted durably, a second, by the ledger itself: in
// SQLite and in PostgreSQL on this machine, in turns, without HTTP. Both write to the same disk and wait for it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SystemClock, postgresLedger, sqliteLedger } from '../dist/ledger.js';
import { newId } from '../dist/platform/new-id.js';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { median } from './load.mjs';
import { atLeast, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const CALLERS = [16, 64];
/** As many as may wait by default are a thousand. */
const LINES_OF_A_SESSION = 400;
const LIMITS = { maxSystemEvents: 1000, maxSystemEventsOfHook: 500 };
const AIM = 0.2;

let made = 0;
function wake() {
  const agentId = `a${Math.floor((made += 1) / LINES_OF_A_SESSION)}`;
  const [id, at] = [newId(), Date.now()];
  const trust = { level: 'untrusted', verifiedBy: 'token' };
  const text = `the build of main is broken since commit ${made}`;
  const change = {
    type: 'system-event',
    session: `agent:${agentId}:main`,
    text,
    at,
    trust,
    hook: 'wake',
    eventId: id,
    asksHeartbeat: false,
  };
  return {
    v: 1,
    id,
    hook: 'wake',
    receivedAt: at,
    payload: JSON.stringify({ text }),
    warnings: [],
    request: {
      path: '/hooks/wake',
      query: {},
      headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
      client: '127.0.0.1',
      verifiedBy: 'token',
    },
    keys: [
      {
        scope: 'wake',
        key: id,
        digest: id,
        keepUntil: at + 86_400_000,
        onOtherContent: 'conflict',
      },
    ],
    actions: [
      {
        receipt: { kind: 'wake', mode: 'next-heartbeat' },
        details: { kind: 'wake', mode: 'next-heartbeat', text, agentId, trust },
        changes: [change],
      },
    ],
  };
}

/** Each caller sends the next one when it has the answer. */
async function rate(ledger, callers, seconds) {
  let accepted = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const call = async () => {
    while (performance.now() < end) {
      const { outcome } = await ledger.intake.accept(wake(), LIMITS);
      if (outcome !== 'accepted') throw new Error(`an event was ${outcome}`);
      accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (accepted * 1000) / (performance.now() - begin);
}

const dir = mkdtempSync(join(tmpdir(), 'ledgers-'));
const server = await PostgresServer.start({ settings: { fsync: 'on', autovacuum: 'on' } });
try {
  const database = await server.database();
  const clock = new SystemClock();
  const ledgers = {
    sqlite: await sqliteLedger({ dir, search: false }).open(clock),
    postgres: await postgresLedger({ url: database.url, search: false }).open(clock),
  };
  const rows = [];
  for (const callers of CALLERS) {
    const rates = { sqlite: [], postgres: [] };
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const [name, ledger] of Object.entries(ledgers)) {
        rates[name].push(await rate(ledger, callers, Number(values.seconds)));
      }
    }
    const [sqlite, postgres] = [median(rates.sqlite), median(rates.postgres)];
    const ratio = (postgres / sqlite).toFixed(2);
    rows.push([
      String(callers),
      Math.round(sqlite).toLocaleString('en'),
      Math.round(postgres).toLocaleString('en'),
      ratio,
      atLeast(AIM, Number(ratio), 'of SQLite'),
    ]);
  }
  printTable(['callers', 'SQLite /s', 'PostgreSQL /s', 'ratio', 'aim'], rows);
  for (const ledger of Object.values(ledgers)) await ledger.maintenance.close();
} finally {
  await server[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
}
