import type { DatabaseSync } from 'node:sqlite';
import { text } from './rows.ts';
import { storeTrouble } from './store-trouble.ts';

/**
 * Reads every page and says what is wrong with the first table that is not sound; null: nothing. Table by table, so that
 * no reading holds the log up for long.
 */
export function findDamage(db: DatabaseSync): string | null {
  try {
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    for (const table of tables) {
      const name = text(table, 'name').replaceAll("'", "''");
      const found = text(db.prepare(`PRAGMA quick_check('${name}')`).get()!, 'quick_check');
      if (found !== 'ok') return `table ${name}: ${found.split('\n').at(-1)}`;
    }
    return null;
  } catch (error) {
    return storeTrouble(error) ?? 'it cannot be read';
  }
}
