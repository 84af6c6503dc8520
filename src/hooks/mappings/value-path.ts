/** Names from a root, or from the payload, down, e.g. `a.b[0]["c.d"]` is `['a', 'b', '0', 'c.d']`. */
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

/** Every entry of a list, in paths that may look at several values. */
export const EACH = '[]';

/** `payload.*`; itself and no other path, since a field may be called `*`. */
export const REST: ValuePath = ['payload', '*'];

/** A name in brackets and quotes, of any characters: a backslash takes the next one as it is. */
export const QUOTED = String.raw`\["(?:[^"\\]|\\.)*"\]|\['(?:[^'\\]|\\.)*'\]`;
/** A name that needs no quotes. */
const PLAIN = String.raw`[^\s.[\]{}|]+`;
const STEP = new RegExp(String.raw`(?:^|(?!^)\.)(${PLAIN})|\[(\d*)\]|(${QUOTED})`, 'suyg');
const IS_PLAIN = new RegExp(`^${PLAIN}$`, 'u');

/** @returns null when it is not a path such as `a.b[0]["c.d"]`; one that begins with a bracket begins in the payload. */
export function parsePath(text: string, { hasEach = false } = {}): ValuePath | null {
  const source = text.trim();
  if (source === REST.join('.')) return REST;
  const steps = parseSteps(source, { hasEach });
  return steps !== null && source.startsWith('[') ? ['payload', ...steps] : steps;
}

/** The same of a path that begins in an item of a list. */
export function parseSteps(text: string, { hasEach = false } = {}): ValuePath | null {
  const source = text.trim();
  const steps: string[] = [];
  let end = 0;
  for (const [step, plain, index, quoted] of source.matchAll(STEP)) {
    const name = quoted?.slice(2, -2).replaceAll(/\\(.)/gsu, '$1') ?? plain ?? (index || EACH);
    // Where `[]` is any entry, a field of that name could not be told from it.
    if (name === EACH && hasEach === (quoted !== undefined)) return null;
    steps.push(name);
    end += step.length;
  }
  return end === source.length && end > 0 ? steps : null;
}

/** @returns keys from the payload down, {@link EACH} for any item of a list; null when it is no path such as `a[].b`. */
export function parsePayloadPath(text: string): ValuePath | null {
  const path = parsePath(text, { hasEach: true });
  if (path === null) return null;
  const [root = '', ...keys] = path;
  if (root === 'payload') return keys;
  return ROOTS.has(root) ? null : path;
}

/** As {@link parsePath} reads it. */
export function writePath(path: ValuePath): string {
  return path
    .map((name, at) => {
      if (!IS_PLAIN.test(name)) return `["${name.replaceAll(/["\\]/gu, String.raw`\$&`)}"]`;
      return at === 0 ? name : `.${name}`;
    })
    .join('');
}

/** What stands at exactly these keys: own properties only, and no getter is run. Undefined where they lead nowhere. */
export function valueAt(from: unknown, keys: ValuePath): unknown {
  let value = from;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (key === 'rawJSON' && JSON.isRawJSON(value)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

/**
 * The keys at which a path finds something: its names, or where these lead nowhere several of them as one key with dots
 * between, the fewest at each step. Undefined where nothing is found. What it looks at is bounded by the path and what
 * was sent.
 */
export function keysTo(from: unknown, path: ValuePath): ValuePath | undefined {
  if (valueAt(from, path) !== undefined) return path;
  let key = '';
  for (let at = 0; at < path.length; at += 1) {
    key += at === 0 ? path[at] : `.${path[at]}`;
    const child = valueAt(from, [key]);
    const rest = child === undefined ? undefined : keysTo(child, path.slice(at + 1));
    if (rest !== undefined) return [key, ...rest];
  }
  return undefined;
}

/** What a path finds; undefined where it leads nowhere. */
export function lookIn(from: unknown, path: ValuePath): unknown {
  const found = valueAt(from, path);
  if (found !== undefined || path.length < 2) return found;
  const keys = keysTo(from, path);
  return keys && valueAt(from, keys);
}
