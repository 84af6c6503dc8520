import { isExact, isInexact } from '../../platform/decimals.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Comparable, Problem } from '../options/index.ts';
import { EACH, parsePath } from './value-path.ts';
import type { ValuePath } from './value-path.ts';
import { NUMBER_TESTS, TEXT_TESTS, findNo } from './when.ts';
import type { ConditionPart, ParsedConditions, ValueTest } from './when.ts';

// The grammar of `when`: docs/mappings.md, Conditions. `and` is spread into its list, so only `or` is a part of its
// own.

const OPERATORS = [
  'not',
  'any',
  'all',
  'exists',
  ...Object.keys(NUMBER_TESTS),
  ...Object.keys(TEXT_TESTS),
].join(', ');

const ROOTS: readonly string[] = ['payload', 'item', 'headers', 'query'];

/** What JSON5 has read of it may not be what was written. */
const ROUNDED = 'is a number that JavaScript rounds; write its digits as a text';

/** Problems name the place below `key`. `hasItem`: they are those of a line for each item of a list. */
export function parseConditions(
  source: unknown,
  key: string,
  { hasItem = false } = {},
): { conditions: ParsedConditions; problems: Problem[] } {
  const parser = new ConditionParser(hasItem);
  return { conditions: parser.conditions(source, key), problems: parser.problems };
}

/** Whether such a payload meets conditions that are written so. */
export function isMetBy(payload: unknown, written: unknown): boolean {
  const { conditions } = parseConditions(written, 'when');
  return findNo(conditions, { payload, headers: {}, query: {} }) === null;
}

/** Collects every mistake; what was read beside one is not used. */
class ConditionParser {
  readonly problems: Problem[] = [];

  constructor(private readonly hasItem: boolean) {}

  conditions(source: unknown, key: string): ConditionPart[] {
    const parts = isRecord(source) ? Object.entries(source) : [];
    if (parts.length === 0) {
      this.#report(key, "must be an object with a condition, such as {'payload.action': 'opened'}");
    }
    const read = parts.flatMap<ConditionPart>(([written, asked]) => {
      const place = written.trim();
      const own = `${key}[${JSON.stringify(written)}]`;
      if (place === 'and') return this.#list(asked, own).flat();
      if (place === 'or') return [{ place, choices: this.#list(asked, own) }];
      const path = this.#path(place, own);
      if (path === null) return [];
      return [{ place, path, test: this.#ofPath(path, asked, own) }];
    });
    return [...read, ...asksForAuthentic(read)];
  }

  #report(key: string, message: string): void {
    this.problems.push({ key, message });
  }

  #list(asked: unknown, key: string): ConditionPart[][] {
    if (Array.isArray(asked) && asked.length > 0) {
      return asked.map((one: unknown, index) => this.conditions(one, `${key}[${index}]`));
    }
    this.#report(key, 'must be a list of objects with conditions');
    return [];
  }

  /** Null, and a problem, for a place that no request has. */
  #path(place: string, key: string): ValuePath | null {
    const path = parsePath(place, { hasEach: true }) ?? [];
    const [root = '', name, ...rest] = path;
    if (!ROOTS.includes(root) || (root === 'item' && !this.hasItem)) {
      this.#report(
        key,
        'looks nowhere; begin with payload., headers. or query., or write and or or',
      );
      return null;
    }
    if (root !== 'payload' && root !== 'item' && (name === undefined || rest.length > 0)) {
      this.#report(key, `must name one of ${root}, such as ${root}.x-event`);
      return null;
    }
    if (root === 'headers' && name !== name?.toLowerCase()) {
      this.#report(key, `never finds it; write headers.${name?.toLowerCase()}, in lower case`);
      return null;
    }
    return path;
  }

  /** With `[]` there are several values, so what is asked has to say how many of them must fit. */
  #ofPath(path: ValuePath, asked: unknown, key: string): ValueTest {
    const test = this.#test(asked, key);
    if (!path.includes(EACH)) return test;
    const many = manyTest(test);
    if (many !== null) return many;
    this.#report(key, 'finds several values; say how many must fit, such as {any: …} or {all: …}');
    return test;
  }

  #test(asked: unknown, key: string): ValueTest {
    if (Array.isArray(asked)) return { asks: 'one of', values: this.#values(asked, key) };
    if (isRecord(asked)) return this.#operators(asked, key);
    return { asks: 'one of', values: this.#values([asked], key) };
  }

  #values(given: readonly unknown[], key: string): Comparable[] {
    const values = given.filter(isComparable);
    if (values.length === given.length && values.length > 0) return values;
    const kinds =
      'must be a text, a number, true or false, a list of them, or an object of operators';
    this.#report(key, given.some(isRounded) ? ROUNDED : kinds);
    return [];
  }

  #operators(given: Readonly<Record<string, unknown>>, key: string): ValueTest {
    const tests = Object.entries(given).map(([name, operand]) => {
      return this.#operator(name, operand, `${key}.${name}`);
    });
    const [first] = tests;
    if (first === undefined) this.#report(key, `must have an operator: ${OPERATORS}`);
    return first !== undefined && tests.length === 1 ? first : { asks: 'every', tests };
  }

  #operator(name: string, operand: unknown, key: string): ValueTest {
    switch (name) {
      case 'not':
      case 'any':
      case 'all':
        return { asks: name, test: this.#test(operand, key) };
      case 'exists':
        if (typeof operand !== 'boolean') this.#report(key, 'must be true or false');
        return { asks: name, isWanted: operand === true };
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return { asks: name, bound: this.#bound(operand, key) };
      case 'startsWith':
      case 'endsWith':
      case 'contains':
        return { asks: name, texts: this.#texts(operand, key) };
      default:
        this.#report(key, `is no operator; known are ${OPERATORS}`);
        return { asks: 'one of', values: [] };
    }
  }

  #bound(operand: unknown, key: string): number | string {
    if (typeof operand === 'string' && isInexact(operand)) return operand;
    if (isExact(operand)) return operand;
    this.#report(key, isRounded(operand) ? ROUNDED : 'must be a number');
    return 0;
  }

  #texts(operand: unknown, key: string): string[] {
    const given: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    const texts = given.filter(isText);
    if (texts.length === given.length && texts.length > 0) return texts;
    this.#report(key, 'must be a text that is not empty, or a list of them');
    return [];
  }
}

/** Keys that tell who wrote something, and that anybody can write. */
const CLAIMS = ['from', 'fromAddress'];

/** Who wrote it is asked of what is authentic, where `authentic` stands beside it and no condition here is about that. */
function asksForAuthentic(parts: readonly ConditionPart[]): ConditionPart[] {
  const known = new Set(parts.map((part) => ('path' in part ? part.path.join('\n') : '')));
  return parts.flatMap((part) => {
    if ('choices' in part || !CLAIMS.includes(part.path.at(-1) ?? '')) return [];
    const path = [...part.path.slice(0, -1), 'authentic'];
    if (known.has(path.join('\n'))) return [];
    const isNot = { asks: 'one of', values: [false, 'unknown'] } as const;
    const test = path.includes(EACH) ? ({ asks: 'any', test: isNot } as const) : isNot;
    const place = part.place.replace(/from(?:Address)?(?=\W*$)/u, 'authentic');
    return [{ place, path, test: { asks: 'not', test } }];
  });
}

/** Null: the test is about one value. That there is a value means of many that one of them is there. */
function manyTest(test: ValueTest): ValueTest | null {
  switch (test.asks) {
    case 'any':
    case 'all':
      return test;
    case 'exists': {
      const isThere = { asks: 'any', test: { asks: 'exists', isWanted: true } } as const;
      return test.isWanted ? isThere : { asks: 'not', test: isThere };
    }
    case 'not': {
      const inner = manyTest(test.test);
      return inner && { asks: 'not', test: inner };
    }
    case 'every': {
      const tests = test.tests.map(manyTest).filter((one) => one !== null);
      return tests.length === test.tests.length ? { asks: 'every', tests } : null;
    }
    default:
      return null;
  }
}

function isComparable(value: unknown): value is Comparable {
  return typeof value === 'string' || typeof value === 'boolean' || isExact(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !isExact(value);
}
