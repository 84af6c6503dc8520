/** The payload's own string field `source`. */
export function sourceOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const source: unknown = Object.getOwnPropertyDescriptor(payload, 'source')?.value;
  return typeof source === 'string' ? source : undefined;
}
