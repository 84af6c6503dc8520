/** The SQLSTATE of what the server refused; null: it was something else. */
export function stateOf(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : null;
}
