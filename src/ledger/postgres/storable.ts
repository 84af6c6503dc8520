/** A value as PostgreSQL can hold it: its texts have no U+0000 and no halves of characters; both become U+FFFD. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  return Array.isArray(value) ? value.map(storable) : value;
}

/** How JSON writes U+0000 and halves of characters; it may also be a backslash of somebody's before such letters. */
const NOT_STORABLE = /\\u(?:0000|d[89a-f])/;

/** JSON text of a value whose texts are {@link storable}: the server reads them out of it. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!NOT_STORABLE.test(text)) return text;
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'string' ? storableText(inner) : inner,
  );
}

function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}
