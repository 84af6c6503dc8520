import { Channel, RunRules } from '../../src/hooks/ports/index.ts';
import type { NewEvent, RunJob, RunLease, WorkLedger } from '../../src/hooks/ports/index.ts';
import type { ReplySearch } from '../../src/hooks/ports/replies.ts';
import type { Approvals } from '../../src/hooks/work/approvals.ts';
import { plainParts } from '../../src/hooks/work/links.ts';
import { LoopKeeper } from '../../src/hooks/work/loops.ts';
import type { StepResult } from '../../src/hooks/work/step.ts';
import { SqliteTx } from '../../src/ledger/sqlite/statements.ts';
import { STEPS } from '../../src/ledger/sqlite/worker/file/schema.ts';
import { makeTables } from '../../src/ledger/sqlite/worker/file/migrate.ts';
import { DatabaseSync } from '../../src/ledger/sqlite/worker/file/sqlite.ts';
import { encodeHead } from '../../src/ledger/stored-head.ts';
import type { NewRow } from '../../src/ledger/tx.ts';
import { findReplies, keepReply } from '../../src/ledger/work/replies.ts';
import { runOf } from '../contracts/ledger/events.ts';
import { LoopWorld } from './loop-world.ts';
import type { Held, Incoming } from './loop-world.ts';

/**
 * What recognises a loop, with the rows that it looks at and nothing else of the module: a tenth of the time of
 * `LoopService`, which holds the same.
 */
export class LoopLookup extends LoopWorld {
  readonly #db = new DatabaseSync(':memory:');
  readonly #tx = new SqliteTx(this.#db);
  readonly #ledger = {
    findReplies: (search: ReplySearch) => findReplies(this.#tx, search),
  } as WorkLedger;
  readonly #held: Held[] = [];
  readonly #keeper = new LoopKeeper(new StopsAll(), this.#ledger, HOLDING);

  constructor() {
    super();
    makeTables(this.#db, STEPS.length);
  }

  override begin(): void {
    super.begin();
    this.#held.length = 0;
  }

  override async held(): Promise<readonly Held[]> {
    return this.#held;
  }

  override close(): void {
    this.#db.close();
  }

  protected override async accept(event: NewEvent, incoming: Incoming): Promise<void> {
    const tx = this.#tx;
    tx.now = this.clock.now();
    tx.insert('events', [rowOf(event)]);
    const job = jobOf(event);
    const lease = { kind: 'run', job } as RunLease;
    const origin = await this.#keeper.before(lease, false);
    if (origin !== null && 'outcome' in origin) {
      this.#held.push({ incoming, error: origin.reason ?? null });
      return;
    }
    const runId = runOf(event.id);
    const reply = this.reply(incoming, runId);
    const run = {
      id: runId,
      event: tx.keys.of(event.id),
      agent_id: 'main',
      session_key: 's',
      reply,
    };
    tx.insert('runs', [run]);
    for (const change of this.#keeper.remember(job, runId, reply, origin)) {
      if (change.type === 'reply') await keepReply(tx, change);
    }
    const text = plainParts(SENT_AS_IT_IS, reply).join('\n');
    this.hear({ to: incoming.to, text, idempotencyKey: runId, runId });
  }
}

/** Of an event that is over, since nobody works on it. */
function rowOf(event: NewEvent): NewRow {
  return {
    id: event.id,
    hook: event.hook,
    received_at: event.receivedAt,
    status: 'done',
    beats_open: 0,
    kept_until: 0,
    head: encodeHead(event, [], []),
    payload: event.payload,
  };
}

function jobOf({ actions }: NewEvent): RunJob {
  const works = actions.flatMap(({ changes }) => changes).filter(({ type }) => type === 'work');
  const [change] = works;
  if (change?.type !== 'work') throw new Error('it has no run');
  return change.work.job as RunJob;
}

class StopsAll extends RunRules {
  override limitsOf(): readonly [] {
    return [];
  }

  override stopsLoops(): boolean {
    return true;
  }

  override quietHoursOf(): undefined {
    return undefined;
  }
}

const HOLDING = {
  loop: async (_lease: RunLease, reason: string): Promise<StepResult> => {
    return { outcome: { type: 'dead' }, reason, changes: [] };
  },
} as unknown as Approvals;

const SENT_AS_IT_IS = new (class extends Channel {
  override send(): never {
    throw new Error('nobody asked for it');
  }
})();
