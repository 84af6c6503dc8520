/** A `Pool` of the package `pg`, described here for hosts without its types. */
export interface PostgresPool {
  readonly options: object;
  connect(): Promise<{ release(error?: Error | boolean): void }>;
}
