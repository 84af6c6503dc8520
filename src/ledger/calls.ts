// What the ledger is asked to do, by name: so that whoever answers may be on another thread.
import type { Tx } from './tx.ts';

export type CallMap<C> = { [K in keyof C]: { args: readonly unknown[]; result: unknown } };

export interface Caller<C extends CallMap<C>> {
  /** @throws LedgerUnavailable when the store cannot be used. */
  call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']>;
}

export type CallsOf<F> = {
  [K in keyof F]: F[K] extends (tx: Tx, ...args: infer A) => infer R
    ? { args: A; result: Awaited<R> }
    : never;
};

export type Functions<C extends CallMap<C>> = {
  readonly [K in keyof C]: (
    tx: Tx,
    ...args: C[K]['args']
  ) => C[K]['result'] | Promise<C[K]['result']>;
};
