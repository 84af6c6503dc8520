import { randomUUID } from 'node:crypto';
import { text } from '../rows.ts';
import { DATABASE_TIME as NOW, Database } from './connection.ts';

/** How long a text is held without a word of its holder, in milliseconds. */
const HELD_MS = 30_000;
const RENEW_MS = 10_000;
/** A holder that could not renew for so long takes it for lost before anybody else can have it. */
const DOUBT_MS = 25_000;

const TAKE = `INSERT INTO @schema.held_texts AS held (name, holder, held_until, value)
  VALUES ($1, $2, ${NOW} + ${HELD_MS}, '')
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE held.held_until < ${NOW}
  RETURNING value`;
const KEEP = `UPDATE @schema.held_texts SET held_until = ${NOW} + ${HELD_MS}, value = coalesce($3, value)
  WHERE name = $1 AND holder = $2 RETURNING name`;
const RELEASE = 'UPDATE @schema.held_texts SET held_until = 0 WHERE name = $1 AND holder = $2';

/**
 * Texts of which each has one holder among all processes, such as the place in a mailbox; the next holder gets what the
 * last one saved. By the database's clock and without a session of its own, so that it works behind a pooler. Held for
 * 30 s and renewed every 10 s; a holder that could not renew for 25 s stops, before anybody else can begin.
 */
export class HeldTexts {
  readonly #options: { readonly url: string; readonly schema: string };
  #opening: Promise<Database> | undefined;

  constructor({ url, schema }: { readonly url: string; readonly schema: string }) {
    this.#options = { url, schema };
  }

  /** Null: another process holds it. @throws LedgerUnavailable */
  async take(name: string): Promise<HeldText | null> {
    const database = await this.#open();
    const holder = randomUUID();
    const [row] = await database.query(TAKE, [name, holder]);
    return row === undefined ? null : new HeldText(database, { name, holder }, text(row, 'value'));
  }

  async close(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined);
    await database?.close();
  }

  #open(): Promise<Database> {
    this.#opening ??= Database.of({ ...this.#options, connections: 1 }).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}

export class HeldText {
  readonly text: string;
  readonly #database: Database;
  readonly #place: { readonly name: string; readonly holder: string };
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** What is to be saved; null: all is. */
  #next: string | null = null;
  #saving: Promise<void> | null = null;
  #heldAt = performance.now();

  constructor(
    database: Database,
    place: { readonly name: string; readonly holder: string },
    value: string,
  ) {
    this.#database = database;
    this.#place = place;
    this.text = value;
    this.#timer = setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  /** Aborts when this process holds it no longer. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Keeps another text; of several that come while one is written the last. What fails is tried with the next renewal. */
  save(value: string): void {
    this.#next = value;
    this.#renew();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#lost.signal.aborted) return;
    await this.#saving;
    if (this.#next !== null) await this.#keep().catch(() => {});
    this.#lost.abort();
    const { name, holder } = this.#place;
    await this.#database.query(RELEASE, [name, holder]).catch(() => {});
  }

  #renew(): void {
    this.#saving ??= this.#keepAll().finally(() => (this.#saving = null));
  }

  async #keepAll(): Promise<void> {
    try {
      do await this.#keep();
      while (this.#next !== null && !this.#lost.signal.aborted);
    } catch {
      if (performance.now() - this.#heldAt > DOUBT_MS) this.#lose();
    }
  }

  async #keep(): Promise<void> {
    const { name, holder } = this.#place;
    const [value, at] = [this.#next, performance.now()];
    const [row] = await this.#database.query(KEEP, [name, holder, value]);
    if (row === undefined) return this.#lose();
    this.#heldAt = at;
    if (this.#next === value) this.#next = null;
  }

  #lose(): void {
    clearInterval(this.#timer);
    this.#lost.abort();
  }
}
