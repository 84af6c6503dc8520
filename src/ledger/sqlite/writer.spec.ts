import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { CapturedLogs } from '../../../test/support/captured-logs.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { TOO_LARGE } from '../../../test/support/refused.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { Pace } from './disk-pace.ts';
import type { ThreadData } from './protocol.ts';
import { StoreWatch } from './store-watch.ts';
import { startThread } from './thread-host.ts';
import { Writer } from './writer.ts';
import type { WriterPlace } from './writer.ts';

const DIES = `const { parentPort: port } = require('node:worker_threads');
const found = { isNew: false, events: 0, hasMore: false, lastId: null, waiting: 0 };
port.postMessage({ refusal: null, found });
port.on('message', () => { throw new Error('an oops'); });`;
const REFUSES = `const { parentPort: port } = require('node:worker_threads');
port.postMessage({ refusal: 'it is gone', found: null }); port.close();`;
const ENDS = `process.exit(0)`;
const WRITES_AND_REFUSES = `const { DatabaseSync } = require('node:sqlite');
const { workerData } = require('node:worker_threads');
const db = new DatabaseSync(workerData.files.database);
db.exec('CREATE TABLE of_the_thread (id)');
db.close();
${REFUSES}`;
/** A disk, as it was measured at the start. */
const FAST = { isFast: () => Promise.resolve(true), beginAnew: () => {} };

/** A disk that was slow once. */
function slowOnce(): Pace {
  let notes = 0;
  return { ...FAST, note: () => (notes += 1) === 1 };
}

/** The line that tells why the ledger stays on the main thread. */
function toldOfStaying(): Promise<string> {
  return eventually('it is told', () =>
    logs.lines.find((line) => line.includes('no thread can write the ledger')),
  );
}

let dir: string;
let logs: CapturedLogs;
let started: ThreadData[];
let watch: StoreWatch;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writer-'));
  logs = new CapturedLogs();
  started = [];
});
afterEach(() => {
  logs[Symbol.dispose]();
  rmSync(dir, { recursive: true });
});

/** A writer whose threads run these scripts, one after the other, and then the ledger's own. */
function writerOf(place: Partial<WriterPlace>, ...scripts: string[]): Writer {
  const clock = new ManualClock();
  watch = new StoreWatch(dir, clock, logs);
  const start = (data: ThreadData) => {
    started.push(data);
    const script = scripts.shift();
    return script === undefined
      ? startThread(data)
      : new Worker(script, { eval: true, workerData: data });
  };
  const usual = { dir, host: 'thread', waitForLock: false, hasSearch: true, start } as const;
  return new Writer({ ...usual, ...place }, clock, watch, () => Promise.resolve());
}

describe('Writer', () => {
  it('begins a thread that dies anew, tells why, and keeps what is in hand', async () => {
    const writer = writerOf({}, DIES);
    watch.leases.add([{ workId: 4, attempt: 2 }]);
    await writer.open();
    await expect(writer.call('isPaused')).rejects.toThrow(LedgerUnavailable);
    expect(logs.lines).toEqual([
      expect.stringMatching(/^error the thread .* broke: an oops\. It is/),
    ]);
    expect(await writer.call('isPaused')).toBe(false);
    expect(started[1]).toMatchObject({ role: 'writer', start: { held: [[4, 2]] } });
    await writer.close();
  });

  it.each([
    ['says why', REFUSES, 'it is gone'],
    ['says nothing', ENDS, 'its thread has ended'],
  ])(
    'is lost when the ledger cannot be opened anew by a thread that %s',
    async (_, script, why) => {
      const writer = writerOf({}, DIES, script);
      await writer.open();
      await expect(writer.call('isPaused')).rejects.toThrow(LedgerUnavailable);
      expect(await watch.untilLost).toBe(`the ledger in ${dir} cannot be used: ${why}`);
      await expect(writer.call('isPaused')).rejects.toThrow(why);
      await writer.close();
    },
  );

  it('holds the directory while no thread has it', async () => {
    const writer = writerOf({}, DIES);
    await writer.open();
    const other = writerOf({ host: 'inline' });
    await expect(other.open()).rejects.toThrow('another process uses it');
    await writer.close();
    await other.open();
    await other.close();
  });

  it('writes on the main thread and needs no other', async () => {
    const writer = writerOf({ host: 'inline' });
    await writer.open();
    await writer.call('setPaused', true);
    expect(await writer.call('isPaused')).toBe(true);
    await writer.close();
    expect(started).toEqual([]);
  });

  it('moves into a thread once the disk is slow, and tells that once', async () => {
    const writer = writerOf({ host: 'auto', pace: { ...FAST, note: () => true } });
    await writer.open();
    await writer.call('setPaused', true);
    const calls = Array.from({ length: 9 }, () => writer.call('isPaused'));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
    await writer.call('setPaused', false);
    expect(started).toHaveLength(1);
    const told = logs.lines.filter((line) => line.startsWith('warn the disk is slow'));
    expect(told).toEqual([expect.stringContaining('the ledger is written in a thread of its own')]);
    await writer.close();
  });

  it('takes into the thread what was counted and is not written yet', async () => {
    let isSlow = false;
    const writer = writerOf({ host: 'auto', pace: { ...FAST, note: () => isSlow } });
    await writer.open();
    // The first count is written at once, the next one with a later commit.
    await writer.call('recordRefusals', [{ ...TOO_LARGE, at: 0 }], []);
    isSlow = true;
    await writer.call('recordRefusals', [{ ...TOO_LARGE, at: 0 }], []);
    await eventually('it has moved', () => logs.lines.some((line) => line.startsWith('warn')));
    await writer.close();
    using db = new DatabaseSync(join(dir, 'ledger.db'), { readOnly: true });
    const counted = db.prepare('SELECT sum(refused) AS refused FROM activity').get();
    expect(counted).toMatchObject({ refused: 2 });
  });

  it('stays where it is when no thread can be begun, and says why', async () => {
    const pace = slowOnce();
    const writer = writerOf({ host: 'auto', pace }, REFUSES);
    await writer.open();
    await writer.call('setPaused', true);
    expect(await writer.call('isPaused')).toBe(true);
    expect(await toldOfStaying()).toMatch(/: it is gone$/);
    await writer.close();
    expect(started).toHaveLength(1);
  });

  it('does not take what such a thread wrote for the work of another process', async () => {
    const pace = slowOnce();
    const writer = writerOf({ host: 'auto', pace }, WRITES_AND_REFUSES);
    await writer.open();
    await writer.call('setPaused', true);
    expect(await toldOfStaying()).toMatch(/: it is gone$/);
    await writer.call('setPaused', false);
    expect(await writer.call('isPaused')).toBe(false);
    await writer.close();
  });
});
