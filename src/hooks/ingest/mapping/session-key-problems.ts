import { fitsPrefix } from '../../options/index.ts';
import type { Problem } from '../../options/index.ts';
import { isStatic } from './template.ts';
import type { Template } from './template.ts';

/** What no payload can make right about a mapping's `sessionKey` (behaviour.md §6). */
export function sessionKeyProblems(
  key: string,
  template: Template | undefined,
  prefixes: readonly string[],
): Problem[] {
  if (template === undefined) return [];
  const start = template.literalStart;
  const messages = isStatic(template) ? [] : derivedProblems(start.trim());
  const fits = (prefix: string): boolean =>
    isStatic(template) ? fitsPrefix(start, [prefix]) : overlaps(start, prefix);
  if (prefixes.length > 0 && !prefixes.some(fits)) {
    messages.push(
      `can never begin with one of hooks.allowedSessionKeyPrefixes (${prefixes.join(', ')})`,
    );
  }
  return messages.map((message) => ({ key, message }));
}

/** @param start the literal text that the key begins with, trimmed */
function derivedProblems(start: string): string[] {
  if (start === '') {
    return [
      'must begin with literal text, so that a payload cannot choose the session; write for example hook:name:{{ id }}',
    ];
  }
  if (!/^agent:/iu.test(start)) return [];
  return [
    'must not begin with agent: when a payload fills it in; write for example hook:name:{{ id }}',
  ];
}

function overlaps(start: string, prefix: string): boolean {
  return fitsPrefix(start, [prefix]) || fitsPrefix(prefix, [start]);
}
