import { isRecord } from '../../platform/objects.ts';
import { Rule } from '../options/index.ts';

/** A header in lower case, as requests have them. */
const HEADER = /^[a-z0-9!#$%&'*+.^`|~_-]{1,100}$/;

/** Names of the parts of a request that a signed text can be made of; `field:` has a path behind it. */
const PART = /^(?:body|timestamp|id|url|method|form|secret|field:[\w.-]+)$/;
const PART_OF_ANSWER = /^(?:hmac|query:[\w.-]+|header:[a-z0-9-]+|field:[\w.-]+)$/;
const PART_OF_CERTIFICATE = /^(?:body|timestamp|id|secret|crc32|field:[\w.-]+)$/;

const PARTS = /\{([^}]*)\}/g;

/** Headers that only senders of webhooks read: others mean something to a proxy or a browser (`x-accel-redirect`). */
const HEADER_OF_ANSWER = /^(?:allow|(?:webhook|x-hook)-[a-z-]{1,80})$/;

const LONGEST_ANSWER = 200;
const ANSWER_TEXT = `texts of at most ${LONGEST_ANSWER} characters with {query:a}, {field:a.b}, {header:a} or {hmac}`;

/** One key of these, and what stands under it. */
export function IsPlace(
  ...kinds: readonly ('header' | 'field' | 'item' | 'query')[]
): PropertyDecorator {
  const shown = kinds.map((kind) => `{${kind}: '…'}`).join(' or ');
  return Rule(
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

export function IsHeader(): PropertyDecorator {
  return Rule('isHeader', isHeader, 'must be the name of a header in lower case');
}

function isHeader(value: unknown): boolean {
  return typeof value === 'string' && HEADER.test(value);
}

/** Literal text and parts of the request in braces. */
export function IsSignedText(): PropertyDecorator {
  const message =
    'must be a text with {body}, {timestamp}, {id}, {url}, {method}, {form}, {secret} or {field:a.b}';
  return Rule('isSignedText', (value) => isTemplate(value, PART), message);
}

/** The same of what a certificate proves, or lists of fields by the type of the message. */
export function IsCertifiedText(): PropertyDecorator {
  const message =
    'must be a text with {body}, {timestamp}, {id}, {secret}, {crc32} or {field:a.b}, or {<type>: [fields]}';
  return Rule(
    'isCertifiedText',
    (value) => isTemplate(value, PART_OF_CERTIFICATE) || isRecordOf(value, isListOfTexts),
    message,
  );
}

function isTemplate(value: unknown, part: RegExp): boolean {
  if (typeof value !== 'string') return false;
  const parts = partsOf(value);
  return parts.length > 0 && parts.every((name) => part.test(name));
}

export function partsOf(template: string): string[] {
  return Array.from(template.matchAll(PARTS), ([, name = '']) => name);
}

export function fillParts(template: string, fill: (part: string) => string): string {
  return template.replaceAll(PARTS, (_, name: string) => fill(name));
}

export function IsAnswerText(): PropertyDecorator {
  return Rule('isAnswerText', isAnswerText, `must be ${ANSWER_TEXT}`);
}

export function IsAnswerFields(): PropertyDecorator {
  return Rule(
    'isAnswerFields',
    (value) =>
      isRecordOf(
        value,
        (one) => typeof one === 'number' || typeof one === 'boolean' || isAnswerText(one),
      ),
    `must be numbers, booleans or ${ANSWER_TEXT}, by the name of their field`,
  );
}

export function IsAnswerHeaders(): PropertyDecorator {
  return Rule(
    'isAnswerHeaders',
    (value) =>
      isRecordOf(value, isAnswerText) &&
      isRecord(value) &&
      Object.keys(value).every((name) => HEADER_OF_ANSWER.test(name)),
    `must be ${ANSWER_TEXT}, by the name of their header: allow, webhook-… or x-hook-…`,
  );
}

function isAnswerText(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_ANSWER) return false;
  return partsOf(value).every((name) => PART_OF_ANSWER.test(name));
}

export function IsTextOrNumber(): PropertyDecorator {
  return Rule(
    'isTextOrNumber',
    (value) => typeof value === 'string' || typeof value === 'number',
    'must be a text or a number',
  );
}

/** `{headers: […]}` or `{fields: […]}`. */
export function IsDeliveryId(): PropertyDecorator {
  return Rule(
    'isDeliveryId',
    (value) => {
      if (!isRecord(value) || Object.keys(value).length !== 1) return false;
      const { headers, fields } = value;
      return isListOfTexts(headers) ? headers.every(isHeader) : isListOfTexts(fields);
    },
    'must be {headers: [names in lower case]} or {fields: [paths]}',
  );
}

/** An address that nobody on the way can answer for. */
export function IsHttps(): PropertyDecorator {
  const isHttps = (value: unknown) =>
    typeof value === 'string' && URL.parse(value)?.protocol === 'https:';
  return Rule('isHttps', isHttps, 'must be an address that begins with https://');
}

export function IsClaims(): PropertyDecorator {
  const isClaim = (value: unknown) =>
    typeof value === 'boolean' ||
    (typeof value === 'string' && partsOf(value).every((part) => /^(?:secret|url)$/.test(part)));
  return Rule(
    'isClaims',
    (value) => isRecordOf(value, isClaim),
    'must be texts with {secret} or {url}, true or false, by the name of their claim',
  );
}

export function IsPattern(): PropertyDecorator {
  return Rule('isPattern', isPattern, 'must be a regular expression');
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  try {
    return new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

export function IsRecordOf(test: (value: unknown) => boolean, message: string): PropertyDecorator {
  return Rule('isRecordOf', (value) => isRecordOf(value, test), message);
}

function isRecordOf(value: unknown, test: (value: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every((one) => test(one));
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}
