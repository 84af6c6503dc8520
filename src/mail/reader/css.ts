/**
 * CSS as far as a mail's text can depend on it: tokens, rules and declarations, cut where a browser cuts them (strings,
 * comments, escapes, blocks, `!important`). Each character is looked at a bounded number of times, whatever a mail nests.
 * Node runs this file from its source: erasable syntax only.
 */

export interface Declaration {
  /** Lower-case, without escapes. */
  readonly name: string;
  /** Lower-case, blanks collapsed, without `!important`. */
  readonly value: string;
  readonly isImportant: boolean;
}

/** A style rule; `selector` is null where it is not known which elements it is for (a rule in a rule). */
export interface Rule {
  readonly selector: string | null;
  readonly declarations: readonly Declaration[];
  /** The at-rules around it, outermost first: `@media print`. */
  readonly conditions: readonly string[];
}

export interface Sheet {
  readonly rules: readonly Rule[];
  /** Statements and blocks without rules: `@import "x"`, `@font-face src:url(x)`. */
  readonly others: readonly string[];
}

/** Stands for a comment: it ends a word, and is nothing in a selector. */
const COMMENT = '\u0001';
const TOKEN =
  /\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[^])*(?:'|(?=\n)|$)|(?:[-\w\u0080-\uffff]|\\[^\n])+\(?|\s+|<!--|-->|[^]/g;
/** What follows `url(`, unless it is a string: everything up to the bracket. */
const URL_REST = /\s*(?!["'\s])(?:[^)\\]|\\[^])*(?:\)|$)/y;
/** At-rules whose block holds no rules for elements. */
const WITHOUT_RULES =
  /^@(?:font-face|page|(?:-\w+-)?viewport|(?:-\w+-)?keyframes|counter-style|property|font-feature-values|font-palette-values)\b/;

interface Context {
  readonly kind: 'rules' | 'style' | 'other';
  readonly selector: string | null;
  readonly conditions: readonly string[];
  readonly declarations: Declaration[];
}

/** Parses the text of a `<style>`. */
export function parseSheet(css: string): Sheet {
  return parse(css, { kind: 'rules', selector: null, conditions: [], declarations: [] });
}

/** Parses the attribute `style`. */
export function parseDeclarations(css: string): readonly Declaration[] {
  const start: Context = { kind: 'style', selector: '', conditions: [], declarations: [] };
  const { rules } = parse(css, start);
  return rules.flatMap(({ declarations }) => declarations);
}

function parse(css: string, start: Context): Sheet {
  const rules: Rule[] = [];
  const others: string[] = [];
  const contexts = [start];
  /** Brackets that are open within what is being read, by what closes them. */
  const closers: string[] = [];
  let text: string[] = [];
  const take = (): string => {
    const taken = text.join('').trim();
    text = [];
    return taken;
  };
  const endItem = (context: Context): void => {
    const item = take();
    if (item === '') return;
    if (item.startsWith('@') || context.kind === 'other') others.push(item);
    else if (context.kind === 'style') context.declarations.push(...toDeclaration(item));
  };
  const endContext = (context: Context): void => {
    if (context.kind !== 'rules') endItem(context);
    if (context.kind === 'style') rules.push(context);
  };
  for (const token of tokensOf(css)) {
    const context = contexts.at(-1) ?? start;
    const closer = closers.at(-1);
    if (closer !== undefined) {
      if (token === closer) closers.pop();
      else pushCloser(closers, token);
      text.push(token);
    } else if (token === '{' && !isCustomProperty(context, text)) {
      contexts.push(contextOf(take(), context, others));
    } else if (token === '}' && contexts.length > 1) {
      endContext(context);
      contexts.pop();
      text = [];
    } else if (token === ';' && (context.kind !== 'rules' || text[0]?.startsWith('@') === true)) {
      endItem(context);
    } else if (text.length > 0 || !(/^\s|^<!--$|^-->$/.test(token) || token === COMMENT)) {
      pushCloser(closers, token);
      text.push(token);
    }
  }
  for (const context of contexts.toReversed()) endContext(context);
  return { rules, others };
}

function contextOf(prelude: string, above: Context, others: string[]): Context {
  const { conditions } = above;
  const declarations: Declaration[] = [];
  const head = unescape(prelude.replaceAll(COMMENT, ' ').toLowerCase()).trim();
  if (above.kind === 'style') return { kind: 'style', selector: null, conditions, declarations };
  if (!head.startsWith('@')) {
    return { kind: 'style', selector: prelude.replaceAll(COMMENT, ''), conditions, declarations };
  }
  if (above.kind === 'other' || WITHOUT_RULES.test(head)) {
    others.push(head);
    return { kind: 'other', selector: null, conditions, declarations };
  }
  // Nobody nests deeper, but a hostile mail: what is deeper is in force or not.
  const deeper = conditions.length < 8 ? [...conditions, head] : conditions;
  return { kind: 'rules', selector: null, conditions: deeper, declarations };
}

function* tokensOf(css: string): Generator<string> {
  TOKEN.lastIndex = 0;
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(css); found !== null; found = pattern.exec(css)) {
    const [token] = found;
    if (token.startsWith('/*')) {
      yield COMMENT;
    } else if (token.endsWith('(') && token.length > 1) {
      URL_REST.lastIndex = pattern.lastIndex;
      const rest = unescape(token.toLowerCase()) === 'url(' ? URL_REST.exec(css)?.[0] : undefined;
      pattern.lastIndex += rest?.length ?? 0;
      yield `${token}${rest ?? ''}`;
    } else {
      yield token;
    }
  }
}

function pushCloser(closers: string[], token: string): void {
  if (token === '{') closers.push('}');
  else if (token === '[') closers.push(']');
  else if (token.endsWith('(')) closers.push(')');
}

function isCustomProperty({ kind }: Context, text: readonly string[]): boolean {
  return kind === 'style' && text[0]?.startsWith('--') === true;
}

function toDeclaration(item: string): Declaration[] {
  const colon = item.indexOf(':');
  const name = unescape(item.slice(0, colon).replaceAll(COMMENT, ' ').trim()).toLowerCase();
  if (colon < 1 || !/^[-\w]+$/.test(name) || name.startsWith('--')) return [];
  const written = item.slice(colon + 1).replaceAll(COMMENT, ' ');
  const [, text = '', important] = /^([^!]*)(!\s*[-\w\\]+\s*)?$/.exec(written.trim()) ?? [];
  if (important !== undefined && !/^!\s*important\s*$/.test(unescape(important).toLowerCase())) {
    return [];
  }
  const value = plainValue(text.trim().toLowerCase().replace(/\s+/g, ' '));
  return value === '' ? [] : [{ name, value, isImportant: important !== undefined }];
}

/** An escape is only read where it stands for a letter of a word; anywhere else it makes the value one nobody knows. */
function plainValue(value: string): string {
  if (!value.includes('\\')) return value;
  const plain = unescape(value).toLowerCase();
  return /^[a-z-]+$/.test(plain) ? plain : '?';
}

export function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:([\da-f]{1,6})\s?|([^]))/gi, (_, code?: string, other?: string) =>
    code === undefined
      ? (other ?? '')
      : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff)),
  );
}

/** What a condition says on a screen of this width: certainly in force, certainly not, or perhaps. */
export function holds(condition: string, width: number): 'yes' | 'no' | 'maybe' {
  if (!condition.startsWith('@media')) return 'maybe';
  const answers = condition
    .slice('@media'.length)
    .split(',')
    .map((query) => queryHolds(query.trim(), width));
  if (answers.includes('yes')) return 'yes';
  return answers.includes('maybe') ? 'maybe' : 'no';
}

function queryHolds(query: string, width: number): 'yes' | 'no' | 'maybe' {
  if (query === '') return 'yes';
  const parts = query.split(/\s+and\s+|\band(?=\()/).map((part) => partHolds(part.trim(), width));
  if (parts.includes('no')) return 'no';
  return parts.includes('maybe') ? 'maybe' : 'yes';
}

function partHolds(part: string, width: number): 'yes' | 'no' | 'maybe' {
  if (/^(?:only\s+)?(?:screen|all)$/.test(part)) return 'yes';
  if (/^(?:only\s+)?[a-z]+$/.test(part) && !/^(?:not|only|and|or)$/.test(part)) return 'no';
  const limit = /^\(\s*(min|max)-(?:device-)?width\s*:\s*([\d.]+)\s*(px|em|rem)\s*\)$/.exec(part);
  if (limit !== null) {
    const [, side, size, unit] = limit;
    const pixels = Number(size) * (unit === 'px' ? 1 : 16);
    return (side === 'min' ? width >= pixels : width <= pixels) ? 'yes' : 'no';
  }
  const scheme = /^\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)$/.exec(part)?.[1];
  if (scheme === undefined) return 'maybe';
  return scheme === 'light' ? 'yes' : 'no';
}
