// Forgetting what is old: whole events, payloads, prompts and replies, then transcripts, dead work that belongs to no
// event, refusals, what operators did, why channels failed, ended sessions of the console, and idempotency keys. Unfinished events
// are never touched.
//
// The module asks for one step after the other until a step has room left (hooks/work/retention.ts). Each step has a
// budget of rows, and only one instance makes a step at a time. A process that ends between two steps loses nothing: the
// next one finds what is left by the same queries.
import { ExpiredKeys } from '../accepting/idempotency.ts';
import { USAGE_KEPT_DAYS } from '../../hooks/ports/usage.ts';
import type { Retention } from '../../hooks/ports/ledger.ts';
import { CHANNEL_FAILURE_KEYS } from '../channel-rows.ts';
import { DAY_MS } from '../records/usage.ts';
import { timeOf } from '../records/meta.ts';
import { integer, text } from '../rows.ts';
import { sessionLock } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { OldEvents } from './old-events.ts';
import type { Budget } from './old-events.ts';

/** Rows that one step may touch; it holds what accepting and working may wait for. */
const STEP_ROWS = 200;

/** Each finds some of one kind by age and deletes it: $1 is a time, $2 how many. */
const DEAD_WITHOUT_EVENT = deleteSome(
  'work',
  'id',
  `stage = 'dead' AND event_id IS NULL AND since < $1`,
);
const OLD_REFUSALS = deleteSome('refusals', 'n', 'at < $1');
const OLD_AUDIT = deleteSome('audit', 'n', 'at < $1');
const ENDED_CONSOLE_SESSIONS = deleteSome('console_sessions', 'digest', 'ends_at <= $1');
/** Digests of replies' words, which the build before has left. */
const REPLIES = deleteSome('replies', 'run_id', 'at <= $1');
const MARKS = deleteSome('reply_marks', 'event', 'at <= $1');
const OLD_USAGE = deleteSome('usage', 'day', `day < $1`);
const CHANNEL_FAILURES = `SELECT key, value FROM @meta WHERE key LIKE '${CHANNEL_FAILURE_KEYS}'`;

const OLD_TURNS = 'isolated IN (true, false) AND at < $1';
const OLD_ISOLATED_TURNS = 'isolated = true AND at < $1';
const IS_EMPTY = 'NOT EXISTS (SELECT 1 FROM @turns WHERE session = key)';
const FORGET_RUNNERS = `UPDATE @sessions SET runner = NULL, runner_session = NULL
  WHERE key = ANY ($1::text[]) AND ${IS_EMPTY}`;
const FORGET_SESSIONS = `DELETE FROM @sessions WHERE key = ANY ($1::text[]) AND channel IS NULL AND ${IS_EMPTY}
  AND NOT EXISTS (SELECT 1 FROM @system_events WHERE session = key)`;

export interface PruningHost {
  transaction<T>(act: (tx: Tx) => Promise<T>): Promise<T>;
  /** Whether anything may be forgotten by this clock; waits until no other instance forgets. */
  mayForget(tx: Tx): boolean | Promise<boolean>;
}

export class Pruning {
  readonly #events = new OldEvents();
  readonly #keys = new ExpiredKeys();

  /** @returns how many rows were forgotten; null: nothing may be, by this clock */
  async step(host: PruningHost, retention: Retention): Promise<number | null> {
    const { payloadsBefore, eventsBefore, now } = retention;
    const budget = { left: STEP_ROWS };
    if (!(await this.#forgetEvents(host, budget, retention))) return null;
    const some = async (act: (tx: Tx) => Promise<void>): Promise<void> => {
      if (budget.left > 0) await host.transaction(act);
    };
    await some((tx) => forgetTurns(tx, budget, OLD_TURNS, eventsBefore));
    await some((tx) => forgetTurns(tx, budget, OLD_ISOLATED_TURNS, payloadsBefore));
    await some((tx) => spend(tx, budget, DEAD_WITHOUT_EVENT, eventsBefore));
    await some((tx) => spend(tx, budget, OLD_REFUSALS, eventsBefore));
    await some((tx) => spend(tx, budget, OLD_AUDIT, eventsBefore));
    await some((tx) => forgetChannelFailures(tx, budget, eventsBefore));
    await some((tx) => spend(tx, budget, ENDED_CONSOLE_SESSIONS, now));
    await some((tx) =>
      spend(tx, budget, OLD_USAGE, Math.floor(now / DAY_MS) - USAGE_KEPT_DAYS + 1),
    );
    await some((tx) => spend(tx, budget, MARKS, now));
    await some((tx) => spend(tx, budget, REPLIES, now));
    await some((tx) => this.#keys.forget(tx, budget, now));
    return STEP_ROWS - budget.left;
  }

  /** A transaction was rolled back after all. */
  beginAnew(): void {
    this.#events.beginAnew();
  }

  /** Whether a step that forgot so much may have left something. */
  static hasMore(forgotten: number): boolean {
    return forgotten >= STEP_ROWS;
  }

  /** False: nothing may be forgotten by this clock. */
  async #forgetEvents(host: PruningHost, budget: Budget, retention: Retention): Promise<boolean> {
    try {
      return await host.transaction(async (tx) => {
        budget.left = STEP_ROWS;
        const mayForget = await host.mayForget(tx);
        if (mayForget) await this.#events.forget(tx, budget, retention);
        return mayForget;
      });
    } catch (error) {
      this.#events.beginAnew();
      throw error;
    }
  }
}

/** What the runner remembers goes with the last turn, and so does a session that never spoke to a channel. */
async function forgetTurns(tx: Tx, budget: Budget, which: string, before: number): Promise<void> {
  const found = `SELECT n, session FROM @turns WHERE ${which} LIMIT $2`;
  const turns = await tx.all(found, before, budget.left);
  if (turns.length === 0) return;
  const sessions = [...new Set(turns.map((row) => text(row, 'session')))];
  // Nothing comes into these sessions while it is decided whether there is anything in them.
  await tx.lock(() => sessions.map(sessionLock));
  await tx.run(
    'DELETE FROM @turns WHERE n = ANY ($1::bigint[])',
    turns.map((row) => integer(row, 'n')),
  );
  await tx.run(FORGET_RUNNERS, sessions);
  await tx.run(FORGET_SESSIONS, sessions);
  tx.memory.forgetSessions(sessions);
  budget.left -= turns.length;
}

async function forgetChannelFailures(tx: Tx, budget: Budget, before: number): Promise<void> {
  const failures = await tx.all(CHANNEL_FAILURES);
  const old = failures.filter((row) => timeOf(text(row, 'value')) < before);
  if (old.length === 0) return;
  await tx.run(
    'DELETE FROM @meta WHERE key = ANY ($1::text[])',
    old.map((row) => text(row, 'key')),
  );
  budget.left -= old.length;
}

async function spend(tx: Tx, budget: Budget, statement: string, before: number): Promise<void> {
  budget.left -= (await tx.all(statement, before, budget.left)).length;
}

function deleteSome(table: string, key: string, which: string): string {
  return `DELETE FROM @${table} WHERE ${key} IN
    (SELECT ${key} FROM @${table} WHERE ${which} LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1`;
}
