/** The value at a path of keys in parsed JSON; undefined where it leads nowhere. */
export function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The text or number at a path, as text. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}
