// What operators did. Entries are never changed, and go by age. What somebody had sent in place of a reply is read from the
// wait that he decided and its run: so it is forgotten with their event, and stands nowhere twice.
import type { AuditEntry, AuditFilter, AuditPage, NewAuditEntry } from '../../hooks/ports/audit.ts';
import type { Decision } from '../../hooks/ports/wait.ts';
import { shorten } from '../../platform/shorten.ts';
import { integer, optionalText, storedJson, text, time } from '../rows.ts';
import type { Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { writeMeta } from './meta.ts';

const INSERT = `INSERT INTO @audit (at, actor, client, operation, subject, outcome, changed_from, changed_to)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
const LIST = `SELECT a.*, s.decision, r.reply FROM @audit a LEFT JOIN @waits s ON s.id = a.subject
    LEFT JOIN @runs r ON KEY(r) = KEYOF(s.run_id)
  WHERE ($1::bigint IS NULL OR a.n < $1) AND ($2::text IS NULL OR a.actor = $2) ORDER BY a.n DESC LIMIT $3`;

/** Of a reply, and of what was sent in its place, in UTF-16 units: as a rule all. */
const LONGEST_SENT = 4000;

/** Within this time processes that share a ledger have all read what was changed. */
const TOGETHER_MS = 10 * 60_000;
const LAST_ONCE = `SELECT value FROM @meta WHERE key = 'audited once'`;

export async function recordAudit(tx: Tx, entry: NewAuditEntry): Promise<null> {
  const { at, actor, client, operation, subject, outcome, before, after, once } = entry;
  if (once !== undefined && (await wasRecorded(tx, once))) return null;
  const [from, to] = [before, after].map((state) => state && JSON.stringify(state));
  await tx.run(INSERT, at, actor, client, operation, subject, outcome, from!, to!);
  return null;
}

/** Whether another process did the same and nothing else was done so since; notes that it is done now. */
async function wasRecorded(tx: Tx, once: string): Promise<boolean> {
  await tx.lock(() => ['audit']);
  const row = await first(tx, LAST_ONCE);
  const value = row === undefined ? '' : text(row, 'value');
  const [time = '', name] = value.split(' ');
  if (name === once && Math.abs(tx.now - Number(time)) < TOGETHER_MS) return true;
  await writeMeta(tx, 'audited once', `${tx.now} ${once}`);
  return false;
}

/** Newest first; the cursor is the number of the last one shown. */
export async function listAudit(tx: Tx, { actor, cursor, limit }: AuditFilter): Promise<AuditPage> {
  const before = cursor === undefined ? null : Number(cursor);
  if (before !== null && !Number.isSafeInteger(before)) return { entries: [], nextCursor: null };
  // One row more than asked for is read: whether it exists decides whether there is a next page.
  const rows = await tx.all(LIST, before, actor ?? null, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    entries: shown.map(toEntry),
    nextCursor: last === undefined ? null : String(integer(last, 'n')),
  };
}

function toEntry(row: Row): AuditEntry {
  const outcome = text(row, 'outcome');
  const [before, after] = [stateIn(row, 'changed_from'), stateIn(row, 'changed_to')];
  // Of those that tried, one has decided.
  const { text: sent }: Partial<Decision> =
    outcome === 'done' ? storedJson(optionalText(row, 'decision') ?? '{}') : {};
  return {
    at: time(row, 'at'),
    actor: text(row, 'actor'),
    client: optionalText(row, 'client'),
    operation: text(row, 'operation'),
    subject: optionalText(row, 'subject'),
    outcome,
    before: sent === undefined ? before : { ...before, ...textIn(optionalText(row, 'reply')) },
    after: sent === undefined ? after : { ...after, ...textIn(sent) },
  };
}

function textIn(words: string | null): AuditEntry['before'] {
  return words === null ? null : { text: shorten(words, LONGEST_SENT) };
}

function stateIn(row: Row, column: string): AuditEntry['before'] {
  const stored = optionalText(row, column);
  return stored === null ? null : storedJson(stored);
}
