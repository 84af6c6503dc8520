import { Worker } from 'node:worker_threads';
import { ManualClock } from '../../../test/support/clocks.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { SqliteIntake } from './sqlite-ledger.ts';
import { BatchWindow } from '../batch-window.ts';
import { ReaderClient, WorkerClient } from './worker-client.ts';
import type { ThreadReports } from './worker-client.ts';

interface Calls {
  echo: { args: [value: number]; result: number };
}

function clientOf(script: string, clock = new ManualClock(), reports: ThreadReports = {}) {
  const head = `const { parentPort: port } = require('node:worker_threads');`;
  return new WorkerClient<Calls>(new Worker(`${head}${script}`, { eval: true }), clock, reports);
}

describe('WorkerClient', () => {
  it('sends what arrives during a batch as the next one', async () => {
    const client = clientOf(`port.on('message', (batch) => {
      if (batch === 'close') return port.close();
      const values = batch.calls.map(() => batch.calls.length);
      port.postMessage({ values, failures: [], changedLanes: [], changedEvents: [], lost: null });
    });`);
    const first = client.call('echo', 1);
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [client.call('echo', 2), client.call('echo', 3), client.call('echo', 4)];
    expect(client.waiting).toBe(4);
    expect(await first).toBe(1);
    expect(await Promise.all(rest)).toEqual([3, 3, 3]);
    await client.close();
  });

  it('tells whoever asks meanwhile how long a batch has been under way', async () => {
    const clock = new ManualClock();
    const told: number[] = [];
    const client = clientOf(`port.on('message', () => process.exit(1));`, clock, {
      underWay: (ms) => told.push(ms),
    });
    const calls = [client.call('echo', 1), client.call('echo', 2)];
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(400);
    calls.push(client.call('echo', 3));
    clock.advance(1100);
    calls.push(client.call('echo', 4));
    expect(told).toEqual([400, 1500]);
    await Promise.allSettled(calls);
  });

  it('fails everything pending and later when the thread dies', async () => {
    const client = clientOf(`port.on('message', () => process.exit(1));`);
    const pending = [client.call('echo', 1), client.call('echo', 2)];
    for (const lost of await Promise.allSettled(pending)) {
      expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(LedgerUnavailable) });
    }
    expect(client.isAlive).toBe(false);
    await expect(client.call('echo', 3)).rejects.toThrow('the thread of the ledger has ended');
    await expect(client.close()).resolves.toBeUndefined();
  });

  it('closes though the thread dies while calls are pending', async () => {
    const client = clientOf(`port.on('message', () => process.exit(1));`);
    const pending = client.call('echo', 1);
    const closed = client.close();
    await expect(pending).rejects.toThrow(LedgerUnavailable);
    await expect(closed).resolves.toBeUndefined();
  });
});

describe('ReaderClient', () => {
  it('starts no thread once it is closed', async () => {
    const reader = new ReaderClient('/nowhere', new ManualClock());
    await reader.close();
    await expect(reader.call('readCounts')).rejects.toThrow('the ledger is closed');
  });
});

/** Turns until the batch is sent, while `waiting` callers wait. */
function turnsUntilComplete(window: BatchWindow, waiting: number): number {
  let turns = 1;
  while (!window.isComplete(waiting)) turns += 1;
  return turns;
}

describe('BatchWindow', () => {
  it('never keeps the first caller, nor one that is alone', () => {
    const window = new BatchWindow();
    expect(window.isComplete(1)).toBe(true);
    window.open(1, 0);
    expect(window.isComplete(1)).toBe(true);
  });

  it('waits for those that were just answered, beside those that wait', () => {
    const window = new BatchWindow();
    window.open(8, 8);
    expect(window.isComplete(8)).toBe(false);
    expect(window.isComplete(15)).toBe(false);
    expect(window.isComplete(16)).toBe(true);
  });

  /** Waits in vain, then counts the batches that are sent at once. */
  function batchesWithoutWait(window: BatchWindow): number {
    window.open(8, 8);
    expect(turnsUntilComplete(window, 8)).toBe(51);
    let batches = 0;
    for (;;) {
      window.open(8, 8);
      if (!window.isComplete(8)) return batches;
      batches += 1;
    }
  }

  it('gives up after a while, and then waits less and less often for those that do not come', () => {
    const window = new BatchWindow();
    const pauses = Array.from({ length: 10 }, () => batchesWithoutWait(window));
    expect(pauses).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 127, 127]);
  });

  it('waits again for each batch once they have come', () => {
    const window = new BatchWindow();
    for (let n = 0; n < 10; n += 1) batchesWithoutWait(window);
    window.open(8, 8);
    expect(window.isComplete(16)).toBe(true);
    expect(batchesWithoutWait(window)).toBe(0);
  });
});

describe('SqliteIntake', () => {
  it('refuses events beyond ten thousand that wait', async () => {
    const call = () => Promise.reject(new Error('called'));
    const intake = new SqliteIntake({ waiting: 10_000, call }, { failed: () => {} });
    const request = { path: '', query: {}, headers: {}, client: '', verifiedBy: '' };
    const head = { v: 1, id: '1', hook: 'wake', receivedAt: 0, payload: '{}' } as const;
    const event = { ...head, request, actions: [], warnings: [] };
    await expect(intake.accept(event, { maxSystemEvents: 1 })).rejects.toThrow('overloaded');
  });
});
