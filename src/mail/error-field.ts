/** A field of whatever was thrown, of any kind and from anywhere. */
export function errorField(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  return Object.getOwnPropertyDescriptor(error, name)?.value;
}

/** The same when it is a short code word; else empty. Sentences of others may hold anything, so nobody repeats them. */
export function errorWord(error: unknown, name: string): string {
  const value = errorField(error, name);
  return typeof value === 'string' && /^[\w-]{1,60}$/u.test(value) ? value : '';
}
