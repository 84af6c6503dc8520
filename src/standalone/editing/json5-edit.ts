import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import { isSections } from '../json5-document.ts';
import { endOfLineComments, outlineOf } from './json5-outline.ts';
import type { Member, Outline } from './json5-outline.ts';
import { indentationAt, keyQuoteOf, styleOf, writeKey, writeValue } from './json5-style.ts';
import type { Json, Style } from './json5-style.ts';

/** One wish: `set` puts the value at the path, `append` adds it to the list there. Objects on the way are made. */
export interface Edit {
  readonly kind: 'set' | 'append';
  /** Keys from the outermost on; at least one. */
  readonly path: readonly string[];
  readonly value: Json;
}

/** A piece of the old text and what takes its place; `end` is the offset behind it. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What stands in the way of an edit; the message begins with the key. */
export class EditError extends Error {
  override readonly name = 'EditError';
}

/**
 * Applies the edits in order. Comments, order, quotes, indentation, commas and line ends of everything else stay, byte
 * for byte, and what is new is written like its neighbours.
 * @throws SyntaxError when the text is no JSON5; EditError when the path leads through something else than objects.
 */
export function editJson5(text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, edit) => applySplices(edited, splicesFor(edited, edit)), text);
}

/** The edits that put `value` over what is there: objects are joined key by key, everything else is set. */
export function mergeEdits(path: readonly string[], present: unknown, value: Json): Edit[] {
  if (!isSections(value) || !isSections(present)) return [{ kind: 'set', path, value }];
  return Object.entries(value).flatMap(([key, item]) =>
    mergeEdits([...path, key], Object.hasOwn(present, key) ? present[key] : undefined, item),
  );
}

/** What one edit changes in the text; nothing when it says so already. */
export function splicesFor(text: string, edit: Edit): Splice[] {
  const present: unknown = JSON5.parse(text);
  const root = outlineOf(text);
  if (root.kind !== 'object') throw new EditError('must be one object: { … }');
  const splices = new Editing(text, styleOf(text, root)).at(root, edit, 0);
  const wanted = withEdit(present, edit.path, edit);
  // The last word has the parser that the service reads the file with: nothing else is ever written.
  if (!isDeepStrictEqual(JSON5.parse(applySplices(text, splices)), wanted)) {
    throw new EditError(`${edit.path.join('.')} cannot be changed without hurting the file`);
  }
  return splices;
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  let at = 0;
  let edited = '';
  for (const { start, end, text: inserted } of splices) {
    edited += text.slice(at, start) + inserted;
    at = end;
  }
  return edited + text.slice(at);
}

class Editing {
  constructor(
    private readonly text: string,
    private readonly style: Style,
  ) {}

  at(object: Outline, edit: Edit, depth: number): Splice[] {
    const key = edit.path[depth];
    if (key === undefined) throw new EditError('names no key');
    // Of a key that is there twice the parser takes the last.
    const member = object.members.findLast((member) => member.key === key);
    const isLast = depth === edit.path.length - 1;
    if (member === undefined) return this.#add(object, key, missing(edit, depth));
    if (this.#isNull(member)) return this.#replace(member, missing(edit, depth));
    if (!isLast && member.value.kind === 'object') return this.at(member.value, edit, depth + 1);
    if (isLast && edit.kind === 'set') return this.#replace(member, edit.value);
    if (isLast && member.value.kind === 'array')
      return this.#add(member.value, undefined, edit.value);
    const place = edit.path.slice(0, depth + 1).join('.');
    throw new EditError(`${place} must be ${isLast ? 'a list' : 'an object'} to be edited`);
  }

  #isNull({ value }: Member): boolean {
    return this.text.slice(value.start, value.end) === 'null';
  }

  #replace({ value, start, isOnOwnLine }: Member, wanted: Json): Splice[] {
    const written = this.text.slice(value.start, value.end);
    if (isDeepStrictEqual(JSON5.parse(written), wanted)) return [];
    const indentation = isOnOwnLine ? indentationAt(this.text, start) : undefined;
    const text = writeValue(wanted, this.style, indentation);
    return [{ start: value.start, end: value.end, text }];
  }

  #add(container: Outline, key: string | undefined, value: Json): Splice[] {
    const last = container.members.at(-1);
    if (last === undefined) return [this.#addFirst(container, key, value)];
    const keyQuote = keyQuoteOf(this.text, container.members);
    const style = { ...this.style, keyQuote };
    const colon = last.key === undefined ? '' : this.#colonOf(last);
    const write = (indentation: string | undefined): string =>
      (key === undefined ? '' : writeKey(key, style) + colon) +
      writeValue(value, this.style, indentation);
    return last.isOnOwnLine ? this.#addLine(last, write) : this.#addBeside(last, write);
  }

  /** On a line of its own below the last member, behind the comments that stand beside that. */
  #addLine(last: Member, write: (indentation: string) => string): Splice[] {
    const indentation = indentationAt(this.text, last.start);
    const line = `${this.style.lineEnd}${indentation}${write(indentation)}`;
    if (last.comma !== undefined) {
      return [insertion(endOfLineComments(this.text, last.comma + 1), `${line},`)];
    }
    const end = last.value.end;
    const place = endOfLineComments(this.text, end);
    return place === end
      ? [insertion(end, `,${line}`)]
      : [insertion(end, ','), insertion(place, line)];
  }

  #addBeside(last: Member, write: (indentation: undefined) => string): Splice[] {
    const text = write(undefined);
    if (last.comma !== undefined) return [insertion(last.comma + 1, ` ${text},`)];
    return [insertion(last.value.end, `, ${text}`)];
  }

  #addFirst({ kind, start, end }: Outline, key: string | undefined, value: Json): Splice {
    const label = key === undefined ? '' : `${writeKey(key, this.style)}: `;
    const outer = indentationAt(this.text, start);
    const inner = outer + this.style.indent;
    const { lineEnd, hasTrailingCommas } = this.style;
    const behindComments = endOfInnerComments(this.text, start + 1);
    const isPlain = typeof value !== 'object' || value === null;
    const isFlat = !this.style.hasLines || (kind === 'array' && isPlain);
    if (behindComments === undefined && isFlat) {
      const text = `${label}${writeValue(value, this.style, undefined)}`;
      return { start: start + 1, end: end - 1, text: kind === 'array' ? text : ` ${text} ` };
    }
    const comma = hasTrailingCommas ? ',' : '';
    const line = `${lineEnd}${inner}${label}${writeValue(value, this.style, inner)}${comma}`;
    const place = behindComments ?? start + 1;
    return { start: place, end: end - 1, text: `${line}${lineEnd}${outer}` };
  }

  /** The colon of a neighbour with its blanks, unless there is more between key and value. */
  #colonOf({ keyEnd, value }: Member): string {
    const between = this.text.slice(keyEnd, value.start);
    return /^ *: *$/.test(between) ? between : ': ';
  }
}

/** Behind the last comment of a container that holds nothing else; undefined without any. */
function endOfInnerComments(text: string, from: number): number | undefined {
  let end = from;
  for (let at = from; ;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    const behind = endOfLineComments(text, at);
    if (behind === at) return end === from ? undefined : end;
    end = at = behind;
  }
}

function insertion(place: number, text: string): Splice {
  return { start: place, end: place, text };
}

/** What has to be put under the key of this depth, when nothing is there yet. */
function missing({ kind, path, value }: Edit, depth: number): Json {
  const innermost: Json = kind === 'append' ? [value] : value;
  return path.slice(depth + 1).reduceRight<Json>((inner, key) => ({ [key]: inner }), innermost);
}

/** The edit on data. */
function withEdit(present: unknown, path: readonly string[], edit: Edit): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (edit.kind === 'set') return edit.value;
    return Array.isArray(present) ? [...present, edit.value] : [edit.value];
  }
  const object = isSections(present) ? present : {};
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withEdit(inner, rest, edit) };
}
