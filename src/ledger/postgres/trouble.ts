// Trouble that may pass; whatever is not named here is a bug, and is thrown as it is.

import { getText } from '../../platform/objects.ts';

/** By SQLSTATE, or by its first two characters where all of a class mean the same. */
const BY_STATE: Readonly<Record<string, string>> = {
  '08': 'the connection to the database was cut',
  '28': 'the database refuses the user or the password',
  '53': 'the database is short of memory or of connections',
  '53100': 'the disk of the database is full',
  '53300':
    'the database takes no more connections: raise its max_connections or lower the connections of the store',
  '57': 'the database is shutting down or starting',
  '57014':
    'the database cancelled a statement: its statement_timeout is too short, or it is overloaded',
  '58': 'the disk of the database reports an error',
  '3D000': 'there is no such database',
  '25006': 'the database is read-only: it is a standby',
  '40001': 'the database had to give up a transaction, again and again',
  '40P01': 'the database had to give up a transaction, again and again',
  '55P03': 'the database is locked by somebody else',
  XX001: 'the database is damaged',
  XX002: 'the database is damaged',
};

/** Errors of sockets and of the driver, which have no SQLSTATE. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the database is not running, or not there',
  ECONNRESET: 'the connection to the database was cut',
  EPIPE: 'the connection to the database was cut',
  ENOENT: 'the database is not running: its socket is not there',
  ENOTFOUND: 'the host of the database is not known',
  EAI_AGAIN: 'the host of the database cannot be looked up',
  ETIMEDOUT: 'the database does not answer',
  EHOSTUNREACH: 'the host of the database cannot be reached',
  ENETUNREACH: 'the host of the database cannot be reached',
};

/** The driver's own errors are told by their words only. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect/i, 'no connection to the database came free in time'],
  [/^connection terminated due to connection timeout/i, 'the database does not answer'],
  [/^query read timeout/i, 'the database does not answer'],
  [/^cannot use a pool after calling end/i, 'the pool of its connections was ended'],
  [
    /connection terminated|not queryable|connection ended/i,
    'the connection to the database was cut',
  ],
];

/** A short sentence about trouble with the database; null when the error is something else. */
export function databaseTrouble(error: unknown): string | null {
  const code = getText(error, 'code') ?? '';
  const known = BY_STATE[code] ?? BY_CODE[code];
  if (known !== undefined) return known;
  if (code.length === 5) return BY_STATE[code.slice(0, 2)] ?? null;
  const message = getText(error, 'message') ?? '';
  return BY_WORDS.find(([words]) => words.test(message))?.[1] ?? null;
}

/** Whether the server said that it did nothing, so that the same may be tried again at once. */
export function isGivenUp(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(codeOf(error)) || isUnprepared(error);
}

/** The pooler gave the transaction another session, or a migration has changed the table since. */
export function isUnprepared(error: unknown): boolean {
  return /^(?:26000|42P05|0A000)$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether the server answered at all: then the transaction was rolled back, and nothing is stored. */
export function isAnswered(error: unknown): boolean {
  return (
    error instanceof Error &&
    'severity' in error &&
    !/^(?:08|57P0)/.test(String('code' in error && error.code))
  );
}
