/** Reads by name, not by class: errors of Node's own modules come from another realm under Jest and in `node:vm`. */
export function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** The system's code of an error, e.g. `ECONNREFUSED`, on the error or below it. */
export function systemCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current !== undefined; depth += 1) {
    const code = property(current, 'code');
    // `ERR_…` are Node's complaints about how it was called: they do not pass with time.
    if (typeof code === 'string' && /^(?!ERR_)[A-Z][A-Z_]+$/.test(code)) return code;
    current = property(current, 'cause');
  }
  return undefined;
}
