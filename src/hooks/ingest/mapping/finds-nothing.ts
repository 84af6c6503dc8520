import type { Problem } from '../../options/index.ts';
import { labelOf } from './mapping-entry.ts';
import { isStatic } from './template.ts';
import type { Template, TemplatePart } from './template.ts';
import type { PlacedMapping } from './unreachable.ts';

/** Warnings for templates that look where nothing is in any request. */
export function findsNothing({ entry, compiled }: PlacedMapping): Problem[] {
  const hasItems = compiled.forEach !== undefined;
  return Object.entries(compiled.templates).flatMap(([field, template]) =>
    [...new Set(mistakesOf(field, template, hasItems))].map((message) => ({
      key: labelOf(entry),
      message: `${field} ${message}`,
    })),
  );
}

function mistakesOf(field: string, template: Template, hasItems: boolean): string[] {
  const mistakes = template.parts.flatMap((part) => mistakeOf(part, hasItems) ?? []);
  if (field !== 'dedupeKey' || !isStatic(template)) return mistakes;
  return [
    ...mistakes,
    'has no placeholder and tells no two requests apart; write for example {{ id }}',
  ];
}

function mistakeOf(part: TemplatePart, hasItems: boolean): string | undefined {
  if (typeof part === 'string') return undefined;
  const [root = '', name = ''] = part;
  if (!hasItems && (root === 'item' || root === 'index')) {
    return `looks at ${root}, which exists with forEach only`;
  }
  if (root === 'headers' && name !== name.toLowerCase()) {
    return `looks at headers.${name}; names of headers are in lower case, write headers.${name.toLowerCase()}`;
  }
  return undefined;
}
