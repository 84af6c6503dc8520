/** What `make` returns, made with the first use and kept: for what takes milliseconds and is not needed for a start. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
