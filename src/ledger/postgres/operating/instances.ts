import { hostname } from 'node:os';
import type { LedgerLog } from '../../../hooks/ports/ledger.ts';
import type { InstanceFacts, LedgerInstance } from '../../../hooks/ports/ledger-admin.ts';
import { getText, parseJson } from '../../../platform/objects.ts';
import { integer, text, time } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import { DATABASE_TIME } from '../connection.ts';
import type { Database } from '../connection.ts';
import type { Run } from '../transaction.ts';

/** Whoever was not heard of for so long has died, in milliseconds: three words are missing. */
const GONE_MS = 100_000;
/** When the rows of the dead are removed. */
const FORGOTTEN_MS = 86_400_000;

const ENTER = `INSERT INTO @schema.instances (id, name, facts, started_at, seen_at)
  VALUES ($1, $2, $3, ${DATABASE_TIME}, ${DATABASE_TIME})`;
const STAY = `UPDATE @schema.instances SET seen_at = ${DATABASE_TIME}, facts = $2 WHERE id = $1`;
const LEAVE = 'DELETE FROM @schema.instances WHERE id = $1';
const FORGET = `DELETE FROM @schema.instances WHERE seen_at < ${DATABASE_TIME} - ${FORGOTTEN_MS}`;
const ALIVE = `seen_at > ${DATABASE_TIME} - ${GONE_MS}`;
const LIST = `SELECT id, name, facts, started_at, seen_at, (SELECT count(*) FROM @schema.work
    WHERE stage = 'leased' AND work.instance = instances.id) AS under_way
  FROM @schema.instances WHERE ${ALIVE} ORDER BY started_at, id`;

/** The name of a process that has the ledger open, the last one that said so; null: there is none. */
export async function findAlive(run: Run): Promise<string | null> {
  const [alive] = await run(
    `SELECT name FROM @schema.instances WHERE ${ALIVE} ORDER BY seen_at DESC LIMIT 1`,
  );
  return alive === undefined ? null : text(alive, 'name');
}

/** Which processes have the ledger open, this one among them, and whether they are configured alike. */
export class InstanceList {
  readonly #database: Database;
  readonly #log: LedgerLog;
  readonly #facts: () => InstanceFacts | undefined;
  #id = '';
  /** Who was configured otherwise at the last look, and who of them was told of. */
  #differing = '';
  #told = '';

  /** @param facts asked each time that this process says it is alive; undefined: there is nothing to say */
  constructor(database: Database, log: LedgerLog, facts: () => InstanceFacts | undefined) {
    this.#database = database;
    this.#log = log;
    this.#facts = facts;
  }

  async enter(id: string): Promise<void> {
    this.#id = id;
    await this.#database.query(FORGET);
    const name = `${hostname()} ${process.pid}`;
    await this.#database.query(ENTER, [id, name, this.#said()]);
    await this.#compare();
    // At a start nothing is on its way to another configuration.
    this.#tell();
  }

  async stay(): Promise<void> {
    await this.#database.query(STAY, [this.#id, this.#said()]);
    const before = this.#differing;
    await this.#compare();
    // A change of the files reaches each of them at its own time.
    if (this.#differing === before) this.#tell();
  }

  async leave(): Promise<void> {
    await this.#database.query(LEAVE, [this.#id]);
  }

  /** The oldest first. */
  async list(): Promise<readonly LedgerInstance[]> {
    const rows = await this.#database.query(LIST);
    return rows.map((row) => this.#toInstance(row));
  }

  #said(): string {
    return JSON.stringify(this.#facts() ?? {});
  }

  async #compare(): Promise<void> {
    const own = this.#facts()?.configuration;
    const others = own === undefined ? [] : await this.list();
    const differing = others.filter(
      ({ configuration }) => configuration !== null && configuration !== own,
    );
    this.#differing = differing.map(({ name }) => name).join(', ');
  }

  #tell(): void {
    if (this.#differing === this.#told) return;
    this.#told = this.#differing;
    this.#log.warn(
      this.#told === ''
        ? 'all services on this ledger are configured alike again'
        : `services on this ledger are configured differently from this one: ${this.#told}; what a request leads to depends on which of them gets it, until all have the same gateway.json5`,
    );
  }

  #toInstance(row: Row): LedgerInstance {
    const facts = parseJson(text(row, 'facts'));
    const id = text(row, 'id');
    return {
      id,
      name: text(row, 'name'),
      version: getText(facts, 'version') ?? null,
      configuration: getText(facts, 'configuration') ?? null,
      startedAt: time(row, 'started_at'),
      seenAt: time(row, 'seen_at'),
      isThis: id === this.#id,
      underWay: integer(row, 'under_way'),
    };
  }
}
