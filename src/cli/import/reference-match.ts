import { isSections } from '../../standalone/json5-document.ts';
import type { Sections } from '../../standalone/json5-document.ts';

/** Which requests a mapping of the reference takes; undefined where a part is missing or blank. */
export interface ReferenceMatch {
  /** Without blanks and outer slashes. */
  readonly path: string | undefined;
  readonly source: string | undefined;
}

export function matchOf({ match }: Sections): ReferenceMatch {
  if (!isSections(match)) return { path: undefined, source: undefined };
  const path = textOf(match['path'])?.replace(/^\/+|\/+$/g, '');
  return { path: path === '' ? undefined : path, source: textOf(match['source']) };
}

/** The trimmed text; undefined when it is none, or blank. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}
