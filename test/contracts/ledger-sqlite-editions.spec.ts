import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { STEPS } from '../../src/ledger/sqlite/worker/file/schema.ts';
import { ManualClock } from '../support/clocks.ts';
import { LIMITS, MAIN, key, wake } from './ledger/events.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/ledgers');
const kept = STEPS.map((_, at) => `edition-${at + 1}.db.gz`);

it('keeps a ledger of every edition', () => {
  const files = readdirSync(FIXTURES).filter((name) => /^edition.*\.db\.gz$/.test(name));
  // A red test after a step was added: run `node test/fixtures/ledgers/write.ts`.
  expect(files.toSorted()).toEqual(kept.toSorted());
});

// The first was left by a real service: test/e2e/editions.e2e-spec.ts. A red test: a step was edited that is in use.
describe.each(kept.slice(1))('a ledger that was written once: %s', (name) => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ledger-'));
    await writeFile(join(dir, 'ledger.db'), gunzipSync(await readFile(join(FIXTURES, name))));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('opens, with its events, work, sessions and keys', async () => {
    const ledger = await sqliteLedger({ dir }).open(new ManualClock());
    const { events } = await ledger.events.list({ limit: 9 });
    expect(events.map(({ hook }) => hook)).toHaveLength(3);
    const [first] = await ledger.work.claim('delivery', 1, new AbortController().signal);
    expect(first).toMatchObject({ kind: 'delivery' });
    const [run] = await ledger.work.claim('turn', 1, new AbortController().signal);
    expect(run).toMatchObject({ kind: 'run', job: { message: expect.any(String) } });
    expect(await ledger.sessions.routes(MAIN)).toMatchObject({
      last: { channel: 'chan_1', to: '42' },
    });
    const replayed = await ledger.intake.accept(wake({ keys: [key('k')] }), LIMITS);
    expect(replayed).toMatchObject({ outcome: 'replayed' });
    await ledger.maintenance.close();
  });
});
