import { CARRIED_TABLES, CHANGING_WHILE_PAUSED } from '../../carried-tables.ts';
import type { CarriedFacts, CarriedName, CarriedRow, CarriedTable } from '../../carried-tables.ts';
import { certificateRow } from '../../certificate-rows.ts';
import { channelRows } from '../../channel-rows.ts';
import { text } from '../../rows.ts';
import { DATABASE_TIME, Database, storable } from '../connection.ts';
import type { Run } from '../connection.ts';
import { FIRST_ID } from '../ids.ts';
import { migrate } from '../migrate.ts';
import { findAlive } from '../operating/instances.ts';
import { databaseName, refusal } from '../refusal.ts';
import { beginMarker, endMarker, moveMarker, readCarried, readMarker } from './marker.ts';
import type { Carried, Marker } from './marker.ts';
import { SQL_TYPES, rowDigests } from './row-digests.ts';

/** Nobody holds it. */
const HOLD = `INSERT INTO @schema.held_texts (name, holder, held_until, value) VALUES ($1, $2, 0, $3)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** What a service that found nothing to do leaves behind. */
const WORTHLESS: ReadonlySet<CarriedName> = new Set(['activity']);

/** Which ledger is carried. */
type CarriedLedger = Pick<Marker, 'from' | 'lastEvent'>;

/**
 * A ledger on its way into a database. Every step writes its rows and the mark of how far it is in one transaction, and
 * compares the mark with the one that it left (marker.ts): of two copies at once one is refused at its next step, and a
 * copy that was cut off goes on behind the last row that is there. Rows come with their own ids and numbers; nothing is
 * accepted anew. The last transaction takes the mark away and lets numbers go on behind those that were carried.
 */
export class PostgresLedgerTarget {
  readonly #database: Database;
  readonly #url: string;
  #marker: Marker | null = null;

  private constructor(database: Database, url: string) {
    this.#database = database;
    this.#url = url;
  }

  /** Connects with the first call. */
  static async open(place: { readonly url: string; readonly schema: string }) {
    const database = await Database.of({ ...place, connections: 2 });
    return new PostgresLedgerTarget(database, place.url);
  }

  /** As `schema hooks of gateway at db.example.com:5432`. */
  get name(): string {
    return `schema ${this.#database.name} of ${databaseName(this.#url)}`;
  }

  /**
   * Changes nothing, and looks also where a service works on it by now.
   * @returns how this ledger was carried into it to its end; null: it was not
   * @throws Error with a sentence when it went on since
   */
  carried(source: CarriedLedger): Promise<Carried | null> {
    return this.#toldOf(() =>
      this.#whereMade(async (run) => {
        const found = await readCarried(run);
        if (found === null) return null;
        // An event is of one ledger only; a ledger without events is known by its place.
        const { from, lastEvent } = source;
        if (lastEvent !== null && found.lastEvent === lastEvent) return found;
        if (found.from !== from) return null;
        if (found.lastEvent === lastEvent) return found;
        throw new Error(
          `the ledger of ${from} was carried into it already and went on since; two ledgers cannot become one, so what it accepted since stays behind`,
        );
      }),
    );
  }

  /**
   * Changes nothing.
   * @returns the ledger that is on its way into it; null: there is nothing in it
   * @throws Error with a sentence when it cannot take this ledger
   */
  look(source: CarriedLedger): Promise<Marker | null> {
    return this.#toldOf(() => this.#look(source));
  }

  /**
   * Begins, or goes on with the same ledger where it was interrupted. What may have changed since is begun anew.
   * @throws Error with a sentence when it cannot take this ledger; then nothing in it was changed
   */
  begin(source: CarriedLedger, now: number): Promise<Marker> {
    return this.#toldOf(async () => {
      // Before tables are made in what is not ours.
      await this.#look(source);
      await migrate(this.#database, now);
      this.#marker = await this.#database.transaction(async (run) => {
        await run('SELECT pg_advisory_xact_lock(hashtext($1), 0)', [this.#database.name]);
        const found = await this.#markerFor(source, run);
        const begun = found ?? { ...source, at: now, table: null, after: null };
        if (found === null) await beginMarker(run, begun);
        for (const name of CHANGING_WHILE_PAUSED) await run(`DELETE FROM @schema.${name}`);
        if (begun.table === null || !CHANGING_WHILE_PAUSED.includes(begun.table)) return begun;
        const next = { ...begun, table: CHANGING_WHILE_PAUSED[0]!, after: null };
        await moveMarker(run, begun, next);
        return next;
      });
      return this.#marker;
    });
  }

  /** Writes rows, and how far that is, in one transaction. @param rows as {@link toStorable} makes them */
  write(
    { name, columns }: CarriedTable,
    rows: readonly CarriedRow[],
    after: Marker['after'],
  ): Promise<void> {
    const before = this.#begun;
    const next: Marker = { ...before, table: name, after };
    const names = columns.map(([column]) => column).join(', ');
    const lists = columns.map(([, type], at) => `$${at + 1}::${SQL_TYPES[type]}[]`).join(', ');
    const values = columns.map((_, at) => rows.map((row) => row[at]));
    // A minute that lies ahead was counted by a wrong clock: it is begun anew when it comes (operating/activity.ts).
    const insert =
      name === 'activity'
        ? `INSERT INTO @schema.activity (${names}, written_at) SELECT *, ${DATABASE_TIME} FROM unnest(${lists})`
        : `INSERT INTO @schema.${name} (${names}) SELECT * FROM unnest(${lists})`;
    return this.#toldOf(async () => {
      await this.#database.transaction(async (run) => {
        await moveMarker(run, before, next);
        await run(insert, values);
      });
      this.#marker = next;
    });
  }

  /** The digest of every row. */
  digests(table: CarriedTable): AsyncGenerator<string> {
    return rowDigests(this.#database, table);
  }

  /**
   * The ledger is whole: services may start.
   * @param held texts for whoever takes them (HeldTexts)
   * @throws Error when one has begun with it already
   */
  finish(
    { isPaused, bodiesForgottenTo, believed, channels, certificates }: CarriedFacts,
    held: readonly { readonly name: string; readonly value: string }[],
  ): Promise<void> {
    const facts = {
      bodies_forgotten_to: bodiesForgottenTo,
      believed,
      paused: isPaused || null,
      ...Object.fromEntries(channelRows(channels)),
      ...Object.fromEntries(certificates.map(certificateRow)),
    };
    return this.#toldOf(async () => {
      await this.#database.transaction(async (run) => {
        await this.#refuseAlive(run);
        for (const [key, value] of Object.entries(facts)) {
          if (value === null) continue;
          await run(
            `INSERT INTO @schema.meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
            [key, value === true ? 'yes' : String(value)],
          );
        }
        for (const { name, value } of held) await run(HOLD, [name, FIRST_ID, value]);
        for (const { name, columns } of CARRIED_TABLES) {
          const [key, type] = columns[0]!;
          if (type === 'integer' && name !== 'activity') await run(goOn(name, key));
        }
        await endMarker(run, this.#begun);
      });
      // Plans of a large ledger are made for a small one otherwise, until the server looks by itself.
      for (const { name } of CARRIED_TABLES) await this.#database.query(`ANALYZE @schema.${name}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.close();
  }

  get #begun(): Marker {
    if (this.#marker === null) throw new Error('nothing was begun');
    return this.#marker;
  }

  #look(source: CarriedLedger): Promise<Marker | null> {
    return this.#whereMade((run) => this.#markerFor(source, run));
  }

  /** Null where the database has no tables of ours. */
  #whereMade<T>(look: (run: Run) => Promise<T | null>): Promise<T | null> {
    return this.#database.transaction(async (run) => {
      const [meta] = await run(`SELECT to_regclass($1) IS NOT NULL AS "isThere"`, [
        `${this.#database.schema}.meta`,
      ]);
      return meta!['isThere'] === true ? look(run) : null;
    });
  }

  async #markerFor(source: CarriedLedger, run: Run): Promise<Marker | null> {
    await this.#refuseAlive(run);
    const marker = await readMarker(run);
    if (marker === null) {
      await this.#refuseUsed(run);
      return null;
    }
    if (marker.lastEvent === source.lastEvent) return marker;
    const what =
      marker.from === source.from
        ? `the ledger of ${marker.from} went on since it began to be carried`
        : `another ledger, that of ${marker.from}, is being carried into it`;
    throw new Error(
      `${what}: drop the schema (DROP SCHEMA ${this.#database.schema} CASCADE) and begin anew, or name another one (store.postgres.schema)`,
    );
  }

  async #refuseAlive(run: Run): Promise<void> {
    const alive = await findAlive(run);
    if (alive === null) return;
    throw new Error(
      `a service works on it (${alive}): stop it, and wait for 100 seconds if it was killed`,
    );
  }

  async #refuseUsed(run: Run): Promise<void> {
    const tables = CARRIED_TABLES.filter(({ name }) => !WORTHLESS.has(name));
    const list = tables.map(
      ({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM @schema.${name})`,
    );
    const used = await run(list.join(' UNION ALL '));
    if (used.length === 0) return;
    throw new Error(
      `it has a ledger of its own (rows in ${used.map((row) => text(row, 'name')).join(', ')}), and two cannot become one: name another schema (store.postgres.schema), or drop it if nobody needs it`,
    );
  }

  async #toldOf<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw refusal(this.#url, error);
    }
  }
}

/** A row as PostgreSQL can hold it. */
export function toStorable(row: CarriedRow): CarriedRow {
  return row.map((value) => (typeof value === 'string' ? String(storable(value)) : value));
}

/** Numbers go on behind those that were carried. */
function goOn(table: string, column: string): string {
  return `SELECT setval(pg_get_serial_sequence('@schema.${table}', '${column}'),
    (SELECT coalesce(max(${column}), 0) + 1 FROM @schema.${table}), false)`;
}
