import { parseJsonStart } from './json-start.ts';

const TEXT = JSON.stringify({
  request: {
    path: '/hooks/wake',
    query: {},
    headers: { 'x-a': 'a"b\\' },
    n: [1, -2.5e3, true, null],
  },
  actions: [
    { kind: 'agent', name: 'Git\u0000Hub', message: 'opened \ud800 "12" \\u0000 {[,:' },
    { kind: 'wake' },
  ],
  warnings: [],
});

function begins(start: unknown, whole: unknown): boolean {
  if (typeof start === 'string') return typeof whole === 'string' && whole.startsWith(start);
  if (typeof start !== 'object' || start === null) return start === whole;
  const entries: [string, unknown][] = Object.entries(start);
  const of: Readonly<Record<string, unknown>> = Object(whole);
  return entries.every(([key, value]) => key in of && begins(value, of[key]));
}

it('reads a whole text as it is', () => {
  expect(parseJsonStart(TEXT)).toEqual(JSON.parse(TEXT));
});

it.each(Array.from({ length: TEXT.length - 1 }, (_, at) => at + 1))(
  'reads what the first %i characters say',
  (length) => {
    expect(begins(parseJsonStart(TEXT.slice(0, length)), JSON.parse(TEXT))).toBe(true);
  },
);

it('keeps the words that are cut off', () => {
  const start = TEXT.slice(0, TEXT.indexOf('opened') + 4);
  expect(parseJsonStart(start)).toMatchObject({
    actions: [{ name: 'Git\u0000Hub', message: 'open' }],
  });
});

it('takes a million characters in a moment', () => {
  const text = JSON.stringify({ a: '\\"\u0000'.repeat(200_000) });
  expect(parseJsonStart(text.slice(0, -5))).toHaveProperty('a');
});
