import { isDeepStrictEqual } from 'node:util';
import { compareNumbers, isExact } from '../../platform/decimals.ts';
import { isNumber } from '../../platform/exact-json.ts';
import type { Comparable } from '../options/index.ts';
import { EACH, lookIn } from './value-path.ts';
import type { ValuePath } from './value-path.ts';

// Data, never code and no regular expression; linear in what they look at. Own properties only.

export interface ConditionInput {
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** In a line for each item of a list. */
  readonly item?: unknown;
}

/** What conditions were read into; all parts must say yes. */
export type ParsedConditions = readonly ConditionPart[];

export type ConditionPart =
  | {
      /** As it is written, e.g. `payload.labels[].name`. */
      readonly place: string;
      /** From the root down; {@link EACH} stands for every entry of a list. */
      readonly path: ValuePath;
      readonly test: ValueTest;
    }
  | { readonly place: 'or'; readonly choices: readonly ParsedConditions[] };

export type ValueTest =
  | { readonly asks: 'one of'; readonly values: readonly Comparable[] }
  | { readonly asks: 'not' | 'any' | 'all'; readonly test: ValueTest }
  | { readonly asks: 'exists'; readonly isWanted: boolean }
  | { readonly asks: keyof typeof NUMBER_TESTS; readonly bound: number | string }
  | { readonly asks: keyof typeof TEXT_TESTS; readonly texts: readonly string[] }
  | { readonly asks: 'every'; readonly tests: readonly ValueTest[] };

/** Of what the value is to the bound, as {@link compareNumbers} says it; only numbers are asked. */
export const NUMBER_TESTS = {
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
} as const;

/** Texts are looked into as they are, capitals and all. */
export const TEXT_TESTS = {
  startsWith: (value: string, text: string) => value.startsWith(text),
  endsWith: (value: string, text: string) => value.endsWith(text),
  contains: (value: string, text: string) => value.includes(text),
} as const;

/** The first part that says no; null: all of them say yes. */
export function findNo(conditions: ParsedConditions, input: ConditionInput): ConditionPart | null {
  return conditions.find((part) => !saysYes(part, input)) ?? null;
}

function saysYes(part: ConditionPart, input: ConditionInput): boolean {
  if ('choices' in part) return part.choices.some((choice) => findNo(choice, input) === null);
  return fits(part.test, lookUpValue(part.path, input));
}

/** What stands at a place; under `[]` the list of what stands there in every entry, undefined without a list. */
export function lookUpValue(path: ValuePath, input: ConditionInput): unknown {
  const each = path.indexOf(EACH);
  if (each === -1) return lookIn(input, path);
  return collect(lookIn(input, path.slice(0, each)), path.slice(each + 1));
}

/** An entry without the value counts as one: `all` must not overlook it. */
function collect(list: unknown, rest: ValuePath): unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const values: unknown[] = [];
  const end = rest.indexOf(EACH);
  const steps = end === -1 ? rest : rest.slice(0, end);
  for (const entry of list) {
    const value = lookIn(entry, steps);
    if (end === -1) values.push(value);
    // Pushed one by one: a spread of a stranger's list would overflow the stack.
    else for (const inner of collect(value, rest.slice(end + 1)) ?? [undefined]) values.push(inner);
  }
  return values;
}

/** A text is also the number of its digits where the configuration could not have written that. */
function isSame(value: unknown, asked: Comparable): boolean {
  if (value === asked) return true;
  if (!isNumber(value) || isExact(value) || typeof asked === 'boolean') return false;
  return compareNumbers(value, asked) === 0;
}

function fits(test: ValueTest, value: unknown): boolean {
  switch (test.asks) {
    case 'one of':
      return test.values.some((one) => isSame(value, one));
    case 'not':
      return !fits(test.test, value);
    case 'any':
      return Array.isArray(value) && value.some((entry) => fits(test.test, entry));
    case 'all':
      return (
        Array.isArray(value) && value.length > 0 && value.every((entry) => fits(test.test, entry))
      );
    case 'exists':
      return (value !== undefined && value !== null) === test.isWanted;
    case 'every':
      return test.tests.every((one) => fits(one, value));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isNumber(value) && NUMBER_TESTS[test.asks](compareNumbers(value, test.bound));
    case 'startsWith':
    case 'endsWith':
    case 'contains': {
      const looksLike = TEXT_TESTS[test.asks];
      return typeof value === 'string' && test.texts.some((text) => looksLike(value, text));
    }
    default:
      return test satisfies never;
  }
}

export function placesOf(conditions: ParsedConditions): string[] {
  const places = conditions.flatMap((part) =>
    'choices' in part ? part.choices.flatMap(placesOf) : [part.place],
  );
  return [...new Set(places)];
}

/** Whether the later conditions can only be met where the earlier ones are: each of these stands there, or a narrower one. */
export function isImplied(earlier: ParsedConditions, later: ParsedConditions): boolean {
  return earlier.every((part) => later.some((other) => isNarrower(other, part)));
}

function isNarrower(part: ConditionPart, than: ConditionPart): boolean {
  if (isDeepStrictEqual(part, than)) return true;
  if ('choices' in part || 'choices' in than || !isDeepStrictEqual(part.path, than.path)) {
    return false;
  }
  const { test } = part;
  const { test: wide } = than;
  if (test.asks !== 'one of') return false;
  // Where a value is one of a list, whatever is asked can be asked of the list.
  return test.values.every((value) => fits(wide, value));
}
