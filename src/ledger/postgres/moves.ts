import { integer, text, word } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { Moves, Tx } from '../tx.ts';
import { LANES } from '../work-rows.ts';
import type { Database, Run } from './connection.ts';

const OWNERS = 'SELECT lane, event_id FROM @work WHERE id = ANY ($1::bigint[])';

/** How work moves by the functions of the database (functions/), which take the locks of keys before the rows. */
export class PostgresMoves implements Moves {
  readonly #database: Database;
  readonly #run: Run;

  constructor(database: Database, run: Run) {
    this.#database = database;
    this.#run = run;
  }

  async requeue(tx: Tx, ids: readonly number[]): Promise<number> {
    const requeue = `SELECT ${this.#database.fn('requeue')}($1::bigint[], $2) AS id`;
    const put = await this.#run(requeue, [ids, tx.now]);
    const owners = await tx.all(
      OWNERS,
      put.map((row) => integer(row, 'id')),
    );
    for (const row of owners) {
      tx.changedLanes.add(word(row, 'lane', LANES));
      if (row['event_id'] !== null) tx.changedEvents.add(text(row, 'event_id'));
    }
    return put.length;
  }

  async withdraw(tx: Tx, work: readonly Row[]): Promise<void> {
    await tx.all(
      'DELETE FROM @work WHERE id = ANY ($1::bigint[])',
      work.map((row) => integer(row, 'id')),
    );
    for (const row of work) {
      tx.changedLanes.add(word(row, 'lane', LANES));
      if (['dead', 'blocked', 'deferred'].includes(text(row, 'stage'))) continue;
      const key = [text(row, 'lane'), text(row, 'key')];
      await this.#run(`SELECT ${this.#database.fn('promote')}($1, $2)`, key);
    }
  }

  async settle(tx: Tx, events: readonly string[]): Promise<void> {
    const settle = `SELECT ${this.#database.fn('settle')}($1::uuid[]) AS id`;
    for (const row of await this.#run(settle, [events])) tx.changedEvents.add(text(row, 'id'));
  }

  noteForgotten(): void {}

  async lock(names: readonly string[]): Promise<void> {
    await this.#run('SET LOCAL search_path = @schema, pg_temp');
    await this.#run(`SELECT ${this.#database.fn('lock')}($1::text[])`, [names]);
  }
}
