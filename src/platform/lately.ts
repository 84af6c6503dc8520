/** Everybody is given the same answer for `forMs`, and shares a look under way. @param look never rejects */
export function lately<T>(
  clock: { now(): number },
  forMs: number,
  look: () => Promise<T>,
): () => Promise<T> {
  let last: { readonly at: number; readonly found: Promise<T> } | undefined;
  return () => {
    const now = clock.now();
    // A clock that was set back makes it no longer.
    if (last === undefined || Math.abs(now - last.at) >= forMs) last = { at: now, found: look() };
    return last.found;
  };
}
