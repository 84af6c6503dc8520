// What turns used, by day, and not by event: it stays when events are forgotten or erased.
import { DOLLAR, usageOfJob } from '../../hooks/ports/budgets.ts';
import type { UsageChange } from '../../hooks/ports/change.ts';
import type { UsageFilter, UsageLine } from '../../hooks/ports/usage.ts';
import { integer, storedJson, text, word } from '../rows.ts';
import type { Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';

export const DAY_MS = 86_400_000;
/** Different rows of a day: a sender may name any model where none is configured. */
const MOST_A_DAY = 1000;
const LONGEST_NAME = 200;
const OTHERS = 'others';
const NO_TOKENS = { inputTokens: 0, outputTokens: 0 };
const KINDS = ['run', 'heartbeat'] as const;

const ADD_TO = `turns = turns + 1, input_tokens = input_tokens + $7, output_tokens = output_tokens + $8,
  cost = cost + $9, unpriced = unpriced + $10, uncounted = uncounted + $11`;
const UPDATE = `UPDATE @usage SET ${ADD_TO}
  WHERE day = $1 AND kind = $2 AND hook = $3 AND agent = $4 AND model = $5 AND sender = $6 RETURNING 1`;
const COUNT = 'SELECT count(*) AS rows FROM @usage WHERE day = $1';
const INSERT = `INSERT INTO @usage AS u
  (day, kind, hook, agent, model, sender, turns, input_tokens, output_tokens, cost, unpriced, uncounted)
  VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10, $11)
  ON CONFLICT (day, kind, hook, agent, model, sender) DO UPDATE SET turns = u.turns + 1,
  input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
  cost = u.cost + excluded.cost, unpriced = u.unpriced + excluded.unpriced,
  uncounted = u.uncounted + excluded.uncounted`;

/** Turns that were cut off: nobody knows what they used. In one order, so that no two transactions wait for each other. */
export async function noteCutOff(tx: Tx, ended: readonly Row[]): Promise<void> {
  const turns = ended.filter((row) => KINDS.some((kind) => kind === text(row, 'kind')));
  const whose = turns.map((row) => JSON.stringify(usageOfJob(storedJson(text(row, 'job')))));
  for (const of of whose.toSorted()) {
    await noteUsage(tx, { of: storedJson(of), usage: 'unknown' });
  }
}

export async function noteUsage(
  tx: Tx,
  { of, usage, cost }: Pick<UsageChange, 'of' | 'usage' | 'cost'>,
): Promise<void> {
  if (usage === undefined) return;
  const day = Math.floor(tx.now / DAY_MS);
  const { kind, hook, agent, model, sender } = of;
  const isUnknown = usage === 'unknown';
  const { inputTokens, outputTokens } = isUnknown ? NO_TOKENS : usage;
  const used = [
    inputTokens,
    outputTokens,
    cost ?? 0,
    Number(cost === undefined),
    Number(isUnknown),
  ];
  const own = [day, kind, ...[hook, agent, model, sender].map(short)];
  if ((await tx.all(UPDATE, ...own, ...used)).length > 0) return;
  const isFull = integer((await first(tx, COUNT, day))!, 'rows') >= MOST_A_DAY;
  const others = [day, kind, OTHERS, short(agent), OTHERS, OTHERS];
  await tx.run(INSERT, ...(isFull ? others : own), ...used);
}

export async function readUsage(tx: Tx, { by, days }: UsageFilter): Promise<readonly UsageLine[]> {
  const from = Math.floor(tx.now / DAY_MS) - days + 1;
  const rows = await tx.all(
    `SELECT ${by} AS name, kind, sum(turns) AS turns, sum(input_tokens) AS input, sum(output_tokens) AS output,
      sum(cost) AS cost, sum(unpriced) AS unpriced,
      sum(uncounted) AS uncounted FROM @usage WHERE day >= $1 GROUP BY 1, 2 ORDER BY 1, 2`,
    from,
  );
  return rows.map((row) => ({
    name: by === 'day' ? dayOf(integer(row, 'name')) : text(row, 'name'),
    kind: word(row, 'kind', KINDS),
    turns: integer(row, 'turns'),
    inputTokens: integer(row, 'input'),
    outputTokens: integer(row, 'output'),
    cost: integer(row, 'cost') / DOLLAR,
    unpriced: integer(row, 'unpriced'),
    uncounted: integer(row, 'uncounted'),
  }));
}

/** Requests may name models, of any length. */
function short(name: string): string {
  return name.slice(0, LONGEST_NAME);
}

function dayOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
