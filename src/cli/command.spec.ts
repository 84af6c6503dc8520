import { positiveNumber, wholeNumber } from './command.ts';

describe('numbers', () => {
  it('take what is in their limits', () => {
    expect([wholeNumber('--n', 0, 5)('0'), positiveNumber('--s')('0.5')]).toEqual([0, 0.5]);
  });

  it.each(['-1', '6', '1.5', '', 'x', '1e1', '0x1'])('whole ones refuse %j', (text) => {
    expect(() => wholeNumber('--n', 0, 5)(text)).toThrow('--n must be a whole number from 0 to 5');
  });

  it.each(['0', '-1', 'Infinity', '1e9', ''])('positive ones refuse %j', (text) => {
    expect(() => positiveNumber('--s')(text)).toThrow('--s must be a number over 0');
  });
});
