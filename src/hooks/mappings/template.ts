/*
 * Templates are text with placeholders such as `{{ payload.a.b[0] }}`. They are parsed when settings come in force and
 * rendered for requests; a placeholder only ever looks up data, it runs no code and reaches no inherited property.
 */

/** What templates and `forEach` can look at. `item` and `index` exist under `forEach` only. */
export interface TemplateScope {
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The sub-path without outer slashes. */
  readonly path: string;
  /** When the request came, ISO 8601 in UTC. */
  readonly now: string;
  readonly item?: unknown;
  readonly index?: number;
}

/** Keys from a root, or from the payload, down, e.g. `a.b[0]` is `['a', 'b', '0']`. */
export type ValuePath = readonly string[];

/** Literal text, or what a placeholder looks up. */
export type TemplatePart = string | ValuePath;

/** A template cut into text and paths. */
export interface Template {
  readonly parts: readonly TemplatePart[];
  /** Set when the template was written as a list of lines: each of them. */
  readonly lines?: readonly Template[];
  /** The text before the first placeholder. */
  readonly literalStart: string;
}

export interface Rendered {
  readonly text: string;
  /** True: at least one placeholder found something, so that content of the request is in the text. */
  readonly hasContent: boolean;
}

const ROOTS: ReadonlySet<string> = new Set([
  'payload',
  'headers',
  'query',
  'path',
  'now',
  'item',
  'index',
]);
const PATH = /^[^\s.[\]{}]+(?:\.[^\s.[\]{}]+|\[\d+\])*$/u;
const PLACEHOLDER = /\{\{(.*?)\}\}/gsu;

/** @returns null when it is not a path such as `a.b[0]`. */
export function parsePath(text: string): ValuePath | null {
  const path = text.trim();
  if (!PATH.test(path)) return null;
  return path.replaceAll(/\[(\d+)\]/gu, '.$1').split('.');
}

/**
 * @param source text, or a list of lines.
 * @returns what is wrong with the template, as the end of a sentence, instead of the template.
 */
export function parseTemplate(source: string | readonly string[]): Template | string {
  if (typeof source === 'string') return parseText(source);
  const lines: Template[] = [];
  for (const line of source) {
    const template = parseText(line);
    if (typeof template === 'string') return template;
    lines.push(template);
  }
  const parts = lines.flatMap((line) => line.parts);
  return { parts, lines, literalStart: lines[0]?.literalStart ?? '' };
}

function parseText(source: string): Template | string {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of source.matchAll(PLACEHOLDER)) {
    const path = parsePath(match[1] ?? '');
    if (path === null)
      return `has a placeholder that is not a path: ${match[0]}; write {{ a.b[0] }}`;
    parts.push(source.slice(end, match.index), path);
    end = match.index + match[0].length;
  }
  const rest = source.slice(end);
  if (rest.includes('{{')) return 'has an opening {{ without its closing }}';
  parts.push(rest);
  const [literalStart] = parts;
  return {
    parts: parts.filter((part) => part !== ''),
    literalStart: typeof literalStart === 'string' ? literalStart : '',
  };
}

/** True: nothing in the template depends on a request. */
export function isStatic({ parts }: Template): boolean {
  return parts.every((part) => typeof part === 'string');
}

/**
 * One pass, no code: a value that itself looks like a template stays as it is. Of a list of lines, one that has
 * placeholders which all find nothing is left out.
 */
export function renderTemplate({ parts, lines }: Template, scope: TemplateScope): Rendered {
  return lines === undefined ? renderParts(parts, scope) : renderLines(lines, scope);
}

function renderParts(parts: readonly TemplatePart[], scope: TemplateScope): Rendered {
  let hasContent = false;
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const text = toText(lookUp(part, scope));
    hasContent ||= text !== '';
    return text;
  });
  return { text: texts.join(''), hasContent };
}

function renderLines(lines: readonly Template[], scope: TemplateScope): Rendered {
  const kept = lines.flatMap((line) => {
    const rendered = renderParts(line.parts, scope);
    return rendered.hasContent || isStatic(line) ? [rendered] : [];
  });
  return {
    text: kept.map(({ text }) => text).join('\n'),
    hasContent: kept.some(({ hasContent }) => hasContent),
  };
}

/** Own properties only; anything missing is undefined. A path without a root begins in the payload. */
export function lookUp(path: ValuePath, scope: TemplateScope): unknown {
  let value: unknown = ROOTS.has(path[0] ?? '') ? scope : scope.payload;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}
