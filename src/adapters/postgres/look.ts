import { optionalText, text } from '../stored/rows.ts';
import { Database } from './connection.ts';
import { refusal } from './refusal.ts';

/** A database as somebody finds it who changes nothing in it. */
export interface DatabaseState {
  /** `15.18`. */
  readonly version: string;
  /** Whether there is a ledger in the schema. */
  readonly hasLedger: boolean;
  /** What can lose accepted events when the machine of the database loses its power: `fsync`, `synchronous_commit`. */
  readonly unsafe: readonly string[];
}

/** Connects and looks. @throws Error with a sentence that says what is wrong and what to do */
export async function lookAtPostgres(options: {
  readonly url: string;
  readonly schema: string;
}): Promise<DatabaseState> {
  const database = await Database.of({ ...options, connections: 1 });
  try {
    const [row] = await database.query(
      `SELECT current_setting('server_version') AS version,
         to_regclass($1) IS NOT NULL AS "hasLedger",
         CASE WHEN current_setting('fsync') = 'off' THEN 'fsync' END AS fsync,
         CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'synchronous_commit' END AS commit`,
      [`${database.schema}.meta`],
    );
    return {
      version: text(row!, 'version'),
      hasLedger: row!['hasLedger'] === true,
      unsafe: ['fsync', 'commit'].flatMap((name) => optionalText(row!, name) ?? []),
    };
  } catch (error) {
    throw refusal(options.url, error);
  } finally {
    await database.close();
  }
}
