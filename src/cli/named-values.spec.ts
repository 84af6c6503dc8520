import { positiveNumber, wholeNumber, withHeader, withParameter } from './named-values.ts';

describe('--header', () => {
  it('gathers, the last of a name wins', () => {
    const one = withHeader('X-A: 1');
    expect(withHeader('x-b:2', withHeader('x-a:  3 ', one))).toEqual({ 'x-a': '3', 'x-b': '2' });
  });

  it.each(['', 'x', ': x', 'x y: z', 'x: a\r\nauthorization: b', 'x: \u0000', 'x: ☃'])(
    'refuses %j',
    (text) => expect(() => withHeader(text)).toThrow('--header must be'),
  );
});

describe('--query', () => {
  it('gathers, with everything behind the first =', () => {
    expect(withParameter('b=', withParameter('a=b=c'))).toEqual({ a: 'b=c', b: '' });
  });

  it.each(['', 'a', '=b'])('refuses %j', (text) => {
    expect(() => withParameter(text)).toThrow('--query must be name=value');
  });
});

describe('numbers', () => {
  it('take what is in their limits', () => {
    expect([wholeNumber('--n', '0', 0, 5), positiveNumber('--s', '0.5')]).toEqual([0, 0.5]);
  });

  it.each(['-1', '6', '1.5', '', 'x', '1e1', '0x1'])('whole ones refuse %j', (text) => {
    expect(() => wholeNumber('--n', text, 0, 5)).toThrow('--n must be a whole number from 0 to 5');
  });

  it.each(['0', '-1', 'Infinity', '1e9', ''])('positive ones refuse %j', (text) => {
    expect(() => positiveNumber('--s', text)).toThrow('--s must be a number over 0');
  });
});
