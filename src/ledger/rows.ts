// A row that holds something else than its schema says is a damaged store or a bug, so reading it throws.

export type Row = Readonly<Record<string, unknown>>;

/** What a row of events, runs or deliveries is found by: UUIDs in PostgreSQL, their time-ordered part as a number in SQLite. */
export type Key = string | number;

function unexpected(row: Row, column: string): Error {
  return new Error(`column ${column} holds ${row[column] === null ? 'null' : typeof row[column]}`);
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw unexpected(row, column);
}

export function optionalText(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw unexpected(row, column);
}

export function optionalInteger(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

/** A flag: a boolean in PostgreSQL, 0 or 1 in SQLite. */
export function isTrue(row: Row, column: string): boolean {
  const value = row[column];
  if (typeof value === 'boolean') return value;
  return integer(row, column) === 1;
}

export function word<W extends string>(row: Row, column: string, words: readonly W[]): W {
  const value = row[column];
  const known = words.find((candidate) => candidate === value);
  if (known === undefined) throw unexpected(row, column);
  return known;
}

/** An epoch millisecond column as ISO 8601. */
export function time(row: Row, column: string): string {
  return new Date(integer(row, column)).toISOString();
}

export function optionalTime(row: Row, column: string): string | null {
  return row[column] === null ? null : time(row, column);
}

/** How damage shows that SQLite cannot see: it knows no checksums. */
export const NO_JSON = 'what is stored of an event is no JSON';

/** JSON text as it was stored. @throws SyntaxError without the text: V8 would quote it, and it may hold secrets */
export function storedJson(
  stored: string,
  parse: (text: string) => unknown = JSON.parse,
): ReturnType<typeof JSON.parse> {
  try {
    return parse(stored);
  } catch {
    throw new SyntaxError(NO_JSON);
  }
}

export function keyIn(row: Row, column: string): Key {
  const value = row[column];
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw unexpected(row, column);
}
