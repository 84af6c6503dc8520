import { getField, getText, isRecord, parseJson } from './objects.ts';

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ['{}', false],
  [undefined, false],
])('isRecord(%j) is %s', (value, is) => {
  expect(isRecord(value)).toBe(is);
});

describe('getField', () => {
  const answer = { data: [{ id: 'a', n: 7, none: null }] };

  it('follows keys and positions', () => {
    expect(getField(answer, 'data', 0, 'id')).toBe('a');
    expect(getField(answer)).toBe(answer);
  });

  it.each([
    ['data', 1, 'id'],
    ['data', 0, 'id', 'length'],
    ['data', 0, 'none', 'x'],
    ['constructor'],
    ['data', 'map'],
    ['__proto__'],
  ])('%j %j %j leads nowhere', (...path) => {
    expect(getField(answer, ...path)).toBeUndefined();
  });

  it.each([null, undefined, 'text', 7])('nothing is in %j', (value) => {
    expect(getField(value, 'length')).toBeUndefined();
  });

  it('getText gives text and numbers as text, and nothing else', () => {
    expect(getText(answer, 'data', 0, 'id')).toBe('a');
    expect(getText(answer, 'data', 0, 'n')).toBe('7');
    expect(getText(answer, 'data', 0, 'none')).toBeUndefined();
    expect(getText(answer, 'data')).toBeUndefined();
  });
});

it('parseJson gives undefined for what is none', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(parseJson('null')).toBeNull();
  expect(parseJson('<html>')).toBeUndefined();
  expect(parseJson('')).toBeUndefined();
});
