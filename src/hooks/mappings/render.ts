import { leaveOut, leaveOutAt } from '../../platform/credentials.ts';
import { isRecord } from '../../platform/objects.ts';
import { shorten } from '../../platform/shorten.ts';
import { applyFilter } from './filters.ts';
import { isEach, isText, listPaths } from './template.ts';
import type {
  EachLine,
  Placeholder,
  Said,
  Template,
  TemplatePart,
  TemplateScope,
  TextLine,
} from './template.ts';
import { REST, ROOTS, keysTo, lookIn } from './value-path.ts';
import type { ValuePath } from './value-path.ts';
import { findNo } from './when.ts';

// Own properties only; of objects and lists what is a credential is left out.

export interface Rendered {
  readonly text: string;
  /** True: at least one placeholder found something, so that content of the request is in the text. */
  readonly hasContent: boolean;
  /** True: every placeholder found something. */
  readonly isComplete: boolean;
}

/**
 * One pass, no code: a value that itself looks like a template stays as it is. Of a list of lines, one that has
 * placeholders which all find nothing is left out, and so is one whose conditions are not met.
 */
export function renderTemplate(template: Template, given: TemplateScope): Rendered {
  const { lines, isList, besideRest: named } = template;
  const said: Said | null = named && { named, paths: [], texts: new Set() };
  const scope = said === null ? given : { ...given, said };
  const wanted = lines.filter(({ when }) => when === undefined || findNo(when, scope) === null);
  const rendered = wanted.flatMap((line) =>
    isEach(line) ? renderEach(line, scope) : [{ ...renderParts(line.parts, scope), line }],
  );
  const kept = isList
    ? rendered.filter(({ hasContent, line }) => hasContent || line.parts.every(isText))
    : rendered;
  return {
    text: kept.map(({ text }) => text).join('\n'),
    hasContent: kept.some(({ hasContent }) => hasContent),
    isComplete: rendered.every(({ isComplete }) => isComplete),
  };
}

type RenderedLine = Rendered & { readonly line: TextLine };

/** A line for each of the first items; anything but a list has none. Inside, `item` and `index` are the list's. */
function renderEach(line: EachLine, scope: TemplateScope): RenderedLine[] {
  const items = lookUp(line.each, scope);
  if (!Array.isArray(items)) return [];
  const { whenItem = [] } = line;
  const shown: Rendered[] = [];
  let rest = 0;
  for (const [index, item] of items.entries() as Iterable<[number, unknown]>) {
    if (whenItem.length > 0 && findNo(whenItem, { ...scope, item }) !== null) continue;
    if (shown.length === line.most) {
      rest += 1;
      continue;
    }
    const ofItem = {
      ...scope,
      item,
      index,
      itemAt: placeOfItem(line.each, index, scope),
      ...(scope.said && { said: { ...scope.said, texts: null } }),
    };
    shown.push(renderParts(line.parts, ofItem));
  }
  const hasContent = shown.some((one) => one.hasContent);
  const counted = { text: `… and ${rest} more`, hasContent, isComplete: true };
  return (rest > 0 ? [...shown, counted] : shown).map((one) => ({ ...one, line }));
}

function renderParts(parts: readonly TemplatePart[], scope: TemplateScope): Rendered {
  let hasContent = false;
  let isComplete = true;
  const isAlone = parts.length === 1;
  const texts = parts.map((part) => {
    if (isText(part)) return part;
    const text = findText(part, scope, isAlone);
    if (text === '') isComplete = false;
    else hasContent = true;
    take(text.length, scope);
    return text;
  });
  return { text: texts.join(''), hasContent, isComplete };
}

/** Most characters that one request may become; or four times the payload, where that is more. */
const MOST_CHARACTERS = 16_000_000;

/** The room of one request, for {@link TemplateScope.room}: a field that is named for each item is there each time. */
export function roomFor(payloadText: string): { characters: number } {
  return { characters: Math.max(MOST_CHARACTERS, 4 * payloadText.length) };
}

/** @throws Error when there is no room: memory and prompts would grow to hundreds of times what was sent. */
function take(characters: number, { room }: TemplateScope): void {
  if (room === undefined) return;
  room.characters -= characters;
  if (room.characters >= 0) return;
  throw new Error(
    `the templates make more than ${MOST_CHARACTERS} characters of this request, or four times its payload: ` +
      'shorten what they repeat for every item, e.g. {{ title | max 500 }}',
  );
}

/** Empty when none of the paths finds anything. `isAlone`: it is its whole line. */
function findText(
  { paths, filters, max }: Placeholder,
  scope: TemplateScope,
  isAlone: boolean,
): string {
  const { said } = scope;
  for (const path of paths) {
    if (isAlone && said !== undefined && isLeftToRest(path, said, scope)) continue;
    const isOfRest = said !== undefined && path === REST;
    const found = isOfRest ? restOfPayload(said, scope) : toText(path, scope);
    if (found === '') continue;
    const text = filters.reduce(
      (shown, filter) => applyFilter(filter, shown, (at) => lookUp(at, scope)),
      found,
    );
    if (max !== undefined && text.length > max) return shorten(text, max);
    said?.paths.push(path);
    said?.texts?.add(text);
    return text;
  }
  return '';
}

/** Where `{{ payload.* }}` shows the rest, objects and lists are of that, and no text is said twice. */
function isLeftToRest(path: ValuePath, { texts }: Said, scope: TemplateScope): boolean {
  if (texts === null || path === REST) return false;
  const value = lookUp(path, scope);
  if (typeof value === 'string') return texts.has(value);
  return typeof value === 'object' && value !== null && !JSON.isRawJSON(value);
}

function restOfPayload({ named, paths, texts }: Said, scope: TemplateScope): string {
  const all: ReadonlySet<unknown> = texts ?? new Set();
  const isSaid = (path: ValuePath): boolean => all.has(lookUp(path, scope));
  let rest = shownAt(['payload'], scope.payload, scope);
  for (const path of [...paths, ...named.filter(isSaid)]) {
    const place = placeInPayload(path, scope);
    if (place !== undefined) rest = without(rest, place);
  }
  const prose = [...(texts ?? [])].filter((text) => PROSE.test(text));
  if (prose.length > 0) rest = withoutTexts(rest, new Set(prose));
  return rest === undefined || rest === null ? '' : JSON.stringify(rest);
}

/** What says the same wherever it stands. A word such as `closed` says of every field something else. */
const PROSE = /\s|^.{16}/u;

/** Without fields that hold one of these texts, nor what is empty then; undefined when nothing is left. Copies what changes. */
function withoutTexts(value: unknown, texts: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return texts.has(value) ? undefined : value;
  if (Array.isArray(value)) {
    let items: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      if (typeof item === 'string') continue;
      const rest = withoutTexts(item, texts);
      // The place of an item says something: it stays, as empty.
      if (rest !== item) (items ??= [...value])[index] = rest === undefined ? {} : rest;
    }
    return items ?? value;
  }
  if (!isRecord(value) || JSON.isRawJSON(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, child] of Object.entries(value)) {
    const rest = withoutTexts(child, texts);
    if (rest === child) continue;
    copy ??= { ...value };
    // Not an assignment: a field may be called `__proto__`.
    if (rest === undefined) Reflect.deleteProperty(copy, key);
    else Object.defineProperty(copy, key, { value: rest });
  }
  if (copy === undefined) return value;
  return Object.keys(copy).length === 0 ? undefined : copy;
}

/** A copy without the field at a place, nor what is empty then; undefined when nothing is left. */
function without(value: unknown, [key, ...more]: ValuePath): unknown {
  if (key === undefined) return undefined;
  if (!isRecord(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: child, ...others } = value;
  const rest = without(child, more);
  if (rest !== undefined) return { ...value, [key]: rest };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** Own properties only; anything missing is undefined. A path without a root begins in the payload. */
export function lookUp(path: ValuePath, scope: TemplateScope): unknown {
  return lookIn(ROOTS.has(path[0] ?? '') ? scope : scope.payload, path);
}

function toText(path: ValuePath, scope: TemplateScope): string {
  const value = lookUp(path, scope);
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(shownAt(path, value, scope));
}

/** An object or list without what is no agent's business; a text or number that is named is shown. */
export function shownAt(path: ValuePath, value: unknown, scope: TemplateScope): unknown {
  const { redaction } = scope;
  if (redaction === undefined) return value;
  const place = placeInPayload(path, scope);
  return place === undefined ? leaveOut(value) : leaveOutAt(value, place, redaction);
}

/** Keys from the payload down; undefined for what is not in it. */
function placeInPayload(
  path: ValuePath,
  { payload, item, itemAt }: TemplateScope,
): ValuePath | undefined {
  const [root = '', ...rest] = path;
  if (root === 'payload') return keysTo(payload, rest) ?? rest;
  if (root === 'item') return itemAt && [...itemAt, ...(keysTo(item, rest) ?? rest)];
  return ROOTS.has(root) ? undefined : (keysTo(payload, path) ?? path);
}

export function placeOfItem(
  list: ValuePath,
  index: number,
  scope: TemplateScope,
): ValuePath | undefined {
  const place = placeInPayload(list, scope);
  return place && [...place, String(index)];
}

/** Paths that begin with the name of a root where the payload has a field of that name, as many senders have. */
export function findShadowed(template: Template, scope: TemplateScope): ValuePath[] {
  return listPaths(template)
    .map(({ path }) => path)
    .filter(
      (path) =>
        ROOTS.has(path[0] ?? '') &&
        isNothing(lookUp(path, scope)) &&
        !isNothing(lookIn(scope.payload, path)),
    );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
