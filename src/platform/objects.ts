import { isNumber } from './exact-json.ts';

/** True for `{…}`: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined where the path leads nowhere. Own properties only: no name of a prototype is taken for data. */
export function getField(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The text or number at a path, as text; undefined when there is neither. */
export function getText(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = getField(value, ...path);
  if (typeof found === 'string') return found;
  return isNumber(found) ? JSON.stringify(found) : undefined;
}

/** How a message names a value of whatever kind: a text as it is, anything else as JSON. */
export function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}

/** Parsed JSON; undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
