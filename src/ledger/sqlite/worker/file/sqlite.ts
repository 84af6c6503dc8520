import type { DatabaseSync as Connection } from 'node:sqlite';

/** A connection of SQLite. Not imported: a Node that has no SQLite is to say that it is too old, before anything else fails. */
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
export type DatabaseSync = Connection;
