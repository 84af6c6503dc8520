import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReaderCalls, ThreadData } from '../calls.ts';
import { readerCalls } from './reader-calls.ts';
import { serve } from './serve.ts';

/** The thread that reads beside the writer. Started when an operator first looks, long after the writer. */
if (parentPort !== null) {
  const { dir }: ThreadData = workerData;
  if (dir === null) throw new Error('a ledger in memory has no reader of its own');
  const db = new DatabaseSync(join(dir, 'ledger.db'), { readOnly: true, timeout: 1000 });
  serve<ReaderCalls>(parentPort, {
    db,
    handlers: readerCalls(db),
    forget: () => undefined,
    close: () => db.close(),
  });
}
