import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CapturedLogs } from '../../../test/support/captured-logs.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
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
});
