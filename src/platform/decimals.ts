import { isNumber } from './exact-json.ts';

// Numbers by the digits that were written, where a double would round them.

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Whether it is the text of a number that JavaScript would round, or write otherwise. */
export function isInexact(text: string): boolean {
  return DECIMAL.test(text) && !(isExact(Number(text)) && String(Number(text)) === text);
}

/** Whether it is sure to be what was written: a double, and no whole number beyond those that are all there. */
export function isExact(value: unknown): value is number {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

/** Below 0, 0 or above 0, as a sort has it; NaN where one is no number, nor the text of one. Linear in their digits. */
export function compareNumbers(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [a, b] = [toDecimal(one), toDecimal(other)];
  if (a === null || b === null) return Number.NaN;
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  return a.sign * (a.point - b.point || compareDigits(a.digits, b.digits));
}

function compareDigits(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  const [a, b] = [one.padEnd(length, '0'), other.padEnd(length, '0')];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The number is 0.`digits` times ten to the power of `point`; zeros before them are left out. */
function toDecimal(value: unknown): { sign: number; digits: string; point: number } | null {
  const text = isNumber(value) ? JSON.stringify(value) : String(value);
  const [, minus, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (minus === undefined) return null;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const size = minus === '' ? 1 : -1;
  const point = Number(exponent) + digits.length - fraction.length;
  return { sign: digits === '' ? 0 : size, digits, point };
}
