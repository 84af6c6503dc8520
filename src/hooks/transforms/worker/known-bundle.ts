// Done in the thread that failed: nobody else is to wait for a large source map, which is counted through, not kept.

/** An error that left the machine; the transform chose every text in it. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Errors of the language; only their names may stand in a log without being looked up in the bundle. */
const BUILT_IN_ERRORS = new Set([
  'AggregateError',
  'Error',
  'EvalError',
  'InternalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);
/** A frame of a stack from inside: the called function, line and column in the bundle. */
const FRAME = /at (\S{1,200}) \(transform\.js:(\d{1,9}):(\d{1,9})\)/gu;

/** What source maps write numbers with: five bits of a number and, at 32, that more of it follow. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit.charCodeAt(0), value]));
const COMMA = 44;
const SEMICOLON = 59;

/** The part of a source map that is read (ECMA-426). */
interface Sources {
  readonly mappings: string;
  readonly sources: readonly string[];
}

/** A place in a source, its line counted from zero. */
interface Segment {
  readonly source: number;
  readonly line: number;
}

/** One bundle as the thread keeps it: its code, and its source map, which is parsed with its first failure. */
export class KnownBundle {
  readonly code: string;
  readonly #map: string;
  #sources: Sources | null = null;

  constructor(code: string, map: string) {
    this.code = code;
    this.#map = map;
  }

  /** The transform can write anything into both: only classes of the language or words of its code are named. */
  summarize({ name, stack }: ThrownError): string {
    const known = BUILT_IN_ERRORS.has(name) || this.#hasWord(name) ? name : 'Error';
    // The first frame that is not the constructor of the error itself.
    const frame = stack.matchAll(FRAME).find(([, called]) => called !== name);
    const place = frame === undefined ? null : this.#placeOf(Number(frame[2]), Number(frame[3]));
    return place === null ? known : `${known} at ${place}`;
  }

  #hasWord(name: string): boolean {
    if (!/^[A-Za-z_$][\w$]{0,99}$/u.test(name)) return false;
    const escaped = name.replaceAll('$', String.raw`\$`);
    return new RegExp(String.raw`(?<![\w$])${escaped}(?![\w$])`, 'u').test(this.code);
  }

  /** A line and column of the bundle, counted from one, as `file:line` of the author's. */
  #placeOf(line: number, column: number): string | null {
    const { mappings, sources } = (this.#sources ??= parse(this.#map));
    const found = findSegment(mappings, line - 1, column - 1);
    const source = found === null ? undefined : sources[found.source];
    if (found === null || source === undefined) return null;
    // The bundler writes its namespace before the path.
    return `${source.slice(source.indexOf(':') + 1)}:${found.line + 1}`;
  }
}

function parse(map: string): Sources {
  return JSON.parse(map);
}

/** The last segment that begins at that place or before it; lines and columns are counted from zero. */
function findSegment(mappings: string, line: number, column: number): Segment | null {
  /** Column in the bundle, source, line and column in it: each number is the difference to the one before. */
  const fields: [number, number, number, number] = [0, 0, 0, 0];
  let found: Segment | null = null;
  let lines = 0;
  let count = 0;
  let value = 0;
  let shift = 0;
  for (let at = 0; at <= mappings.length; at += 1) {
    const char = at < mappings.length ? mappings.charCodeAt(at) : SEMICOLON;
    if (char !== COMMA && char !== SEMICOLON) {
      const digit = VALUES.get(char) ?? 0;
      value += (digit & 31) << shift;
      shift += 5;
      if (digit >= 32) continue;
      if (count < 4) fields[count] = (fields[count] ?? 0) + (value & 1 ? -1 : 1) * (value >>> 1);
      count += 1;
      value = 0;
      shift = 0;
      continue;
    }
    if (count > 0) {
      if (lines > line || (lines === line && fields[0] > column)) return found;
      found = count < 4 ? null : { source: fields[1], line: fields[2] };
      count = 0;
    }
    if (char === COMMA) continue;
    lines += 1;
    fields[0] = 0;
  }
  return found;
}
