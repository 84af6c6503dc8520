import type { Redaction } from '../../platform/credentials.ts';
import type { ListLine } from '../options/index.ts';
import { parseFilter, pathsOf } from './filters.ts';
import type { Filter } from './filters.ts';
import { parseConditions } from './parse-when.ts';
import { QUOTED, REST, parsePath } from './value-path.ts';
import type { ValuePath } from './value-path.ts';
import { placesOf } from './when.ts';
import type { ConditionPart, ParsedConditions } from './when.ts';

// A placeholder only ever looks up data: it runs no code and reaches no inherited property.

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
  readonly itemAt?: ValuePath;
  /** What is left out of objects and lists, beside what names of fields tell. Absent: nothing at all. */
  readonly redaction?: Redaction;
  /** What the placeholders before have shown, where `{{ payload.* }}` wants to know; {@link renderTemplate} sees to it. */
  readonly said?: Said;
  /** Shared by all that is rendered of one request. Absent: there is no limit. */
  readonly room?: { characters: number };
}

export interface Said {
  readonly named: readonly ValuePath[];
  readonly paths: ValuePath[];
  /** Null inside a line for each item of a list: items may say the same. */
  readonly texts: Set<string> | null;
}

/** Looks up data: the first of its paths that finds something counts. */
export interface Placeholder {
  readonly paths: readonly ValuePath[];
  readonly filters: readonly Filter[];
  /** Most characters that are shown; the number of those left out follows. Absent: all. */
  readonly max?: number;
}

export type TemplatePart = string | Placeholder;

/** One line of a template, or all of one that is a text. */
export interface TextLine {
  readonly parts: readonly TemplatePart[];
  /** What must be met, or there is no such line. */
  readonly when?: ParsedConditions;
}

export interface EachLine extends TextLine {
  readonly each: ValuePath;
  /** Most items that get a line; the others are counted. */
  readonly most: number;
  /** What an item must meet, or it is passed over. */
  readonly whenItem?: ParsedConditions;
}

export interface Template {
  /** One, when the template is a text. */
  readonly lines: readonly (TextLine | EachLine)[];
  /** True: written as a list of lines, of which those that find nothing are left out. */
  readonly isList: boolean;
  readonly literalStart: string;
  /** What its placeholders look up, outside of lists, where `{{ payload.* }}` leaves that out; null: it does not stand there. */
  readonly besideRest: readonly ValuePath[] | null;
}

/** Items of a list that get a line each, unless the line says `most`. */
const DEFAULT_MOST = 20;

/** Braces and pipes in a quoted name are part of it. */
const PLACEHOLDER = new RegExp(String.raw`\{\{((?:${QUOTED}|[^[]|\[(?!["']))*?)\}\}`, 'gsu');

/** @returns what is wrong with the template, as the end of a sentence, instead of the template. */
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
  const besideRest = paths.some(({ path }) => path === REST)
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

/** Those about the item are asked for each item, the others once. @returns what is wrong, instead of them */
function parseLineConditions({
  each,
  when,
}: ListLine): Pick<EachLine, 'when' | 'whenItem'> | string {
  if (when === undefined) return {};
  const { conditions, problems } = parseConditions(when, 'when', { hasItem: each !== undefined });
  const [problem] = problems;
  if (problem !== undefined) return `has a line whose ${problem.key} ${problem.message}`;
  const { true: whenItem = [], false: others = [] } = Object.groupBy(conditions, (part) =>
    isAboutItem(part) ? 'true' : 'false',
  );
  // So that the time stays linear in what was sent.
  if (whenItem.flatMap((part) => placesOf([part])).some((place) => !ITEM.test(place))) {
    return 'has a line with an or in its when that looks at item and at the request; ask them apart';
  }
  return { when: others, whenItem };
}

const ITEM = /^item\b/u;

function isAboutItem(part: ConditionPart): boolean {
  return placesOf([part]).some((place) => ITEM.test(place));
}

/** @returns what is wrong, instead of the parts. */
function parseText(source: string): readonly TemplatePart[] | string {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of source.matchAll(PLACEHOLDER)) {
    const placeholder = parsePlaceholder(match[1] ?? '');
    if (placeholder === null) {
      return `has a placeholder that is not a path: ${match[0]}; write {{ a.b[0] }}, {{ ["any name"] }}, {{ a || b }}, {{ a | max 500 }}, {{ a | date }}, {{ a | money: b }} or {{ a | in: list[id].name }}`;
    }
    parts.push(source.slice(end, match.index), placeholder);
    end = match.index + match[0].length;
  }
  parts.push(source.slice(end));
  if (parts.some((part) => isText(part) && part.includes('{{'))) {
    return 'has an opening {{ without its closing }}, or a [" without its "]';
  }
  return parts.filter((part) => part !== '');
}

const PIPES_AND_BETWEEN = new RegExp(String.raw`(?:${QUOTED}|[^|])+|\|+`, 'gsu');
const MAX = /^\s*max\s+([1-9]\d{0,6})\s*$/u;

/** @returns null when one of its paths or filters is none. */
function parsePlaceholder(inner: string): Placeholder | null {
  const [choices = '', ...behind] = splitAt('|', inner);
  const [, max] = MAX.exec(behind.at(-1) ?? '') ?? [];
  if (max !== undefined) behind.pop();
  const paths = allOrNull(splitAt('||', choices).map((path) => parsePath(path)));
  const filters = allOrNull(behind.map(parseFilter));
  if (paths === null || filters === null) return null;
  return { paths, filters, ...(max !== undefined && { max: Number(max) }) };
}

function splitAt(pipes: '|' | '||', source: string): string[] {
  const parts = [''];
  for (const [piece] of source.matchAll(PIPES_AND_BETWEEN)) {
    if (piece === pipes) parts.push('');
    else parts.push(`${parts.pop()}${piece}`);
  }
  return parts;
}

function allOrNull<One>(all: readonly (One | null)[]): One[] | null {
  const found = all.filter((one) => one !== null);
  return found.length === all.length ? found : null;
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
    const inParts = line.parts.flatMap((part) =>
      isText(part) ? [] : [...part.paths, ...part.filters.flatMap(pathsOf)],
    );
    const isInList = isEach(line);
    return [
      ...(isEach(line) ? [{ path: line.each, isInList: false }] : []),
      ...inParts.map((path) => ({ path, isInList })),
    ];
  });
}
