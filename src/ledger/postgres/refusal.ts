import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { getText } from '../../platform/objects.ts';
import type { Database } from './connection.ts';

/** SQLSTATE of a user who may not make the schema. */
const NOT_ALLOWED = '42501';

export function refusal({ place }: Pick<Database, 'place'>, error: unknown): unknown {
  const why = getText(error, 'message');
  if (why === undefined) return error;
  const sentence = `The PostgreSQL database ${place} cannot be used: ${why}${whatToDo(error)}.`;
  return new Error(sentence, { cause: error });
}

function whatToDo(error: unknown): string {
  if (getText(error, 'code') === NOT_ALLOWED) {
    return '; grant this user CREATE on the database, or make the schema for it';
  }
  return error instanceof LedgerUnavailable
    ? '; start it, or correct its address (store.postgres.url)'
    : '';
}
