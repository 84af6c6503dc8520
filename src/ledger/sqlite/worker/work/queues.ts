import type { DatabaseSync } from 'node:sqlite';
import type { Lane, NewWork } from '../../../../hooks/ports/jobs.ts';
import type { ClaimLimits } from '../../../../hooks/ports/work-ledger.ts';
import { integer, text, word } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import type { Tx, WorkMemory } from '../../../tx.ts';
import { KINDS, LANES } from '../../../work-rows.ts';
import { FIRST, SUSPECT_CRASHES } from '../../../work/stages.ts';

type Kind = NewWork['kind'];

interface UnderWay {
  readonly id: number;
  readonly lane: Lane;
  readonly kind: Kind;
  readonly server: string;
  readonly hook: string;
  readonly isSuspect: boolean;
}

interface Held {
  readonly byId: Map<number, UnderWay>;
  runs: number;
  suspects: number;
  readonly byServer: Map<string, number>;
  readonly byHook: Map<string, number>;
}

/** What waits and what is under way: counted once, then kept in mind, since nobody else writes work. */
export class Queues implements WorkMemory {
  readonly #sql: ReturnType<typeof prepareStatements>;
  #known: Held | null = null;
  /** Runs of each hook that have not ended. */
  #counted: Map<string, number> | null = null;
  /** Of the last claim of turns. */
  #limits: ClaimLimits = {};

  constructor(db: DatabaseSync) {
    this.#sql = prepareStatements(db);
  }

  added(kind: Kind, hook: string): void {
    if (this.#counted !== null && kind === 'run') add(this.#counted, hook, 1);
  }

  removed(kind: Kind, hook: string): void {
    if (this.#counted !== null && kind === 'run') add(this.#counted, hook, -1);
  }

  /** @param row of work that is leased now */
  begun(row: Row): void {
    hold(this.#held, toUnderWay(row), 1);
  }

  ended(workId: number): void {
    const work = this.#held.byId.get(workId);
    if (work !== undefined) hold(this.#held, work, -1);
  }

  /** A run that has no place is found by the claim that follows the end of another. */
  hasPlace(kind: Kind, hook: string): boolean {
    return kind !== 'run' || !(this.hasAllRuns || this.hasAllRunsOf(hook));
  }

  waitingRuns(_tx: Tx, hook: string): number {
    return (this.#backlog.get(hook) ?? 0) - (this.#held.byHook.get(hook) ?? 0);
  }

  limitTurns(limits: ClaimLimits): void {
    this.#limits = limits;
  }

  /** No run is claimed now. This process is all that there are: its places are those of all. */
  get hasAllRuns(): boolean {
    const { maxRuns = Infinity, maxRunsTotal = Infinity } = this.#limits;
    return this.#held.runs >= Math.min(maxRuns, maxRunsTotal);
  }

  hasAllRunsOf(hook: string): boolean {
    return (this.#held.byHook.get(hook) ?? 0) >= (this.#limits.perHook?.[hook] ?? Infinity);
  }

  get suspects(): number {
    return this.#held.suspects;
  }

  ofServer(server: string): number {
    return this.#held.byServer.get(server) ?? 0;
  }

  /** What is kept in mind may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#known = null;
    this.#counted = null;
  }

  get #held(): Held {
    if (this.#known !== null) return this.#known;
    const [byId, byServer, byHook] = [new Map(), new Map(), new Map()];
    const held: Held = { byId, runs: 0, suspects: 0, byServer, byHook };
    for (const row of this.#sql.leased.all()) hold(held, toUnderWay(row), 1);
    return (this.#known = held);
  }

  get #backlog(): Map<string, number> {
    this.#counted ??= new Map(
      this.#sql.backlog.all().map((row) => [text(row, 'hook'), integer(row, 'count')]),
    );
    return this.#counted;
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    leased: db.prepare(
      `SELECT id, lane, kind, server, hook, crashes FROM work WHERE stage = 'leased' AND ${FIRST}`,
    ),
    backlog: db.prepare(
      `SELECT hook, count(*) AS count FROM work
       WHERE kind = 'run' AND stage NOT IN ('deferred', 'dead') GROUP BY hook`,
    ),
  };
}

function toUnderWay(row: Row): UnderWay {
  return {
    id: integer(row, 'id'),
    lane: word(row, 'lane', LANES),
    kind: word(row, 'kind', KINDS),
    server: text(row, 'server'),
    hook: text(row, 'hook'),
    isSuspect: integer(row, 'crashes') >= SUSPECT_CRASHES,
  };
}

function hold(held: Held, work: UnderWay, by: 1 | -1): void {
  if (by === 1) held.byId.set(work.id, work);
  else held.byId.delete(work.id);
  if (work.isSuspect) held.suspects += by;
  if (work.lane === 'delivery') add(held.byServer, work.server, by);
  if (work.kind !== 'run') return;
  held.runs += by;
  add(held.byHook, work.hook, by);
}

/** A count of none is left out: hooks and channels come and go. */
function add(counts: Map<string, number>, name: string, by: number): void {
  const sum = (counts.get(name) ?? 0) + by;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}
