const KEY = '__proto__';

/** Removes every own `__proto__` key from a parsed value, in place; `text` is what it was parsed from. */
export function withoutProtoKeys(value: unknown, text: string): unknown {
  if (!canHold(text)) return value;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Object.hasOwn(node, KEY)) Reflect.deleteProperty(node, KEY);
    for (const child of Object.values(node)) {
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return value;
}

/** Literally, or with some of its characters escaped: those escapes all begin with `\u00`. */
function canHold(text: string): boolean {
  return text.includes(KEY) || text.includes('\\u00');
}
