import { isCredential } from './request-headers.ts';

/** First value of each query parameter, decoded; credentials left out. */
export function queryOf(url: string): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of parameters(url)) {
    if (Object.hasOwn(query, name) || isCredential(name.toLowerCase())) continue;
    Object.defineProperty(query, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return query;
}

/** Whether a token was put where every log on the way keeps it. */
export function hasTokenInQuery(url: string): boolean {
  return parameters(url).some(([name]) => name === 'token');
}

/** `#` never belongs in a request; what follows it is read like a query, so that nothing hides behind it. */
function parameters(url: string): (readonly [name: string, value: string])[] {
  const start = url.search(/[?#]/);
  if (start === -1) return [];
  const parts = url.slice(start + 1).split(/[?&#]/);
  return parts.filter((part) => part !== '').map(decodedPair);
}

function decodedPair(part: string): readonly [string, string] {
  const equals = part.indexOf('=');
  return equals === -1
    ? [decoded(part), '']
    : [decoded(part.slice(0, equals)), decoded(part.slice(equals + 1))];
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
