import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { AllCalls, Opening, ThreadData, WriterCalls } from '../calls.ts';
import { openDirectory, openInMemory } from './database.ts';
import { troubleOf } from './failure.ts';
import { readerCalls } from './reader-calls.ts';
import { serve } from './serve.ts';
import { writerCalls } from './writer-calls.ts';

/** The thread that holds the one writing connection, and the lock on the directory. */
function start(port: MessagePort, { dir, now }: ThreadData): void {
  if (dir === null) {
    const { db, close } = openInMemory();
    const { handlers, ...rest } = writerCalls(db, now);
    serve<AllCalls>(port, { db, handlers: { ...handlers, ...readerCalls(db) }, ...rest, close });
  } else {
    const { db, wal, close } = openDirectory(dir);
    serve<WriterCalls>(port, {
      db,
      ...writerCalls(db, now),
      afterAnswer: () => wal?.look(),
      close,
    });
  }
}

function open(port: MessagePort, data: ThreadData): Opening {
  try {
    start(port, data);
    return { refusal: null };
  } catch (error) {
    return { refusal: troubleOf(error) ?? (error instanceof Error ? error.message : 'it broke') };
  }
}

if (parentPort !== null) {
  const data: ThreadData = workerData;
  const opening = open(parentPort, data);
  parentPort.postMessage(opening, []);
  if (opening.refusal !== null) parentPort.close();
}
