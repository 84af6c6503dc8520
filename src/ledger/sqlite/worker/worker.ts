// Where a thread of the ledger begins. The writer holds the one writing connection and the lock on the directory; it is
// a thread so that an fsync never holds up HTTP. The reader has a connection of its own that cannot write. Both answer
// batches of calls (protocol.ts), one transaction each (batch.ts); what a call does stands in handlers.ts.
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import type { CallMap } from '../../calls.ts';
import { CLOSE, WAITS } from '../protocol.ts';
import type {
  AllCalls,
  Batch,
  BatchAnswer,
  CheckResult,
  Handshake,
  Inventory,
  ReaderCalls,
  ThreadData,
  WriterCalls,
} from '../protocol.ts';
import { searchFileOf } from '../search-file.ts';
import { SqliteTx } from '../statements.ts';
import type { Key } from '../../rows.ts';
import { runBatch, writeLast } from './batch.ts';
import type { BatchContext } from './batch.ts';
import { openDirectory, openForReading, openInMemory } from './file/database.ts';
import { createReaderHandlers, createWriterHandlers } from './handlers.ts';
import { text } from '../../rows.ts';
import { storeTrouble } from './file/store-trouble.ts';

if (parentPort !== null) {
  const data: ThreadData = workerData;
  if (data.role === 'checker') check(parentPort, data);
  else if (data.role === 'reader') startReader(parentPort, data);
  else void startWriter(parentPort, data);
}

/** Says whether the ledger could be opened before anything else; ends at once when it could not. */
async function startWriter(port: MessagePort, data: ThreadData): Promise<void> {
  const handshake = await tryToWrite(port, data);
  port.postMessage(handshake, []);
  if (handshake.refusal !== null) port.close();
}

/** Opens and begins to serve, or says in one sentence why not. */
async function tryToWrite(port: MessagePort, data: ThreadData): Promise<Handshake> {
  try {
    return { refusal: null, found: await write(port, data) };
  } catch (error) {
    const refusal = storeTrouble(error) ?? (error instanceof Error ? error.message : 'it broke');
    return { refusal, found: null };
  }
}

/** In memory there is one thread only: its one connection also answers what a reader would be asked. */
async function write(
  port: MessagePort,
  { dir, waitForLock, ...state }: ThreadData,
): Promise<Inventory> {
  const begin = async (db: DatabaseSync) => {
    const tx = new SqliteTx(db);
    return { tx, ...(await createWriterHandlers(db, tx, state)) };
  };
  if (dir === null) {
    const { found, begun, ...opened } = await openInMemory(begin);
    const reader = createReaderHandlers(opened.db, begun.tx, null);
    const handlers = { ...begun.handlers, ...reader.handlers };
    serve<AllCalls>(port, { ...opened, ...begun, handlers });
    return found;
  }
  const onHeld = () => port.postMessage(WAITS);
  const { found, begun, ...opened } = await openDirectory(
    dir,
    begin,
    waitForLock ? onHeld : undefined,
  );
  serve<WriterCalls>(port, { ...opened, ...begun });
  return found;
}

/** Started when an operator first looks, long after the writer. */
function startReader(port: MessagePort, { dir }: ThreadData): void {
  if (dir === null) throw new Error('a ledger in memory has no reader of its own');
  const db = openForReading(dir);
  const tx = new SqliteTx(db);
  const reader = createReaderHandlers(db, tx, searchFileOf(dir));
  serve<ReaderCalls>(port, {
    db,
    tx,
    handlers: reader.handlers,
    forget: () => undefined,
    close: () => {
      reader.close();
      db.close();
    },
  });
}

/** Started once a day, and ends when it has looked. */
function check(port: MessagePort, { dir }: ThreadData): void {
  if (dir === null) throw new Error('a ledger in memory is not checked');
  const db = openForReading(dir);
  const result: CheckResult = { damage: findDamage(db) };
  db.close();
  port.postMessage(result);
  port.close();
}

/**
 * Reads every page and says what is wrong with the first table that is not sound; null: nothing. Table by table, so that
 * no reading holds the log up for long.
 */
function findDamage(db: DatabaseSync): string | null {
  try {
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    for (const table of tables) {
      const name = text(table, 'name').replaceAll("'", "''");
      const found = text(db.prepare(`PRAGMA quick_check('${name}')`).get()!, 'quick_check');
      if (found !== 'ok') return `table ${name}: ${found.split('\n').at(-1)}`;
    }
    return null;
  } catch (error) {
    return storeTrouble(error) ?? 'it cannot be read';
  }
}

/** A connection that answers, and how it ends. */
interface Service<C extends CallMap<C>> extends BatchContext<C> {
  /** Writes what is only in memory, in a last transaction. */
  writeRest?(): void;
  /** Asked after each answer: true once everything that was old is forgotten, if anything was. */
  hasForgotten?(): boolean;
  /** Called after each answer, while no batch waits. */
  afterAnswer?(hasForgotten: boolean): void;
  close(): void;
}

/** For the answers of batches after which there is nothing new to claim. */
const NO_LANES: readonly Lane[] = [];
/** For those that changed no event, or while nobody wants to know. */
const NO_EVENTS: readonly Key[] = [];

/** Answers batches, one after the other, until it is asked to close; the thread ends by itself then. */
function serve<C extends CallMap<C>>(port: MessagePort, service: Service<C>): void {
  let answered = Promise.resolve();
  port.on('message', (message: Batch<C> | typeof CLOSE) => {
    answered = answered.then(() => answer(port, service, message));
  });
}

async function answer<C extends CallMap<C>>(
  port: MessagePort,
  service: Service<C>,
  message: Batch<C> | typeof CLOSE,
): Promise<void> {
  if (message === CLOSE) {
    writeLast(service, () => service.writeRest?.());
    end(port, service);
    return;
  }
  const began = performance.now();
  const result = await runBatch(service, message);
  const tookMs = performance.now() - began;
  const { tx } = service;
  const changedLanes = tx.changedLanes.size > 0 ? [...tx.changedLanes] : NO_LANES;
  const hasNews = message.isWatched && tx.changedEvents.size > 0;
  const changedEvents = hasNews ? [...tx.changedEvents] : NO_EVENTS;
  tx.changedLanes.clear();
  tx.changedEvents.clear();
  const reply: BatchAnswer = { ...result, changedLanes, changedEvents, tookMs };
  port.postMessage(reply);
  if (result.lost === null) service.afterAnswer?.(service.hasForgotten?.() ?? false);
  else end(port, service);
}

/** The thread ends by itself when its port is closed. */
function end(port: MessagePort, service: { close(): void }): void {
  port.close();
  service.close();
}
