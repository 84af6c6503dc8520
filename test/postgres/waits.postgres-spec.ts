import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BENCH = fileURLToPath(new URL('../../bench/waits.mjs', import.meta.url));
const RUNS = 2000;

interface Found {
  readonly waiting: number;
  readonly bytesOfOne: { readonly waiting: number };
  readonly megabytes: { readonly waiting: { readonly heap: number } };
  readonly perSecond: Record<'empty' | 'waiting', { cpuMs: number; rowsRead: number }>;
}

/** What 100,000 cost in one run of `bench/waits.mjs` is in docs/design/waiting.md. */
describe(`${RUNS} runs that wait`, () => {
  let found: Found;
  beforeAll(async () => {
    const asked = ['--expose-gc', BENCH, '--ledger', 'postgres', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...asked,
      '--runs',
      String(RUNS),
    ]);
    found = JSON.parse(stdout);
  });

  it('take at most 2 KB of disk each', () => {
    expect(found.waiting).toBeGreaterThanOrEqual(RUNS);
    expect(found.bytesOfOne.waiting).toBeLessThan(2048);
  });

  it('are not kept in memory', () => {
    // 10 MB for 100,000 are 100 bytes each; a megabyte is what comes and goes by itself.
    expect(found.megabytes.waiting.heap).toBeLessThan((RUNS * 100) / 1e6 + 1);
  });

  it('cost nothing per second', () => {
    // Something that looked at each of them every ten seconds would read 200 rows.
    expect(found.perSecond.waiting.rowsRead).toBeLessThan(RUNS / 10);
    expect(found.perSecond.waiting.cpuMs).toBeLessThan(found.perSecond.empty.cpuMs + 10);
  });
});
