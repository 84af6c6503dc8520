import { isRecord } from '../../platform/objects.ts';
import { findNo, lookUpValue } from './when.ts';
import type { ConditionInput, ConditionPart, ValueTest } from './when.ts';

// Values are shortened, of objects only the kind is told. Where a name says credential, neither the value nor what it
// was compared with is shown.

/** Longest text that is shown of a value, in UTF-16 code units. */
const LONGEST_TEXT = 60;
/** Most values that are shown of a list, and most choices of an `or`. */
const MOST_SHOWN = 3;

/** Whether a name, in lower case, is that of a credential. */
export type CredentialRule = (name: string) => boolean;

/** The middle of a sentence such as `payload.action is "closed", asked for is "opened"`. */
export function explainNo(
  part: ConditionPart,
  input: ConditionInput,
  isCredential: CredentialRule,
): string {
  if ('choices' in part) {
    const reasons = part.choices.slice(0, MOST_SHOWN).flatMap((choice) => {
      const no = findNo(choice, input);
      return no === null ? [] : [explainNo(no, input, isCredential)];
    });
    const more = part.choices.length - reasons.length;
    return `of ${part.choices.length} choices none fits (${reasons.join('; ')}${more > 0 ? `; ${more} more` : ''})`;
  }
  const { place, path, test } = part;
  if ([...path, path.join('.')].some((name) => isCredential(name.toLowerCase()))) {
    return `${place} is not what is asked for (a credential, not shown)`;
  }
  return `${place} ${showFound(lookUpValue(path, input))}, asked for is ${showAsked(test)}`;
}

function showFound(value: unknown): string {
  return value === undefined ? 'is not there' : `is ${showValue(value)}`;
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, MOST_SHOWN).map((entry: unknown) => showEntry(entry));
    return `[${[...shown, ...more(value)].join(', ')}]`;
  }
  return showEntry(value);
}

function showEntry(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value) && !JSON.isRawJSON(value)) return 'an object';
  if (typeof value !== 'string' || value.length <= LONGEST_TEXT) return JSON.stringify(value);
  const start = value.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/u, '');
  return JSON.stringify(`${start}…`);
}

function more(list: readonly unknown[]): string[] {
  return list.length > MOST_SHOWN ? [`${list.length - MOST_SHOWN} more`] : [];
}

const WORDS = {
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  startsWith: 'a text that starts with',
  endsWith: 'a text that ends with',
  contains: 'a text that contains',
} as const;

function showAsked(test: ValueTest): string {
  switch (test.asks) {
    case 'one of':
      return oneOf(test.values);
    case 'not':
      return `not ${showAsked(test.test)}`;
    case 'any':
      return `a list with ${showAsked(test.test)}`;
    case 'all':
      return `a list of nothing but ${showAsked(test.test)}`;
    case 'exists':
      return test.isWanted ? 'a value' : 'no value';
    case 'every':
      return test.tests.map(showAsked).join(' and ');
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${WORDS[test.asks]} ${test.bound}`;
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return `${WORDS[test.asks]} ${oneOf(test.texts)}`;
    default:
      return test satisfies never;
  }
}

function oneOf(values: readonly unknown[]): string {
  const shown = [...values.slice(0, MOST_SHOWN).map(showEntry), ...more(values)];
  return shown.length === 1 ? shown.join('') : `one of ${shown.join(', ')}`;
}
