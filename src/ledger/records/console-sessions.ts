import { KEPT_CONSOLE_SESSIONS } from '../../hooks/ports/console-sessions.ts';
import type { ConsoleSession } from '../../hooks/ports/console-sessions.ts';
import { integer, text } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';

const FIND = 'SELECT * FROM @console_sessions WHERE digest = $1';
const TRIM = `DELETE FROM @console_sessions WHERE digest NOT IN
  (SELECT digest FROM @console_sessions ORDER BY ends_at DESC LIMIT $1)`;
const INSERT = 'INSERT INTO @console_sessions (digest, started_at, ends_at) VALUES ($1, $2, $3)';
const EXTEND = 'UPDATE @console_sessions SET ends_at = $2 WHERE digest = $1 AND ends_at < $2';
const END = 'DELETE FROM @console_sessions WHERE digest = $1';

export async function findConsoleSession(tx: Tx, digest: string): Promise<ConsoleSession | null> {
  const row = await first(tx, FIND, digest);
  if (row === undefined) return null;
  return {
    digest: text(row, 'digest'),
    startedAt: integer(row, 'started_at'),
    endsAt: integer(row, 'ends_at'),
  };
}

export async function startConsoleSession(tx: Tx, session: ConsoleSession): Promise<null> {
  // Before the new one comes: it stays, whatever the clock said when the others began.
  await tx.run(TRIM, KEPT_CONSOLE_SESSIONS - 1);
  await tx.run(INSERT, session.digest, session.startedAt, session.endsAt);
  return null;
}

export async function extendConsoleSession(tx: Tx, digest: string, endsAt: number): Promise<null> {
  await tx.run(EXTEND, digest, endsAt);
  return null;
}

export async function endConsoleSession(tx: Tx, digest: string): Promise<null> {
  await tx.run(END, digest);
  return null;
}
