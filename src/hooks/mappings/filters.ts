import { getText } from '../../platform/objects.ts';
import { QUOTED, lookIn, parsePath, parseSteps } from './value-path.ts';
import type { ValuePath } from './value-path.ts';

// docs/mappings.md, Dates, money and names. What a filter cannot read stays as it was written.

/** Where a filter has a word of its own from: looked up, or written out between quotes. */
export type Argument = ValuePath | { readonly literal: string };

export type Filter =
  | { readonly kind: 'date'; readonly zone?: Argument }
  | { readonly kind: 'money'; readonly currency: Argument }
  /** Of HTML the words, of an address the part before its path. */
  | { readonly kind: 'text' | 'origin' }
  /** The text is the `key` of an item of `list`, of which `show` is shown. */
  | {
      readonly kind: 'in';
      readonly list: ValuePath;
      readonly key: string;
      readonly show: ValuePath;
    };

type LookUp = (path: ValuePath) => unknown;

/** @returns null for what is no filter. */
export function parseFilter(source: string): Filter | null {
  const [, name, given = ''] = /^(\w+)(?:\s*:\s*(\S.*))?$/u.exec(source.trim()) ?? [];
  if (name === 'text' || name === 'origin') return given === '' ? { kind: name } : null;
  if (name === 'in') return parseIn(given);
  const argument = given === '' ? undefined : parseArgument(given.trim());
  if (argument === null) return null;
  const literal = argument !== undefined && 'literal' in argument ? argument.literal : undefined;
  if (name === 'date') {
    if (literal !== undefined && zoneOf(literal) === undefined) return null;
    return { kind: 'date', ...(argument !== undefined && { zone: argument }) };
  }
  if (name !== 'money' || argument === undefined) return null;
  return literal === undefined || CURRENCY.test(literal)
    ? { kind: 'money', currency: argument }
    : null;
}

/** A list, the key in brackets and without quotes, and what is shown. */
const IN = new RegExp(
  String.raw`^((?:${QUOTED}|[^[]|\[(?!["']))+)\[([^\s.[\]{}|\d][^\s.[\]{}|]*)\](?:\.(?=[^[])|(?=\[))(.+)$`,
  'su',
);

function parseIn(source: string): Filter | null {
  const [, list = '', key = '', show = ''] = IN.exec(source.trim()) ?? [];
  const [listAt, showAt] = [parsePath(list), parseSteps(show)];
  return listAt && showAt && { kind: 'in', list: listAt, key, show: showAt };
}

function parseArgument(source: string): Argument | null {
  const [, literal] = /^'([^']{1,64})'$/u.exec(source) ?? [];
  return literal === undefined ? parsePath(source) : { literal };
}

export function pathsOf(filter: Filter): ValuePath[] {
  if (filter.kind === 'in') return [filter.list];
  const argument = 'zone' in filter ? filter.zone : 'currency' in filter && filter.currency;
  return argument && !('literal' in argument) ? [argument] : [];
}

/** Another text of the same; the same where the filter cannot read it. */
export function applyFilter(filter: Filter, text: string, lookUp: LookUp): string {
  switch (filter.kind) {
    case 'date':
      return writeDate(text, filter.zone && wordOf(filter.zone, lookUp));
    case 'money':
      return writeMoney(text, wordOf(filter.currency, lookUp));
    case 'in':
      return findIn(filter, text, lookUp);
    case 'text':
      return writeText(text);
    case 'origin':
      return /^https?:/iu.test(text) ? (URL.parse(text)?.origin ?? text) : text;
  }
}

function wordOf(argument: Argument, lookUp: LookUp): string {
  const word = 'literal' in argument ? argument.literal : lookUp(argument);
  return typeof word === 'string' && word.length <= 64 ? word : '';
}

const UNIX = /^-?\d{1,16}(?:\.\d{1,9})?$/u;
const ISO =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))? ?(Z|UTC|[+-]\d\d:?\d\d)$/iu;
/** From here on a number says milliseconds: as seconds it would be the year 5138. */
const LEAST_MILLISECONDS = 1e11;

function writeDate(text: string, zone = ''): string {
  const time = readTime(text);
  if (time === null) return text;
  const local = zone === '' ? undefined : zoneOf(zone);
  if (local === undefined) {
    const iso = time.toISOString();
    return `${WEEKDAY.format(time)} ${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  }
  const parts = new Map(local.formatToParts(time).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const day = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  const clock = `${part('hour')}:${part('minute')}:${part('second')}`;
  const offset = part('timeZoneName').replace('GMT', 'UTC');
  return `${part('weekday')} ${day} ${clock} ${zone} (${offset})`;
}

/** Unix seconds, Unix milliseconds, or ISO 8601 with its zone; null for what could be several times, or none. */
function readTime(text: string): Date | null {
  if (UNIX.test(text)) {
    const number = Number(text);
    return inRange(Math.abs(number) < LEAST_MILLISECONDS ? number * 1000 : number);
  }
  const [, day, clock = '', fraction = '', zone = ''] = ISO.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return null;
  const offset = /^(?:z|utc)$/iu.test(zone) ? 'Z' : zone.replace(/(\d\d):?(\d\d)$/u, '$1:$2');
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  return inRange(Date.parse(`${day}T${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`));
}

/** Whether there is such a day: `Date` takes the 31st of June for the 1st of July. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const FIRST = Date.parse('0001-01-02T00:00:00Z');
const LAST = Date.parse('9999-12-30T00:00:00Z');

/** Null outside of the years that four figures write. */
function inRange(milliseconds: number): Date | null {
  return milliseconds >= FIRST && milliseconds <= LAST ? new Date(milliseconds) : null;
}

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });
const MOST_ZONES = 100;
const zones = new Map<string, Intl.DateTimeFormat>();

/** Undefined for a zone that nobody knows. */
function zoneOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
    if (zones.size < MOST_ZONES) zones.set(timeZone, format);
    return format;
  } catch {
    return undefined;
  }
}

const CURRENCY = /^[a-z]{3}$/iu;
/** ISO 4217, not `Intl`: that says none for forints and rupiahs, and an amount would be a hundred times too much. */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ['CLF', 4],
  ['UYW', 4],
]);

/** An amount in the smallest unit of its currency, as `12.50 EUR`. */
function writeMoney(text: string, currency: string): string {
  const [, sign = '', digits, more = ''] = /^(-?)(\d{1,30})(?:\.(\d{1,12}))?$/u.exec(text) ?? [];
  if (digits === undefined || !CURRENCY.test(currency)) {
    return /^\w{1,12}$/u.test(currency) ? `${text} ${currency}` : text;
  }
  const code = currency.toUpperCase();
  const decimals = DECIMALS.get(code) ?? 2;
  const padded = digits.replace(/^0+(?=\d)/u, '').padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const fraction = `${padded.slice(padded.length - decimals)}${more}`;
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`} ${code}`;
}

/** Most items of a list that are looked through. */
const MOST_ITEMS = 1000;

function findIn(
  { list, key, show }: Extract<Filter, { kind: 'in' }>,
  text: string,
  lookUp: LookUp,
): string {
  const items = lookUp(list);
  if (!Array.isArray(items)) return text;
  for (const item of items.slice(0, MOST_ITEMS) as unknown[]) {
    if (getText(item, key) === text) return getText(lookIn(item, show)) ?? text;
  }
  return text;
}

const LINE_END = /<(?:br|\/p|\/div|\/li|\/tr|\/h\d)\b[^<>]*>/giu;
const TAG = /<\/?[a-z!][^<>]*>/giu;
const HREF = /\bhref=(?:"([^"]*)"|'([^']*)')/iu;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&nbsp;', ' '],
]);

/** Where a tag leads to; looked for in whole tags only, so that the time stays linear. */
function linkOf(tag: string): string {
  const [, quoted, apostrophed] = (/^<a\b/iu.test(tag) ? HREF.exec(tag) : null) ?? [];
  const address = quoted ?? apostrophed ?? '';
  return address === '' ? '' : `(${address}) `;
}

/** The words of HTML, and where its links lead to. It is shown to be read, never as HTML again. */
function writeText(html: string): string {
  return html
    .replace(LINE_END, '\n')
    .replace(TAG, linkOf)
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/gu, (entity) => ENTITIES.get(entity) ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
