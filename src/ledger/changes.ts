// Writing changes: everything that an accepted event or a step does to the ledger besides the moves of its own work. A new
// kind of effect is one variant of `Change` (hooks/ports/change.ts) and one entry of `APPLY`.
//
// Each names the events whose status may be another one now; they are settled at the end, each once.
import type {
  Change,
  DeliveryChange,
  RunChange,
  SystemEventChange,
  TurnChange,
} from '../hooks/ports/change.ts';
import type { AttemptNote } from '../hooks/ports/change.ts';
import { NO_RUN } from './event-rows.ts';
import { noteUsage } from './records/usage.ts';
import { keyIn, optionalText } from './rows.ts';
import { addLines, consume, markFailed } from './sessions/lines.ts';
import { KEPT_TURNS, noteRoute } from './sessions/session-memory.ts';
import { first, ownKey, sessionLock } from './tx.ts';
import type { NewRow, Tx } from './tx.ts';
import { meterLock, settleTurn } from './work/budgets.ts';
import { makeWay } from './work/busy.ts';
import { addWork, lockOfWork } from './work/queue.ts';
import { expectEvents } from './work/resuming.ts';
import { Touched, settle } from './work/settlement.ts';
import type { Maker } from './work/settlement.ts';
import { appended } from './work/stages.ts';
import { closeWait, noteAsked } from './work/waits.ts';

/** Writes one change, and names the events that are to be settled. As a method, which takes whichever of its kinds. */
type Write<C extends Change> = { write(tx: Tx, change: C, touched: Touched): unknown }['write'];

/** What each kind of change writes. Locks are held. */
const APPLY: { readonly [K in Change['type']]: Write<Extract<Change, { type: K }>> } = {
  work: async (tx, { work }) => {
    const placed = await makeWay(tx, [work]);
    await addWork(tx, placed);
    await expectEvents(tx, placed);
  },
  'system-event': addLine,
  run: async (tx, run, touched) => {
    touched.add(ownKey(tx, run.eventId));
    await tx.insert('runs', [toRunRow(tx, run)]);
  },
  'run-update': async (tx, run, touched) => {
    const { contract, usage, warnings, toolCalls, status } = run;
    await update(tx, 'runs', run.id, touched, run.note, {
      status,
      model: run.model,
      prompt: run.prompt,
      reply: run.reply,
      summary: run.summary,
      contract: toJson(contract),
      usage: toJson(usage),
      warnings: toJson(warnings),
      tool_calls: toJson(toolCalls),
      finished_at: run.finishedAt,
      error: run.error,
    });
  },
  delivery: async (tx, delivery, touched) => {
    touched.add(ownKey(tx, delivery.eventId));
    await tx.insert('deliveries', [toDeliveryRow(tx, delivery)]);
  },
  'delivery-update': async (tx, { id, status, messageId, error, attempt }, touched) => {
    await update(tx, 'deliveries', id, touched, attempt, { status, message_id: messageId, error });
  },
  consume,
  'heartbeat-failed': markFailed,
  turn: addTurn,
  route: (tx, { session, channel, to }) => noteRoute(tx, session, { channel, to }),
  'bad-end': (tx, { line, eventId, count: times = 1 }) =>
    tx.insert('bad_ends', [{ event_id: eventId, line, count: times }]),
  decision: (tx, { id, decision }) => closeWait(tx, id, decision),
  asked: (tx, { id, messageId }) => noteAsked(tx, id, messageId),
  usage: async (tx, change, touched) => {
    await noteUsage(tx, change);
    for (const { whenNear } of await settleTurn(tx, change))
      for (const tells of whenNear) await apply(tx, tells, touched);
  },
  told: (tx, { through }) => tx.all('DELETE FROM @bad_ends WHERE n <= $1', through),
};

export function locksOf(changes: readonly Change[]): string[] {
  const locks: string[] = [];
  for (const change of changes) {
    if (change.type === 'work') locks.push(lockOfWork(change.work));
    if (change.type === 'usage') {
      for (const meter of change.meters) locks.push(meterLock(meter), ...locksOf(meter.whenNear));
    }
    if ('session' in change) locks.push(sessionLock(change.session));
  }
  return locks;
}

export async function apply(tx: Tx, change: Change, touched: Touched): Promise<void> {
  const write: Write<Change> = APPLY[change.type];
  await write(tx, change, touched);
}

/** Writes changes, whose locks are held, and settles the events that they touch. @param maker whose step it is */
export async function applyAll(tx: Tx, changes: readonly Change[], maker?: Maker): Promise<void> {
  const touched = new Touched(maker);
  for (const change of changes) await apply(tx, change, touched);
  await settle(tx, touched);
}

export function toRunRow(tx: Tx, run: RunChange): NewRow {
  const { id, eventId, agentId, sessionKey, model = null, thinking = null } = run;
  return {
    id,
    event: ownKey(tx, eventId),
    agent_id: agentId,
    session_key: sessionKey,
    model,
    thinking,
  };
}

/** A delivery that waits, or one that was decided against at once: its status says which. */
function toDeliveryRow(tx: Tx, delivery: DeliveryChange): NewRow {
  const { id, eventId, runId, channel, to, status, error = null } = delivery;
  const event = ownKey(tx, eventId);
  return { id, event, run_id: runId ?? NO_RUN, channel, recipient: to, status, error };
}

const OWNER = 'SELECT coalesce(mapping, hook) AS owner FROM @events e WHERE KEY(e) = $1';

async function addLine(tx: Tx, change: SystemEventChange, touched: Touched): Promise<void> {
  const { session, eventId, asksHeartbeat, deliveryId, at, hook, text } = change;
  const event = eventId === undefined ? null : ownKey(tx, eventId);
  const row = event === null ? undefined : await first(tx, OWNER, event);
  const owner = row === undefined ? null : optionalText(row, 'owner');
  const delivery = deliveryId === undefined ? null : tx.keys.of(deliveryId);
  const words = { at, hook, text, trust: JSON.stringify(change.trust) };
  await addLines(tx, [{ session, event, owner, asksHeartbeat, delivery, words }]);
  if (asksHeartbeat && event !== null) touched.heartbeat(event, 'asked');
}

const CLEAR_ISOLATED = 'DELETE FROM @turns WHERE session = $1 AND isolated = true';
const TRIM = `DELETE FROM @turns WHERE session = $1 AND isolated = false AND n <= (SELECT n FROM @turns
  WHERE session = $1 AND isolated = false ORDER BY n DESC LIMIT 1 OFFSET ${KEPT_TURNS})`;
/** An isolated turn leaves a conversation as it is. */
const unlessConversation = (isolated: string) => `WHERE NOT ${isolated}::boolean
  OR NOT EXISTS (SELECT 1 FROM @turns WHERE session = $1 AND isolated = false)`;
const ADD_TURN = `INSERT INTO @turns (session, at, isolated, untrusted, prompt, reply, events)
  SELECT $1::text, $2::bigint, $3::boolean, $4::boolean, $5::text, $6::text, $7::text ${unlessConversation('$3')}`;
const SET_RUNNER = `INSERT INTO @sessions AS s (key, runner, runner_session)
  SELECT $1::text, $2::text, $3::text ${unlessConversation('$4')}
  ON CONFLICT (key) DO UPDATE SET runner = excluded.runner, runner_session = excluded.runner_session
  WHERE (s.runner, s.runner_session) IS DISTINCT FROM (excluded.runner, excluded.runner_session)`;

/** The newest {@link KEPT_TURNS} turns are kept; an isolated one takes the place of the isolated one before it. */
async function addTurn(tx: Tx, turn: TurnChange): Promise<void> {
  const { session, at, isIsolated, prompt, reply, isUntrusted, events = [] } = turn;
  await tx.run(CLEAR_ISOLATED, session);
  const shown = events.length === 0 ? null : JSON.stringify(events);
  await tx.run(ADD_TURN, session, at, isIsolated, isUntrusted, prompt, reply, shown);
  if (!isIsolated) await tx.run(TRIM, session);
  const { runner = null, id = null } = (isIsolated ? undefined : turn.runnerSession) ?? {};
  await tx.run(SET_RUNNER, session, runner, id, isIsolated);
}

/** Continues the record of a run or a delivery: columns that are undefined stay. One that was forgotten is left alone. */
async function update(
  tx: Tx,
  table: 'runs' | 'deliveries',
  id: string,
  touched: Touched,
  note: AttemptNote | undefined,
  columns: Readonly<Record<string, NewRow[string] | undefined>>,
): Promise<void> {
  const key = tx.keys.of(id);
  if (key === null) return;
  const set: string[] = [];
  const values: NewRow[string][] = [];
  for (const [column, value] of Object.entries(columns)) {
    if (value === undefined) continue;
    values.push(value);
    set.push(`${column} = $${values.length + 1}`);
  }
  if (note !== undefined) {
    values.push(JSON.stringify(note));
    set.push(`notes = ${appended(`$${values.length + 1}`)}`);
  }
  if (set.length === 0) return;
  const sql = `UPDATE @${table} AS t SET ${set.join(', ')} WHERE KEY(t) = $1`;
  if (touched.addMaker(tx, id)) return tx.run(sql, key, ...values);
  for (const row of await tx.all(`${sql} RETURNING event`, key, ...values))
    touched.add(keyIn(row, 'event'));
}

function toJson(value: object | undefined): string | undefined {
  return value && JSON.stringify(value);
}
