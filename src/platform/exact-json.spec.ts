import { QUADRATIC, growth } from '../../test/support/cpu-time.ts';
import { isNumber, parseExactly } from './exact-json.ts';

describe('parseExactly', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '{"id":9007199254740993,"a":[{"b":123456789012345678901234567890}]}',
    '[0.12345678901234567890,3.1400000000000000,1.2345678901234567e400,1000000000000000000000]',
    String.raw`{"a\"1234567890123456789":"1234567890123456789","b\\":12345678901234567890,"c":[]}`,
    String.raw`{"a":"\\\",9007199254740993,","__proto__":12345678901234567890}`,
    '[1234567890123456789,"x",1234567890123456789]',
    '1e400',
    '{"a":-1E+400,"b":[1e-400,0.1e-320],"c":"1e400"}',
    '[1.5,1e309]',
  ])('keeps every digit of %s', (text) => {
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  it.each([
    '{"a":1.50,"b":1e3,"n":1772323200000,"safe":9007199254740991,"f":0.30000000000000004}',
    '"1234567890123456789"',
    '{"text":"call 1234567890123456789 now","n":1.0}',
    '[1234567890123456]',
    '[1e22,"a1e400",":1e400 ",5e-7]',
  ])('is JSON.parse for %s', (text) => {
    expect(parseExactly(text)).toStrictEqual(JSON.parse(text));
  });

  it('knows a number of any length', () => {
    const values = [1, parseExactly('9007199254740993'), '1', null, { rawJSON: '5' }];
    expect(values.map(isNumber)).toEqual([true, true, false, false, false]);
  });

  it.each(['{12345678901234567: 1}', '[12345678901234567x]', '[.12345678901234567890]', '', '['])(
    'refuses %s',
    (text) => {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    },
  );

  it.each([
    ['long numbers', '[12345678901234567890,', '1]'],
    ['exponents', '[1e400,', '1e-400]'],
    ['short ones', '[123456789012345,1,', '12345678901234567890]'],
    ['strings and escapes', String.raw`["\\\"12345678901234567890\"",`, '12345678901234567890]'],
  ])('takes linear time for %s', (_, [bracket = '', ...piece], end) => {
    const work = (size: number): void => {
      parseExactly(`${bracket}${piece.join('').repeat(size)}${end}`);
    };
    expect(growth(work, 40_000)).toBeLessThan(QUADRATIC);
  });
});
