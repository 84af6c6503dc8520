import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SystemClock } from '../../src/hooks/ports/clock.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/ledgers');

/** When the service of edition 1 was killed, on both stores; in epoch milliseconds. */
export const KILLED_AT = 1_795_447_262_000;

/** Goes as any clock, from a minute after that: by then, all that rested is due. */
export class ClockSinceKill extends SystemClock {
  readonly #shift = super.now() - KILLED_AT - 60_000;

  override now(): number {
    return super.now() - this.#shift;
  }
}

/** Puts a ledger that an earlier build left into a directory, `filled` or of an edition. */
export function putLedger(dir: string, name = 'edition-1'): void {
  mkdirSync(dir, { recursive: true });
  const file = readFileSync(join(FIXTURES, `${name}.db.gz`));
  writeFileSync(join(dir, 'ledger.db'), gunzipSync(file), { mode: 0o600 });
}

/** What makes the schema `hooks` in an empty database as edition 1 left it. */
export function dumpOfFirst(): string {
  return gunzipSync(readFileSync(join(FIXTURES, 'edition-1.sql.gz'))).toString();
}
