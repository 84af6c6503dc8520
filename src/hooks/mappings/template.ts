import type { Redaction } from '../../platform/credentials.ts';
import type { ListLine } from '../options/index.ts';
import { parseConditions } from './parse-when.ts';
import type { ParsedConditions } from './when.ts';

/*
 * Templates are text with placeholders: `{{ payload.a.b[0] }}`, `{{ a || b }}` for the first that is there, and
 * `{{ a | max 500 }}` for so many characters at most. They are parsed when settings come in force and rendered for
 * requests; a placeholder only ever looks up data, it runs no code and reaches no inherited property.
 */

/** What templates and `forEach` can look at. `item` and `index` exist under `forEach` and in lines of a list only. */
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
  /** Where the item stands in the payload. */
  readonly itemAt?: ValuePath;
  /** What is left out of objects and lists, beside what names of fields tell. Absent: nothing at all. */
  readonly redaction?: Redaction;
  /** What the placeholders before have shown, where `{{ payload.* }}` wants to know; {@link renderTemplate} sees to it. */
  readonly said?: Said;
  /** Shared by all that is rendered of one request. Absent: there is no limit. */
  readonly room?: { characters: number };
}

/** What a text with `{{ payload.* }}` in it has said already. */
export interface Said {
  /** All that the placeholders may look up. */
  readonly named: readonly ValuePath[];
  /** What they have shown. */
  readonly paths: ValuePath[];
  /** Null inside a line for each item of a list: items may say the same. */
  readonly texts: Set<string> | null;
}

/** Keys from a root, or from the payload, down, e.g. `a.b[0]` is `['a', 'b', '0']`. */
export type ValuePath = readonly string[];

/** Looks up data: the first of its paths that finds something counts. */
export interface Placeholder {
  readonly paths: readonly ValuePath[];
  /** Most characters that are shown; the number of those left out follows. Absent: all. */
  readonly max?: number;
}

/** Literal text, or what is looked up in its place. */
export type TemplatePart = string | Placeholder;

/** One line of a template, or all of one that is a text. */
export interface TextLine {
  readonly parts: readonly TemplatePart[];
  /** What must be met, or there is no such line. */
  readonly when?: ParsedConditions;
}

/** One line for each item of a list. */
export interface EachLine extends TextLine {
  readonly each: ValuePath;
  /** Most items that get a line; the others are counted. */
  readonly most: number;
}

/** A template cut into text and placeholders. */
export interface Template {
  /** One, when the template is a text. */
  readonly lines: readonly (TextLine | EachLine)[];
  /** True: written as a list of lines, of which those that find nothing are left out. */
  readonly isList: boolean;
  /** The text before the first placeholder. */
  readonly literalStart: string;
  /** What its placeholders look up, outside of lists, where `{{ payload.* }}` leaves that out; null: it does not stand there. */
  readonly besideRest: readonly ValuePath[] | null;
}

/** Items of a list that get a line each, unless the line says `most`. */
const DEFAULT_MOST = 20;

export const ROOTS: ReadonlySet<string> = new Set([
  'payload',
  'headers',
  'query',
  'path',
  'now',
  'item',
  'index',
]);
const PATH = /^[^\s.[\]{}|]+(?:\.[^\s.[\]{}|]+|\[\d+\])*$/u;
const PLACEHOLDER = /\{\{(.*?)\}\}/gsu;
const MAX = /\|\s*max\s+([1-9]\d{0,6})\s*$/u;

/** @returns null when it is not a path such as `a.b[0]`. */
export function parsePath(text: string): ValuePath | null {
  const path = text.trim();
  if (!PATH.test(path)) return null;
  return path.replaceAll(/\[(\d+)\]/gu, '.$1').split('.');
}

const PAYLOAD_PATH = /^[^\s.[\]{}|]+(?:\.[^\s.[\]{}|]+|\[\d*\])*$/u;

/** @returns keys from the payload down, `[]` for any item of a list; null when it is no path such as `a[].b`. */
export function parsePayloadPath(text: string): ValuePath | null {
  const path = text.trim();
  if (!PAYLOAD_PATH.test(path)) return null;
  const keys = path.replaceAll(/\[(\d*)\]/gu, (_, at: string) => `.${at || '[]'}`).split('.');
  const [root = ''] = keys;
  if (root === 'payload') return keys.slice(1);
  return ROOTS.has(root) ? null : keys;
}

/**
 * @param source text, or a list of lines.
 * @returns what is wrong with the template, as the end of a sentence, instead of the template.
 */
export function parseTemplate(source: string | readonly (string | ListLine)[]): Template | string {
  if (typeof source === 'string') {
    const parts = parseText(source);
    return typeof parts === 'string' ? parts : toTemplate([{ parts }], false);
  }
  const lines: (TextLine | EachLine)[] = [];
  for (const written of source) {
    const line = parseLine(written);
    if (typeof line === 'string') return line;
    lines.push(line);
  }
  return toTemplate(lines, true);
}

function toTemplate(lines: Template['lines'], isList: boolean): Template {
  const [start] = lines[0]?.parts ?? [];
  const isLiteral = typeof start === 'string' && !isEach(lines[0]);
  const paths = listPaths({ lines });
  const besideRest = paths.some(({ path }) => isRest(path))
    ? paths.flatMap(({ path, isInList }) => (isInList ? [] : [path]))
    : null;
  return { lines, isList, literalStart: isLiteral ? start : '', besideRest };
}

function parseLine(written: string | ListLine): TextLine | EachLine | string {
  const parts = parseText(typeof written === 'string' ? written : written.line);
  if (typeof parts === 'string') return parts;
  if (typeof written === 'string') return { parts };
  const when = parseLineConditions(written);
  if (typeof when === 'string') return when;
  if (written.each === undefined) return { parts, ...when };
  const each = parsePath(written.each);
  if (each === null) return `has a line whose each is not a path: ${written.each}; write a.b[0]`;
  if (parts.every(isText)) {
    return 'has a line that is the same for every item; write for example {{ item.name }} into it';
  }
  return { each, parts, most: written.most ?? DEFAULT_MOST, ...when };
}

function parseLineConditions({ when }: ListLine): Pick<TextLine, 'when'> | string {
  if (when === undefined) return {};
  const { conditions, problems } = parseConditions(when, 'when');
  const [problem] = problems;
  return problem === undefined
    ? { when: conditions }
    : `has a line whose ${problem.key} ${problem.message}`;
}

/** @returns what is wrong, instead of the parts. */
function parseText(source: string): readonly TemplatePart[] | string {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of source.matchAll(PLACEHOLDER)) {
    const placeholder = parsePlaceholder(match[1] ?? '');
    if (placeholder === null) {
      return `has a placeholder that is not a path: ${match[0]}; write {{ a.b[0] }}, {{ a || b }} or {{ a | max 500 }}`;
    }
    parts.push(source.slice(end, match.index), placeholder);
    end = match.index + match[0].length;
  }
  const rest = source.slice(end);
  if (rest.includes('{{')) return 'has an opening {{ without its closing }}';
  return [...parts, rest].filter((part) => part !== '');
}

/** @returns null when one of its paths is none. */
function parsePlaceholder(inner: string): Placeholder | null {
  const [, max] = MAX.exec(inner) ?? [];
  const paths: ValuePath[] = [];
  for (const choice of inner.replace(MAX, '').split('||')) {
    const path = parsePath(choice);
    if (path === null) return null;
    paths.push(path);
  }
  return { paths, ...(max !== undefined && { max: Number(max) }) };
}

/** `{{ payload.* }}`: the payload without what the other placeholders have said. */
export function isRest([root, key, ...more]: ValuePath): boolean {
  return root === 'payload' && key === '*' && more.length === 0;
}

export function isText(part: TemplatePart): part is string {
  return typeof part === 'string';
}

export function isEach(line: TextLine | EachLine | undefined): line is EachLine {
  return line !== undefined && 'each' in line;
}

/** True: nothing in the template depends on a request. */
export function isStatic({ lines }: Template): boolean {
  return lines.every(({ parts }) => parts.every(isText));
}

/** Every path that the template looks up, and whether it stands in the line of a list, where `item` is. */
export function listPaths({
  lines,
}: Pick<Template, 'lines'>): { path: ValuePath; isInList: boolean }[] {
  return lines.flatMap((line) => {
    const inParts = line.parts.flatMap((part) => (isText(part) ? [] : part.paths));
    const isInList = isEach(line);
    return [
      ...(isEach(line) ? [{ path: line.each, isInList: false }] : []),
      ...inParts.map((path) => ({ path, isInList })),
    ];
  });
}
