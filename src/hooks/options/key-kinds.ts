import { applyDecorators } from '@nestjs/common';
import { Transform, Type, plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import {
  IsArray,
  IsInstance,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { isRecord } from '../../platform/objects.ts';
import { Holds, Option, optionKeys } from './option.ts';

// The kinds of keys that options classes are made of and that take more than one decorator of class-validator. Each
// lists its rules from the most particular to the one about the type, which is the one that is reported when several
// are broken.

/**
 * A rule of our own.
 * @param isKept by the value, in the object whose key it is
 * @param message what continues the key to a sentence
 */
export function Rule(
  name: string,
  isKept: (value: unknown, object: unknown) => boolean,
  message: string | ((value: unknown) => string),
): PropertyDecorator {
  return ValidateBy(
    { name, validator: { validate: (value, args) => isKept(value, args?.object) } },
    { message: typeof message === 'string' ? message : ({ value }) => message(value) },
  );
}

/** A time of day, `HH:MM`. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;
export const TIME_MESSAGE = { message: 'must be a time of day such as 08:00' };

/** A text that may be absent, but not empty. */
export function OptionalText(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsString(), IsNotEmpty());
}

/** A whole number from `least` to `most`. */
export function WholeNumber(least: number, most: number): PropertyDecorator {
  return applyDecorators(Max(most), Min(least), IsInt());
}

/** A number over 0, fractions included, up to `most`. */
export function PositiveNumber(most: number): PropertyDecorator {
  return applyDecorators(Max(most), IsPositive(), IsNumber());
}

/** The end of a token: a day or a moment, in ISO 8601. */
export function OptionalEnd(): PropertyDecorator {
  const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;
  const message = 'must be a date such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z';
  return applyDecorators(IsOptional(), IsString(), Matches(form, { message }));
}

/** What a value is compared with; numbers and texts are different, but for digits that no number of JavaScript holds. */
export type Comparable = string | number | boolean;

/** What a value must be: equal, one of a list, or what operators say, all of them. */
export type Condition = Comparable | readonly Comparable[] | ConditionOperators;

/** Operators of a condition; nothing is ever taken for a regular expression. */
export interface ConditionOperators {
  /** Says yes where the condition says no, so also where there is no value. */
  readonly not?: Condition;
  /** A list with at least one entry that fits. */
  readonly any?: Condition;
  /** A list with at least one entry, all of which fit. */
  readonly all?: Condition;
  /** Whether there is a value; `null` is none. */
  readonly exists?: boolean;
  /** A number; one that JavaScript would round as a text of its digits. */
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
  /** A text, or one of several. */
  readonly startsWith?: string | readonly string[];
  readonly endsWith?: string | readonly string[];
  readonly contains?: string | readonly string[];
}

/**
 * Conditions by what they look at, all of which must be met: `payload.a.b[0]`, `payload["any name"]`,
 * `payload.list[].name` (of every entry), `headers.<lower-case>`, `query.<name>`. Under `and` and `or` stands a list of such objects.
 */
export interface Conditions {
  readonly [place: string]: Condition | readonly Conditions[];
}

/** In a template that is a list of lines: one line for each item of a list, or a line on a condition, or both. */
export class ListLine {
  /** Path to the list. Absent: it is one line, and has a `when`. */
  @OptionalText()
  readonly each?: string;

  /** Template of the line, under `each` with `item` and `index`. */
  @IsString()
  readonly line!: string;

  /** Most items that get a line, 1 to 1,000; the others are counted. Default: 20. */
  @IsOptional()
  @IsInt()
  readonly most?: number;

  /** Conditions of the request, as a mapping has them; unless they are met there is no such line. */
  @IsOptional()
  @Option({ conditions: true })
  @IsObject()
  readonly when?: Conditions;
}

const MOST_LINES = 1000;

/** A text, or a list of lines: texts and {@link ListLine}s. */
export function TextOrLines(): PropertyDecorator {
  const message = `must be a text or a list of lines, each a text or {each: 'path', line: 'text', most: 1 to ${MOST_LINES}}, or {line: 'text', when: {…}}`;
  return applyDecorators(Holds('list', ListLine), Rule('isTextOrLines', isTextOrLines, message));
}

function isTextOrLines(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return (
    Array.isArray(value) && value.every((line) => typeof line === 'string' || isListLine(line))
  );
}

function isListLine(line: unknown): boolean {
  const known = optionKeys(ListLine);
  if (!isRecord(line) || Object.keys(line).some((key) => !known.includes(key))) return false;
  const { each, line: text, most = 1, when } = line;
  const isInRange = typeof most === 'number' && Number.isInteger(most);
  const isOneLine = each === undefined && when !== undefined && line['most'] === undefined;
  return (
    (typeof each === 'string' || isOneLine) &&
    typeof text === 'string' &&
    (when === undefined || isRecord(when)) &&
    isInRange &&
    most >= 1 &&
    most <= MOST_LINES
  );
}

export function TextList(): PropertyDecorator {
  return applyDecorators(IsString({ each: true }), IsArray());
}

/** Texts by name: an object in the configuration, a `Map` in the options class. */
export function TextMap(): PropertyDecorator {
  return applyDecorators(AsMap(), IsString({ each: true }), IsAMap());
}

/** An http or https address. @param example what the message about a wrong one shows. */
export function HttpUrl(example: string): PropertyDecorator {
  return IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: `must be a URL such as ${example}` },
  );
}

export function Section(section: ClassConstructor<object>): PropertyDecorator {
  return applyDecorators(
    Holds('section', section),
    Type(() => section),
    ValidateNested(),
    IsObject(),
  );
}

export function OptionalSection(section: ClassConstructor<object>): PropertyDecorator {
  return applyDecorators(IsOptional(), Section(section));
}

export function SectionList(section: ClassConstructor<object>): PropertyDecorator {
  return applyDecorators(
    Holds('list', section),
    Type(() => section),
    ValidateNested({ each: true }),
    IsObject({ each: true }),
    IsArray(),
  );
}

/** Sections of one class by name: an object in the configuration, a `Map` in the options class. */
export function SectionMap(section: ClassConstructor<object>): PropertyDecorator {
  return applyDecorators(
    Holds('map', section),
    AsMap(section),
    ValidateNested({ each: true }),
    IsObject({ each: true }),
    IsAMap(),
  );
}

/** A map of the configuration, written as an object; what is none stays as it came, for {@link IsAMap} to refuse. */
export function AsMap(entry?: ClassConstructor<object>): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => {
    const given = obj[key];
    if (!isRecord(given)) return given;
    return new Map(Object.entries(given).map(([name, value]) => [name, toEntry(value, entry)]));
  });
}

function toEntry(value: unknown, entry: ClassConstructor<object> | undefined): unknown {
  if (entry === undefined || !isRecord(value)) return value;
  return plainToInstance(entry, value, { exposeDefaultValues: true });
}

/** Refuses what {@link AsMap} could not make a map of. */
export function IsAMap(): PropertyDecorator {
  return IsInstance(Map, { message: 'must be an object' });
}
