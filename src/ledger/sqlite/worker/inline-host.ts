// One transaction and fsync for all calls of a group; no value leaves before its COMMIT: what callers hear is durable.
import { errorMessage } from '../../../platform/errors.ts';
import type { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import type { CallMap, Functions } from '../../calls.ts';
import type { Key } from '../../rows.ts';
import type { Call, CallFailure, Group } from '../../call-queue.ts';
import type { GroupAnswer, GroupHead, SqliteHost } from '../protocol.ts';
import type { SqliteTx } from '../statements.ts';
import type { FileGuard } from './file/file-guard.ts';
import { StoreLost, damageIn, storeTrouble } from './file/store-trouble.ts';
import type { WriteAheadLog } from './file/write-ahead-log.ts';

export interface Connection<C extends CallMap<C>> {
  readonly db: DatabaseSync;
  readonly tx: SqliteTx;
  readonly handlers: Functions<C>;
  /** Those whose calls are done together, where they follow one another. */
  readonly together?: Together<C>;
  /** Of a connection that writes into files; its groups hold the writing lock from their beginning. */
  readonly files?: { readonly guard: FileGuard; readonly log: WriteAheadLog };
  /** Called before each group, outside of its transaction. */
  noteTime?(now: number, elapsed: number): void;
  /** Called after a rollback: what was remembered in memory may be wrong. */
  forget?(): void;
  /** True, once, when everything that was old is forgotten. */
  hasForgotten?(): boolean;
  close?(): void;
}

/** Does several calls of one name. @returns what each came to, in their order */
export type Together<C extends CallMap<C>> = {
  readonly [K in keyof C]?: (
    tx: SqliteTx,
    calls: readonly C[K]['args'][],
  ) => Promise<readonly C[K]['result'][]>;
};

type GroupResult = Pick<GroupAnswer, 'values' | 'failures' | 'lost' | 'commitMs'>;

/** For the answers of groups after which there is nothing new to claim. */
const NO_LANES: readonly Lane[] = [];
/** For those that changed no event, or while nobody wants to know. */
const NO_EVENTS: readonly Key[] = [];

/**
 * Runs groups on the thread that asks. Handlers may return promises, but of what is there already: a group is over
 * before the event loop turns, and whoever asks sends the next one only after its answer.
 */
export class InlineHost<C extends CallMap<C>> implements SqliteHost<C> {
  readonly #connection: Connection<C>;
  #isLost = false;

  constructor(connection: Connection<C>) {
    this.#connection = connection;
  }

  async run(group: Group<C> & GroupHead): Promise<GroupAnswer> {
    const { tx, files } = this.#connection;
    const began = performance.now();
    const result = await runGroup(this.#connection, group);
    const tookMs = performance.now() - began;
    this.#isLost = result.lost !== null;
    const changedLanes = tx.changedLanes.size > 0 ? [...tx.changedLanes] : NO_LANES;
    const hasNews = group.isWatched && tx.changedEvents.size > 0;
    const changedEvents = hasNews ? [...tx.changedEvents] : NO_EVENTS;
    tx.changedLanes.clear();
    tx.changedEvents.clear();
    const hasForgotten = this.#connection.hasForgotten?.() ?? false;
    const log = this.#isLost ? null : (files?.log.look(hasForgotten) ?? null);
    return { ...result, changedLanes, changedEvents, tookMs, log };
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    if (!this.#isLost) connection.files?.log.empty();
    connection.close?.();
    if (connection.files === undefined) connection.db.close();
    else connection.files.guard.close(connection.db);
  }
}

/** Runs all calls of a group in one transaction; when one of them fails, each in a transaction of its own. */
async function runGroup<C extends CallMap<C>>(
  connection: Connection<C>,
  group: Group<C> & GroupHead,
): Promise<GroupResult> {
  const { files, tx } = connection;
  try {
    if (group.checkpoint === 'ended') files?.log.finish();
    connection.noteTime?.(group.now, group.elapsed);
    tx.now = group.now;
    const result = await runTogether(connection, group);
    files?.guard.checkPresent(group.checkpoint !== 'none');
    return result;
  } catch (error) {
    const failures = group.calls.map((_, index) => toFailure(connection, index, error));
    const lost = error instanceof StoreLost ? error.message : null;
    return { values: [], failures, lost, commitMs: 0 };
  }
}

/** @throws when no transaction could be begun: no call would fare better alone */
async function runTogether<C extends CallMap<C>>(
  connection: Connection<C>,
  group: Group<C> & GroupHead,
): Promise<GroupResult> {
  const { calls } = group;
  begin(connection);
  try {
    const values: unknown[] = [];
    for (let at = 0; at < calls.length; at = values.length) {
      const { name } = calls[at]!;
      const all = connection.together?.[name];
      if (all === undefined) {
        const value = invoke(connection, calls[at]!);
        // What is there at once is not waited for.
        values.push(value instanceof Promise ? await value : value);
      } else {
        let end = at + 1;
        while (calls[end]?.name === name) end += 1;
        const args = calls.slice(at, end).map((call) => call.args);
        values.push(...(await all(connection.tx, args)));
      }
    }
    const commitMs = commit(connection);
    return { values, failures: [], lost: null, commitMs };
  } catch (error) {
    rollBack(connection);
    if (calls.length === 1) {
      const failures = [toFailure(connection, 0, error)];
      return { values: [], failures, lost: null, commitMs: 0 };
    }
    return runOneByOne(connection, group);
  }
}

/** The slow way after a failure: a call that breaks takes none of its neighbours with it. */
async function runOneByOne<C extends CallMap<C>>(
  connection: Connection<C>,
  group: Group<C> & GroupHead,
): Promise<GroupResult> {
  const values: unknown[] = [];
  const failures: CallFailure[] = [];
  let commitMs = 0;
  for (const [index, call] of group.calls.entries()) {
    try {
      begin(connection);
      values[index] = await invoke(connection, call);
      commitMs = Math.max(commitMs, commit(connection));
    } catch (error) {
      rollBack(connection);
      failures.push(toFailure(connection, index, error));
    }
  }
  return { values, failures, lost: null, commitMs };
}

/** @throws StoreLost when somebody else wrote; nothing is begun then */
function begin<C extends CallMap<C>>({ db, files }: Connection<C>): void {
  if (files === undefined) return db.exec('BEGIN');
  // A lock that is asked for later is refused at once when another process has written since.
  db.exec('BEGIN IMMEDIATE');
  try {
    files.guard.checkUnchanged();
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** @returns how long it took, in milliseconds */
function commit<C extends CallMap<C>>({ db }: Connection<C>): number {
  const began = performance.now();
  db.exec('COMMIT');
  return performance.now() - began;
}

/** SQLite has rolled back by itself after some errors, e.g. a full disk. */
function rollBack<C extends CallMap<C>>(connection: Connection<C>): void {
  if (connection.db.isTransaction) connection.db.exec('ROLLBACK');
  connection.forget?.();
}

function invoke<C extends CallMap<C>, K extends keyof C>(
  { handlers, tx }: Connection<C>,
  call: Call<C, K>,
): C[K]['result'] | Promise<C[K]['result']> {
  return handlers[call.name](tx, ...call.args);
}

/** Work that damage never lets be written has to be ended; a question may be asked again once the file is whole. */
export function toFailure(
  { files }: { readonly files?: unknown },
  index: number,
  error: unknown,
): CallFailure {
  const trouble = storeTrouble(error);
  const damage = damageIn(error);
  const isQuestion = files === undefined;
  const unavailable = trouble !== null || (isQuestion && damage !== undefined);
  const message = trouble ?? damage ?? errorMessage(error);
  return { index, unavailable, message, ...(damage !== undefined && { damage }) };
}
