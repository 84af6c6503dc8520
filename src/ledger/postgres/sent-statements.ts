// How statements go to the server: by themselves, or prepared by name until a session does not know one of them.
import { hash } from 'node:crypto';
import type { CustomTypesConfig, PoolClient } from 'pg';
import type { Row } from '../rows.ts';
import { send } from './clients.ts';
import { storable } from './storable.ts';
import { isUnprepared } from './trouble.ts';

/** Of a prepared statement: 132 bits. */
const NAME_CHARACTERS = 22;

const INT8 = 20;
const NUMERIC = 1700;

interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** Sends statements, in which `@schema` is the ledger's. */
export class SentStatements {
  readonly #schema: string;
  readonly #types: CustomTypesConfig;
  /** Null: the server is asked through something that mixes sessions up. */
  #prepared: Map<string, Prepared> | null = new Map();

  /** @param schema quoted */
  constructor(schema: string, types: typeof import('pg').types) {
    this.#schema = schema;
    // Of our statements alone: numbers here are times, counts and places, which JavaScript holds exactly.
    this.#types = {
      getTypeParser: (oid: number) =>
        oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid),
    };
  }

  async run(
    client: PoolClient,
    statement: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const text = statement.replaceAll('@schema', this.#schema);
    // Without values several statements may stand in one text.
    const given = values.length === 0 ? {} : { values: values.map(storable) };
    const { rows } = await send(client, { text, types: this.#types, ...given });
    return rows;
  }

  /** The same of a single one that comes again and again: it is planned once for each session. */
  async runAgain(
    client: PoolClient,
    statement: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    if (this.#prepared === null) return this.run(client, statement, values);
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      const text = statement.replaceAll('@schema', this.#schema);
      // By its text: whoever else has prepared it in this session means the same.
      const name = hash('sha256', `${this.#schema} ${statement}`, 'base64url');
      prepared = { name: name.slice(0, NAME_CHARACTERS), text };
      this.#prepared.set(statement, prepared);
    }
    const given = { values: values.map(storable), types: this.#types };
    try {
      const { rows } = await send(client, { ...prepared, ...given });
      return rows;
    } catch (error) {
      if (isUnprepared(error)) this.#prepared = null;
      throw error;
    }
  }
}
