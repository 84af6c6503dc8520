import JSON5 from 'json5';

/** Where one value of a JSON5 text stands, and what it holds. `end` is the offset behind it. */
export interface Outline {
  readonly kind: 'object' | 'array' | 'scalar';
  readonly start: number;
  readonly end: number;
  /** Of an object its keys with their values, of an array its elements; in the order of the text. */
  readonly members: readonly Member[];
}

/** One `key: value`, or one element of an array. */
export interface Member {
  /** Undefined in an array. */
  readonly key: string | undefined;
  /** Offset of the key, or of the element. */
  readonly start: number;
  /** Offset behind the key; that of the element in an array. */
  readonly keyEnd: number;
  readonly value: Outline;
  /** Offset of the comma that follows, which the last member may lack. */
  readonly comma: number | undefined;
  /** Whether it begins on another line than what stands before it. */
  readonly isOnOwnLine: boolean;
}

const BLANK = /\s+/y;
const COMMENT = /\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\//y;
const TEXT = /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"/y;
const WORD = /[^\s,:[\]{}"'/]+/y;
const LINE_END = /[\n\r\u2028\u2029]/;

/** The outline of a text that `JSON5.parse` accepts; of any other text it is meaningless. */
export function outlineOf(text: string): Outline {
  const scanner = new Scanner(text);
  scanner.skip();
  return scanner.value();
}

/** Behind the comments that follow on the same line; `from` itself when there are none. */
export function endOfLineComments(text: string, from: number): number {
  let end = from;
  for (let at = from; ;) {
    const blank = match(BLANK, text, at);
    if (LINE_END.test(blank)) return end;
    const comment = match(COMMENT, text, at + blank.length);
    if (comment === '') return end;
    at += blank.length + comment.length;
    end = at;
  }
}

class Scanner {
  #at = 0;

  constructor(private readonly text: string) {}

  /** Passes blanks and comments. */
  skip(): void {
    for (let passed = -1; passed !== this.#at;) {
      passed = this.#at;
      this.#take(BLANK);
      this.#take(COMMENT);
    }
  }

  value(): Outline {
    const start = this.#at;
    const opening = this.text[start];
    if (opening === '{') return this.#container('object', '}');
    if (opening === '[') return this.#container('array', ']');
    this.#word();
    return { kind: 'scalar', start, end: this.#at, members: [] };
  }

  #container(kind: 'object' | 'array', closing: string): Outline {
    const start = this.#at;
    const members: Member[] = [];
    for (let before = ++this.#at; ; before = this.#at) {
      this.skip();
      if (this.#at >= this.text.length || this.text[this.#at] === closing) break;
      members.push(this.#member(kind, before));
    }
    this.#at += 1;
    return { kind, start, end: this.#at, members };
  }

  #member(kind: 'object' | 'array', before: number): Member {
    const start = this.#at;
    const isOnOwnLine = LINE_END.test(this.text.slice(before, start));
    const written = kind === 'object' ? this.#word() : undefined;
    const keyEnd = this.#at;
    if (written !== undefined) this.#pass(':');
    const value = this.value();
    this.skip();
    const comma = this.text[this.#at] === ',' ? this.#at++ : undefined;
    return { key: keyOf(written), start, keyEnd, value, comma, isOnOwnLine };
  }

  #pass(sign: string): void {
    this.skip();
    if (this.text[this.#at] === sign) this.#at += 1;
    this.skip();
  }

  /** A quoted text, or anything up to the next sign that ends a number, a literal or a key. */
  #word(): string {
    const word = this.#take(TEXT) || this.#take(WORD);
    if (word === '') throw new SyntaxError(`is no JSON5 (offset ${this.#at})`);
    return word;
  }

  #take(pattern: RegExp): string {
    const taken = match(pattern, this.text, this.#at);
    this.#at += taken.length;
    return taken;
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** The key as data: escapes and quotes are read by the parser that reads the whole text. */
function keyOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  return Object.keys(JSON5.parse<object>(`{${written}:0}`))[0];
}
