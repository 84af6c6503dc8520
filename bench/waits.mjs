// What a run that waits for a decision costs: bytes of memory and of disk each, and what all of them cost per second.
//   node bench/waits.mjs [--runs 100000]
// A ledger in SQLite is filled through its ports: each run is accepted, begun, and asked about.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { sqliteLedger } from '../src/ledger/sqlite/index.ts';
import { SystemClock } from '../src/hooks/ports/clock.ts';
import { newId } from '../src/platform/new-id.ts';
import { LIMITS, agent } from '../test/contracts/ledger/events.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '100000' } } });
const runs = Number(values.runs);
const GROUP = 500;
const DAY_MS = 86_400_000;

const dir = mkdtempSync(join(tmpdir(), 'waits-'));
const ledger = await sqliteLedger({ dir, search: false }).open(new SystemClock());
const { signal } = new AbortController();
const size = () =>
  ['ledger.db', 'ledger.db-wal'].reduce(
    (sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

const before = { size: size(), rss: settledRss() };
for (let done = 0; done < runs; done += GROUP) {
  const events = Array.from({ length: GROUP }, (_, n) => agent(`s${done + n}`));
  await Promise.all(events.map((event) => ledger.intake.accept(event, LIMITS)));
}
const accepted = { size: size(), rss: settledRss() };
for (let done = 0; done < runs;) {
  const leases = await ledger.work.claim('turn', GROUP, signal);
  done += leases.length;
  await Promise.all(leases.map(ask));
}
const waiting = { size: size(), rss: settledRss() };
await pause(15_000);
const begun = process.cpuUsage();
await pause(10_000);
const { user, system } = process.cpuUsage(begun);
const { total } = await ledger.admin.waits({ limit: 1 });
const each = (more, less) => Math.round((more - less) / runs);
console.log(`${total} runs wait`);
console.log(
  `disk: ${each(accepted.size, before.size)} bytes to accept one, ${each(waiting.size, accepted.size)} more while it waits`,
);
console.log(
  `memory: ${((waiting.rss - accepted.rss) / 1e6).toFixed(1)} MB more than when they were accepted, ${((waiting.rss - before.rss) / 1e6).toFixed(1)} MB than empty`,
);
console.log(`idle: ${((user + system) / 10_000).toFixed(2)} ms of CPU per second`);
await ledger.maintenance.close();
rmSync(dir, { recursive: true });

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
  return ledger.work.commit(lease, { type: 'wait', until, holdsKey: false, wait }, [
    { type: 'run-update', id: lease.ref, status: 'waiting', reply },
  ]);
}

function settledRss() {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
