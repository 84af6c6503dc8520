import { ValidateBy } from 'class-validator';
import { isRecord } from '../../platform/objects.ts';

// The kinds of values that rows of senders are made of, beside those of all options (options/key-kinds.ts).

/** A header in lower case, as requests have them. */
const HEADER = /^[a-z0-9!#$%&'*+.^`|~_-]{1,100}$/;

/** Names of the parts of a request that a signed text can be made of; `field:` has a path behind it. */
const PART = /^(?:body|timestamp|id|url|method|form|field:[\w.-]+)$/;
const PART_OF_CERTIFICATE = /^(?:body|timestamp|id|secret|crc32|field:[\w.-]+)$/;

/** One key of these, and what stands under it. */
export function IsPlace(...kinds: readonly ('header' | 'field' | 'item')[]): PropertyDecorator {
  const shown = kinds.map((kind) => `{${kind}: '…'}`).join(' or ');
  return rule(
    'isPlace',
    (value) => isPlace(value, kinds),
    `must be ${shown}, headers in lower case`,
  );
}

function isPlace(value: unknown, kinds: readonly string[]): boolean {
  if (!isRecord(value)) return false;
  const [[kind, name] = ['', undefined], ...others] = Object.entries(value);
  if (others.length > 0 || !kinds.includes(kind) || typeof name !== 'string') return false;
  return kind === 'header' ? HEADER.test(name) : name !== '';
}

/** A header in lower case. */
export function IsHeader(): PropertyDecorator {
  return rule('isHeader', isHeader, 'must be the name of a header in lower case');
}

function isHeader(value: unknown): boolean {
  return typeof value === 'string' && HEADER.test(value);
}

/** Literal text and parts of the request in braces. */
export function IsSignedText(): PropertyDecorator {
  const message =
    'must be a text with {body}, {timestamp}, {id}, {url}, {method}, {form} or {field:a.b}';
  return rule('isSignedText', (value) => isTemplate(value, PART), message);
}

/** The same of what a certificate proves, or lists of fields by the type of the message. */
export function IsCertifiedText(): PropertyDecorator {
  const message =
    'must be a text with {body}, {timestamp}, {id}, {secret}, {crc32} or {field:a.b}, or {<type>: [fields]}';
  return rule(
    'isCertifiedText',
    (value) => isTemplate(value, PART_OF_CERTIFICATE) || isRecordOf(value, isListOfTexts),
    message,
  );
}

function isTemplate(value: unknown, part: RegExp): boolean {
  if (typeof value !== 'string') return false;
  const parts = Array.from(value.matchAll(/\{([^}]*)\}/g), ([, name = '']) => name);
  return parts.length > 0 && parts.every((name) => part.test(name));
}

/** `{headers: […]}` or `{fields: […]}`. */
export function IsDeliveryId(): PropertyDecorator {
  return rule(
    'isDeliveryId',
    (value) => {
      if (!isRecord(value) || Object.keys(value).length !== 1) return false;
      const { headers, fields } = value;
      return isListOfTexts(headers) ? headers.every(isHeader) : isListOfTexts(fields);
    },
    'must be {headers: [names in lower case]} or {fields: [paths]}',
  );
}

/** A regular expression, as text. */
export function IsPattern(): PropertyDecorator {
  return rule('isPattern', isPattern, 'must be a regular expression');
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  try {
    return new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

/** An object whose values are all of a kind. */
export function IsRecordOf(test: (value: unknown) => boolean, message: string): PropertyDecorator {
  return rule('isRecordOf', (value) => isRecordOf(value, test), message);
}

function isRecordOf(value: unknown, test: (value: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every((one) => test(one));
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

function rule(
  name: string,
  validate: (value: unknown) => boolean,
  message: string,
): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, { message });
}
