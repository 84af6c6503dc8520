/** Keys from a root, or from the payload, down, e.g. `a.b[0]` is `['a', 'b', '0']`. */
export type ValuePath = readonly string[];

export const ROOTS: ReadonlySet<string> = new Set([
  'payload',
  'headers',
  'query',
  'path',
  'now',
  'item',
  'index',
]);
const PATH = /^[^\s.[\]{}|]+(?:\.[^\s.[\]{}|]+|\[\d+\])*$/u;

/** @returns null when it is not a path such as `a.b[0]`. */
export function parsePath(text: string): ValuePath | null {
  const path = text.trim();
  if (!PATH.test(path)) return null;
  return path.replaceAll(/\[(\d+)\]/gu, '.$1').split('.');
}

const PAYLOAD_PATH = /^[^\s.[\]{}|]+(?:\.[^\s.[\]{}|]+|\[\d*\])*$/u;

/** @returns keys from the payload down, `[]` for any item of a list; null when it is no path such as `a[].b`. */
export function parsePayloadPath(text: string): ValuePath | null {
  const path = text.trim();
  if (!PAYLOAD_PATH.test(path)) return null;
  const keys = path.replaceAll(/\[(\d*)\]/gu, (_, at: string) => `.${at || '[]'}`).split('.');
  const [root = ''] = keys;
  if (root === 'payload') return keys.slice(1);
  return ROOTS.has(root) ? null : keys;
}
