// What a run that waits for a decision costs: bytes of memory and of disk each, and what all of them cost per second.
//   node --expose-gc bench/waits.mjs [--runs 100000] [--ledger sqlite|postgres] [--json]
// A ledger is filled through its ports: each run is accepted, begun, and asked about. PostgreSQL is one of Debian's package,
// started for it.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresLedger } from '../src/ledger/postgres/index.ts';
import { sqliteLedger } from '../src/ledger/sqlite/index.ts';
import { SystemClock } from '../src/hooks/ports/clock.ts';
import { newId } from '../src/platform/new-id.ts';
import { LIMITS, agent } from '../test/contracts/ledger/events.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    ledger: { type: 'string', default: 'sqlite' },
    json: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const GROUP = 500;
const DAY_MS = 86_400_000;
const SETTLED_MS = 5000;
const IDLE_S = 10;
/** How often it is measured, until nothing is read. */
const WINDOWS = 4;
const LANES = ['turn', 'delivery'];

const store = values.ledger === 'postgres' ? await inPostgres() : inSqlite();
const ledger = await store.provider.open(new SystemClock());
// As the service does: it waits for work that can begin.
const leaving = new AbortController();
const looking = () => LANES.map((lane) => ledger.work.claim(lane, 1, leaving.signal));

// What a process needs once is not what they cost.
await accept(GROUP);
await begin(GROUP);
const idleEmpty = await idle();
const before = await sizes();
await accept(runs);
const accepted = await sizes();
await begin(runs);
const waiting = await sizes();
const claims = looking();
const idleFull = await idle();
const { total } = await ledger.admin.waits({ limit: 1 });
leaving.abort();
await Promise.allSettled(claims);
const each = (more, less) => Math.round((more - less) / runs);
const megabytes = (more, less) => ({
  resident: Number(((more.rss - less.rss) / 1e6).toFixed(1)),
  heap: Number(((more.heap - less.heap) / 1e6).toFixed(1)),
});
const found = {
  waiting: total,
  bytesOfOne: {
    accepted: each(accepted.disk, before.disk),
    waiting: each(waiting.disk, accepted.disk),
    // With what was written on the way, until it is cleared away.
    waitingInFiles: each(waiting.files, accepted.disk),
  },
  megabytes: { waiting: megabytes(waiting, accepted), all: megabytes(waiting, before) },
  perSecond: { empty: idleEmpty, waiting: idleFull },
};
if (values.json) console.log(JSON.stringify(found));
else console.dir(found, { depth: null });
await ledger.maintenance.close();
await store.end();

async function accept(count) {
  for (let done = 0; done < count; done += GROUP) {
    const events = Array.from({ length: Math.min(GROUP, count - done) }, () => agent(newId()));
    await Promise.all(events.map((event) => ledger.intake.accept(event, LIMITS)));
  }
}

/** All that was accepted begins, and waits. */
async function begin(count) {
  for (let done = 0; done < count;) {
    const leases = await ledger.work.claim('turn', GROUP, leaving.signal);
    done += leases.length;
    await Promise.all(leases.map(ask));
  }
}

function ask(lease) {
  const openedAt = Date.now();
  const until = openedAt + DAY_MS;
  const recipient = { channel: 'chan_1', to: '+49 170 1234567' };
  const wait = {
    id: newId(),
    kind: 'reply',
    digest: 'd'.repeat(64),
    owner: 'github signed',
    openedAt,
    until,
    whenOver: 'deny',
    recipient,
  };
  const reply = 'The build is red since 14:02: two tests of the parser fail.';
  return ledger.work.commit(
    lease,
    { type: 'wait', until, holdsKey: false, for: 'decision', wait },
    [{ type: 'run-update', id: lease.ref, status: 'waiting', reply }],
  );
}

async function sizes() {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const files = await store.size();
  await store.clear();
  return { files, disk: await store.size(), rss, heap: heapUsed + external };
}

/** @returns milliseconds of CPU, and rows that the database reads, each per second */
async function idle() {
  // The database counts with a delay.
  await pause(SETTLED_MS);
  let quietest = null;
  // What the database does now and then, such as its autovacuum, is not in all of them.
  for (let window = 0; window < WINDOWS && !(quietest?.rowsRead === 0); window += 1) {
    const rows = await store.rowsRead();
    const begun = process.cpuUsage();
    await pause(IDLE_S * 1000);
    const { user, system } = process.cpuUsage(begun);
    const rowsRead = Math.round(((await store.rowsRead()) - rows) / IDLE_S);
    const found = { cpuMs: (user + system) / 1000 / IDLE_S, rowsRead };
    if (quietest === null || rowsRead < quietest.rowsRead) quietest = found;
  }
  return quietest;
}

function inSqlite() {
  const dir = mkdtempSync(join(tmpdir(), 'waits-'));
  return {
    provider: sqliteLedger({ dir, search: false }),
    size: () =>
      ['ledger.db', 'ledger.db-wal'].reduce(
        (sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    clear: () => {},
    rowsRead: () => 0,
    end: () => rmSync(dir, { recursive: true }),
  };
}

async function inPostgres() {
  // What nobody sees any more is cleared away as it is anywhere.
  const server = await PostgresServer.start({ settings: { autovacuum: 'on' } });
  const number = async (sql) => Number((await server.query(sql))[0].number);
  return {
    provider: postgresLedger({ url: server.url(), search: false }),
    size: () => number('SELECT pg_database_size(current_database()) AS number'),
    clear: () => server.query('VACUUM FULL'),
    rowsRead: () =>
      number(
        `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS number FROM pg_stat_user_tables`,
      ),
    end: () => server[Symbol.asyncDispose](),
  };
}
