import type { Tx } from '../tx.ts';

export interface DumpLedger {
  readonly tx: Tx;
  /** How the database keeps the latest time that was believed. */
  readonly belief: Belief;
  readonly held: HeldTexts;
}

export interface Belief {
  readonly key: string;
  readonly parse: (value: string) => number;
  readonly print: (time: number) => string;
}

export interface HeldTexts {
  read(): Promise<readonly HeldText[]>;
  write(texts: readonly HeldText[]): Promise<void>;
}

export interface HeldText {
  readonly name: string;
  readonly value: string;
}

export type RowCounts = Record<string, number>;

/** What is wrong with a dump itself, in a sentence that says what to do; the ledger is as it was. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
}
