import { Worker } from 'node:worker_threads';
import { ManualClock } from '../../../test/support/clocks.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { ThreadData } from './protocol.ts';
import { WriterClient } from './writer-client.ts';

interface Calls {
  echo: { args: [value: number]; result: number };
}

const found = { isNew: false, events: 0, hasMore: false, lastId: null, waiting: 0 };
const OPEN = `port.postMessage({ refusal: null, found: ${JSON.stringify(found)} });`;
const DIES = `${OPEN} port.on('message', () => { throw new Error('an oops'); });`;
const ANSWERS = `${OPEN} port.on('message', (batch) => {
  if (batch === 'close') return port.close();
  port.postMessage({ values: [7], failures: [], changedLanes: [], changedEvents: [], lost: null });
});`;
const REFUSES = `port.postMessage({ refusal: 'it is gone', found: null }); port.close();`;
const LOSES = `${OPEN} port.on('message', () => {
  port.postMessage({ values: [], failures: [], changedLanes: [], changedEvents: [], lost: 'the file was removed' });
  port.close();
});`;

/** A writer whose threads run these scripts, one after the other, and everything that it reports. */
function writerOf(dir: string | null, ...scripts: string[]) {
  const started: ThreadData[] = [];
  const told: string[] = [];
  const start = (data: ThreadData) => {
    started.push(data);
    const script = `const { parentPort: port } = require('node:worker_threads');${scripts.shift()}`;
    return new Worker(script, { eval: true });
  };
  const writer = new WriterClient<Calls>({ dir, start }, new ManualClock(), {
    changed: (lanes) => told.push(`changed ${lanes.join()}`),
    committed: () => {},
    underWay: () => {},
    damaged: () => {},
    isWatched: () => false,
    eventsChanged: () => {},
    waits: () => {},
    held: () => [[4, 2]],
    died: (reason) => told.push(`died ${reason}`),
    lost: (reason) => told.push(`lost ${reason}`),
  });
  return { writer, started, told };
}

describe('WriterClient', () => {
  it('begins a thread that dies anew, tells why, and keeps what is in hand', async () => {
    const { writer, started, told } = writerOf('/data', DIES, ANSWERS);
    await writer.open();
    await expect(writer.call('echo', 1)).rejects.toThrow(LedgerUnavailable);
    await eventually('it is begun anew', () => told.includes('changed turn,delivery'));
    expect(told[0]).toBe('died the thread of the ledger broke: an oops');
    expect(started[1]).toMatchObject({ role: 'writer', dir: '/data', held: [[4, 2]] });
    expect(await writer.call('echo', 1)).toBe(7);
    await writer.close();
  });

  it('is lost when the ledger cannot be opened anew', async () => {
    const { writer, told } = writerOf('/data', DIES, REFUSES);
    await writer.open();
    await expect(writer.call('echo', 1)).rejects.toThrow(LedgerUnavailable);
    await eventually('it is lost', () => told.length === 2);
    expect(told[1]).toBe('lost the ledger in /data cannot be used: it is gone');
    await expect(writer.call('echo', 1)).rejects.toThrow('it is gone');
    await writer.close();
  });

  it('is lost when its thread says so, and begins no other', async () => {
    const { writer, told, started } = writerOf('/data', LOSES);
    await writer.open();
    await expect(writer.call('echo', 1)).rejects.toThrow('the file was removed');
    await eventually('it is lost', () => told.includes('lost the file was removed'));
    expect(started).toHaveLength(1);
    await writer.close();
  });

  it('is lost with its thread when it was in memory', async () => {
    const { writer, told } = writerOf(null, DIES);
    await writer.open();
    await expect(writer.call('echo', 1)).rejects.toThrow(LedgerUnavailable);
    await eventually('it is lost', () => told.length > 0);
    expect(told[0]).toMatch(/^lost .*an oops.* and with it a ledger in memory$/);
  });

  it('says nothing when it is closed', async () => {
    const { writer, told } = writerOf('/data', ANSWERS);
    await writer.open();
    await writer.close();
    await expect(writer.call('echo', 1)).rejects.toThrow('the ledger is closed');
    expect(told).toEqual([]);
  });
});
