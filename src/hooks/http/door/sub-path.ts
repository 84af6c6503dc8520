/** The part of a raw URL below the prefix, neither decoded nor with leading slashes; null: not literally below it. */
export type SubPath = (url: string) => string | null;

/**
 * Reads sub-paths below a route's own URL, e.g. `/hooks/*` or `/:tenant/hooks`. The router decodes and folds before it
 * matches; this does not, so that one hook has one spelling.
 */
export function subPathUnder(routeUrl: string): SubPath {
  const prefix = routeUrl
    .replace(/\/?\*?$/, '')
    .split('/')
    .map(segmentPattern)
    .join('/');
  const pattern = new RegExp(
    String.raw`^(?:[A-Za-z][A-Za-z\d+.-]*://[^/?#]*)?${prefix}(?:/+([^?#]*))?(?:[?#]|$)`,
    's',
  );
  return (url) => {
    const found = pattern.exec(url);
    return found === null ? null : (found[1] ?? '');
  };
}

function segmentPattern(segment: string): string {
  return segment.includes(':') ? '[^/?#]+' : RegExp.escape(segment);
}
